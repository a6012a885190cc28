import type { Task, Worker } from "../api/client";
import { COLUMNS, type Column } from "./order";

/** What is asked of the server, in order. */
export type Step = "activate" | "start" | "retry" | "cancel" | "complete" | "reopen";

/** What a wish about a task comes down to. */
export type Plan =
  | { kind: "steps"; steps: Step[]; column: Column; endsSession: boolean }
  | { kind: "nothing" }
  | { kind: "refused"; why: string };

/** The path of a step, under the task's own. */
export const STEP_PATHS: Record<Step, string> = {
  activate: "activate",
  start: "session/start",
  retry: "session/retry",
  cancel: "session/cancel",
  complete: "complete",
  reopen: "reopen",
};

/** Whether a task's agent is there, or on its way. */
export function hasLiveSession(task: Task): boolean {
  switch (task.sessionStatus) {
    case "pending":
    case "provisioning":
    case "running":
    case "waiting_for_input":
      return true;
    default:
      return false;
  }
}

/** The agent that works on a task, or shall. If the task names none, the server chooses it, and its worker tells. */
export function agentOf(task: Task, worker: Worker | undefined): string | undefined {
  return task.agentId || (worker?.type === "agent" ? worker.agentId : undefined);
}

/** Whether a task's session is being started, which can be cancelled. */
export function isBeingMade(task: Task): boolean {
  return task.sessionStatus === "pending" || task.sessionStatus === "provisioning";
}

/** Moves a task to a column. */
export function planMove(task: Task, column: Column): Plan {
  if (task.status === column) return { kind: "nothing" };
  switch (column) {
    case "backlog":
      return {
        kind: "refused",
        why: "A started task cannot go back to the backlog. Finish it, or leave it without a session.",
      };
    case "active":
      return {
        kind: "steps",
        steps: [task.status === "done" ? "reopen" : "activate"],
        column,
        endsSession: false,
      };
    case "done":
      return planDone(task);
  }
}

/** Finishes a task, wherever it stands. */
export function planDone(task: Task): Plan {
  if (task.status === "done") return { kind: "nothing" };
  const steps: Step[] = task.status === "backlog" ? ["activate", "complete"] : ["complete"];
  return { kind: "steps", steps, column: "done", endsSession: hasLiveSession(task) };
}

/** Starts a task's session, wherever the task stands. */
export function planStart(task: Task): Plan {
  if (isSet(task.sessionId)) {
    return hasLiveSession(task)
      ? { kind: "refused", why: "The task is running already. Open its session, or retry to start over." }
      : planRetry(task);
  }
  const before: Record<Column, Step[]> = { backlog: ["activate"], active: [], done: ["reopen"] };
  return { kind: "steps", steps: [...before[task.status], "start"], column: "active", endsSession: false };
}

/** Ends a task's session and starts another. */
export function planRetry(task: Task): Plan {
  if (!isSet(task.sessionId)) return planStart(task);
  return { kind: "steps", steps: ["retry"], column: "active", endsSession: hasLiveSession(task) };
}

/** Cancels the start of a task's session. */
export function planCancel(task: Task): Plan {
  if (isBeingMade(task)) return { kind: "steps", steps: ["cancel"], column: "active", endsSession: false };
  return {
    kind: "refused",
    why: hasLiveSession(task)
      ? "Its agent runs already. Finish the task to end it, or retry to start over."
      : "The task is not starting.",
  };
}

/** The columns that a task can be dropped on. */
export function dropColumns(task: Task): Column[] {
  return COLUMNS.filter((column) => planMove(task, column).kind !== "refused");
}

function isSet(value: string | null | undefined): value is string {
  return value !== null && value !== undefined;
}
