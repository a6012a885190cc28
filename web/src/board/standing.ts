import type { Task, Worker } from "../api/client";
import { asSentence } from "../api/problem";
import { standing, type Standing as WorkerStanding } from "../dashboard/standing";

/** How a task stands, in a word and perhaps a sentence. */
export interface TaskStanding extends WorkerStanding {
  /** What can be done about it. */
  advice?: string;
}

/** How a task and its agent are doing. */
export function taskStanding(task: Task, worker: Worker | undefined): TaskStanding {
  switch (task.sessionStatus) {
    case "pending":
      return { tone: "busy", word: "starting" };
    case "provisioning":
      return { tone: "busy", word: "making its worktree" };
    case "running":
      return worker?.state.kind === "live" ? standing(worker) : { tone: "ok", word: "running" };
    case "waiting_for_input":
      return withReason({ tone: "asking", word: "asking" }, worker?.asking);
    case "done":
      return {
        tone: "quiet",
        word: "agent ended",
        advice: "Look at what it did, then finish the task, or retry.",
      };
    case "failed":
      if (worker?.state.kind === "lost") return { ...standing(worker), advice: advice(task, worker) };
      return {
        ...withReason({ tone: "bad", word: "failed" }, task.sessionError && asSentence(task.sessionError)),
        advice: advice(task, worker),
      };
    default:
      return { tone: "none", word: task.status === "done" ? "done" : "not started" };
  }
}

function withReason(standing: TaskStanding, reason: string | null | undefined): TaskStanding {
  return reason ? { ...standing, reason } : standing;
}

function advice(task: Task, worker: Worker | undefined): string {
  const reason = (task.sessionError ?? "").toLowerCase();
  if (worker?.state.kind === "lost")
    return "Its output is kept. Continue starts its agent again, where it was.";
  if (worker?.state.kind === "exited") {
    return "See its last screen for the reason. Retry starts over in a fresh worktree.";
  }
  if (/^there is no command|^cannot run/.test(reason)) {
    return "Install the agent's program or choose another agent, then retry.";
  }
  if (/git|branch|worktree|repository/.test(reason)) return "Fix the repository, then retry.";
  return "Retry starts over in a fresh worktree.";
}
