import type { components } from "./schema";

/**
 * The server's codes, and three of the page's own: no answer came, one that the page cannot read, or one of a server
 * that is not ours.
 */
export type ProblemCode = components["schemas"]["ErrorCode"] | "unreachable" | "strange-answer" | "stranger";

/** Something that was asked of the server and was not done. `message` and `hint` are for people. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  readonly hint: string | undefined;
  readonly details: Record<string, unknown>;
  /** The HTTP status, 0 when there was no answer at all. */
  readonly status: number;

  constructor(problem: {
    code: ProblemCode;
    message: string;
    hint?: string | undefined;
    details?: Record<string, unknown>;
    status: number;
  }) {
    super(problem.message);
    this.name = "ApiProblem";
    this.code = problem.code;
    this.hint = problem.hint;
    this.details = problem.details ?? {};
    this.status = problem.status;
  }
}

/** What to tell a person about anything that was thrown: a sentence, and what to do if that is known. */
export function inWords(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const message = asSentence(thrown.message);
  return thrown instanceof ApiProblem && thrown.hint ? `${message} ${asSentence(thrown.hint)}` : message;
}

/** A message of the server as a sentence of its own. */
export function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** Reads the one error body that the server has; an answer without it did not come from the server itself. */
export function problemFrom(status: number, body: unknown): ApiProblem {
  const error = field(body, "error");
  const code = field(error, "code");
  const message = field(error, "message");
  const hint = field(error, "hint");
  const detail = field(error, "detail");
  if (typeof code !== "string" || typeof message !== "string") {
    return new ApiProblem({
      code: "strange-answer",
      message: `the server answered ${status} without a reason`,
      status,
    });
  }
  return new ApiProblem({
    code: code as ProblemCode,
    message,
    hint: typeof hint === "string" ? hint : undefined,
    details: typeof detail === "object" && detail !== null ? { ...detail } : {},
    status,
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
