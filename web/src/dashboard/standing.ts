import type { Worker } from "../api/client";
import { asSentence } from "../api/problem";
import { since } from "../shell/times";

/** Colours that a state has; the word beside the dot says the same. */
export type Tone = "none" | "busy" | "ok" | "asking" | "quiet" | "bad";

/** How a worker is doing, in a word. */
export interface Standing {
  tone: Tone;
  word: string;
  /** Why, in the words of the server or of the agent: foreign text. */
  reason?: string;
}

const SIGNALS: Record<number, string> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  6: "SIGABRT",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  15: "SIGTERM",
};

export function standing(worker: Worker): Standing {
  const { state } = worker;
  switch (state.kind) {
    case "pending":
      return { tone: "busy", word: "starting" };
    case "provisioning":
      return { tone: "busy", word: "getting ready" };
    case "live":
      return alive(worker);
    case "notAnswering":
      return { tone: "bad", word: "not answering", reason: "Its host runs, but does not answer." };
    case "paused":
      return { tone: "quiet", word: "paused" };
    case "exited":
      if (state.signal)
        return { tone: "bad", word: `ended by ${SIGNALS[state.signal] ?? `signal ${state.signal}`}` };
      return { tone: state.exitCode === 0 ? "none" : "bad", word: `exited ${state.exitCode}` };
    case "failed":
      return { tone: "bad", word: "failed", reason: asSentence(state.reason) };
    case "lost":
      return { tone: "bad", word: "lost", reason: asSentence(state.reason) };
  }
}

function alive(worker: Worker): Standing {
  switch (worker.activity) {
    case "active":
      return { tone: "ok", word: "active" };
    case "idle":
      return { tone: "quiet", word: "idle" };
    case "asking":
      return worker.asking
        ? { tone: "asking", word: "asking", reason: worker.asking }
        : { tone: "asking", word: "asking" };
    case "unknown":
      return { tone: "ok", word: "live" };
  }
}

/** How long it has been doing what it does; undefined if that is not known. */
export function ageOf(worker: Worker, now: number): string | undefined {
  if (worker.state.kind !== "live" || worker.activity === "unknown" || !worker.activitySince)
    return undefined;
  return since(worker.activitySince, now);
}

/** Whether it has a program that runs. */
export function runs(worker: Worker): boolean {
  return ["pending", "provisioning", "live", "notAnswering"].includes(worker.state.kind);
}

/** The word for starting it once more; undefined while it runs. */
export function againWord(worker: Worker): "Continue" | "Resume" | "Restart" | undefined {
  switch (worker.state.kind) {
    case "lost":
      return "Continue";
    case "paused":
      return "Resume";
    case "exited":
    case "failed":
      return "Restart";
    default:
      return undefined;
  }
}

/** Agents put a mark of what they do before their title; we have a dot for that. */
export function plainTitle(worker: Worker): string | undefined {
  const title = worker.title?.replace(/^[\s✳✶✻✽⠀-⣿◐◑◒◓✦◇✋·*]+\s*/u, "").trim();
  return title && title !== worker.name ? title : undefined;
}
