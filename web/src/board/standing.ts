import type { Task, Worker } from "../api/client";

/** Colours that a state has; the word beside the dot says the same. */
export type Tone = "none" | "busy" | "ok" | "asking" | "quiet" | "bad";

/** How a task stands, in a word and perhaps a sentence. */
export interface Standing {
  tone: Tone;
  word: string;
  /** What it asks, or why it failed: foreign text. */
  text?: string;
  /** What can be done about it. */
  advice?: string;
}

/** How a task and its agent are doing. */
export function standing(task: Task, worker: Worker | undefined): Standing {
  switch (task.sessionStatus) {
    case null:
    case undefined:
      return { tone: "none", word: task.status === "done" ? "done" : "not started" };
    case "pending":
      return { tone: "busy", word: "starting" };
    case "provisioning":
      return { tone: "busy", word: "making its worktree" };
    case "running":
      return running(worker);
    case "waiting_for_input":
      return withText({ tone: "asking", word: "asking" }, worker?.asking);
    case "done":
      return {
        tone: "quiet",
        word: "agent ended",
        advice: "Look at what it did, then finish the task, or retry.",
      };
    case "failed":
      return {
        ...withText({ tone: "bad", word: "failed" }, task.sessionError),
        advice: advice(task, worker),
      };
  }
}

function running(worker: Worker | undefined): Standing {
  switch (worker?.activity) {
    case "active":
      return { tone: "ok", word: "working" };
    case "idle":
      return { tone: "quiet", word: "idle" };
    case "asking":
      return withText({ tone: "asking", word: "asking" }, worker.asking);
    default:
      return { tone: "ok", word: "running" };
  }
}

function withText(standing: Standing, text: string | null | undefined): Standing {
  return text === null || text === undefined || text === "" ? standing : { ...standing, text };
}

function advice(task: Task, worker: Worker | undefined): string {
  const reason = (task.sessionError ?? "").toLowerCase();
  if (worker?.state.kind === "lost") {
    return "What it printed is kept: look at its past, then retry.";
  }
  if (/not found|no such file|not installed/.test(reason)) {
    return "Install the agent's program or choose another agent, then retry.";
  }
  if (/git|branch|worktree|repository/.test(reason)) {
    return "Mend the repository, then retry.";
  }
  if (worker?.state.kind === "exited")
    return "Its last screen says more. Retry starts over in a fresh worktree.";
  return "Retry starts over in a fresh worktree.";
}
