import type { Prompt, PromptState } from "../api/client";
import type { Tone } from "../dashboard/standing";

/** What has become of a prompt, in words. */
export interface Receipt {
  readonly tone: Tone;
  readonly word: string;
  /** More about it: what it waits for, or why it was not sent. */
  readonly more?: string;
}

const WAITS: Record<string, string> = {
  answer: "until its question is answered",
  idle: "until it is idle",
  activity: "until it is known what the agent does",
  earlier: "behind an earlier prompt",
};

export function receipt(state: PromptState): Receipt {
  switch (state.kind) {
    case "queued":
      return { tone: "quiet", word: "queued", ...(state.waitsFor && { more: WAITS[state.waitsFor] ?? "" }) };
    case "pasting":
      return { tone: "busy", word: "being typed" };
    case "pasted":
      return { tone: "busy", word: "typed" };
    case "submitting":
      return { tone: "busy", word: "being submitted" };
    case "submitted":
      return { tone: "ok", word: "submitted" };
    case "started":
      return { tone: "ok", word: "taken up" };
    case "failed":
      return { tone: "bad", word: "not submitted", more: state.reason };
    case "cancelled":
      return { tone: "none", word: "removed", more: state.reason };
    case "unknown":
      return { tone: "bad", word: "unknown", more: state.reason };
  }
}

/** Whether nothing more will become of it. */
export function isOver({ state }: Prompt): boolean {
  return ["started", "failed", "cancelled", "unknown"].includes(state.kind);
}

/** As long as a prompt that went well is listed, and one that did not. */
const LISTED_MS = { well: 60_000, badly: 60 * 60_000 };

/** What is worth showing: what is under way, in its order, and after it what has just become of the others. */
export function listed(prompts: readonly Prompt[], now: number): Prompt[] {
  const recent = prompts.filter((prompt) => {
    if (!isOver(prompt) || prompt.state.kind === "cancelled") return false;
    const ms = prompt.state.kind === "started" ? LISTED_MS.well : LISTED_MS.badly;
    return now - Date.parse(prompt.changedAt) < ms;
  });
  return [...prompts.filter((prompt) => !isOver(prompt)), ...recent.reverse()];
}
