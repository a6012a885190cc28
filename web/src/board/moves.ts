import type { Task } from "../api/client";
import { COLUMNS, type Column } from "./order";

/** What is asked of the server, in order. */
export type Step = "activate" | "start" | "retry" | "complete" | "reopen";

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

/** Whether a session is in the making, during which it can be neither ended nor started over. */
export function isBeingMade(task: Task): boolean {
  return task.sessionStatus === "pending" || task.sessionStatus === "provisioning";
}

const BEING_MADE: Plan = {
  kind: "refused",
  why: "Its session is still being made. Wait until it runs, or has failed.",
};

/** Moves a task to a column. */
export function planMove(task: Task, column: Column): Plan {
  if (task.status === column) return { kind: "nothing" };
  switch (column) {
    case "backlog":
      return {
        kind: "refused",
        why: "A task that was begun does not go back to the backlog. Finish it, or leave it without a session.",
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
  if (isBeingMade(task)) return BEING_MADE;
  const steps: Step[] = task.status === "backlog" ? ["activate", "complete"] : ["complete"];
  return { kind: "steps", steps, column: "done", endsSession: hasLiveSession(task) };
}

/** Starts a task's session, wherever the task stands. */
export function planStart(task: Task): Plan {
  if (isSet(task.sessionId)) {
    return hasLiveSession(task)
      ? { kind: "refused", why: "It is running already. Open its session, or start over with retry." }
      : planRetry(task);
  }
  const before: Record<Column, Step[]> = { backlog: ["activate"], active: [], done: ["reopen"] };
  return { kind: "steps", steps: [...before[task.status], "start"], column: "active", endsSession: false };
}

/** Ends a task's session and starts another. */
export function planRetry(task: Task): Plan {
  if (!isSet(task.sessionId)) return planStart(task);
  if (isBeingMade(task)) return BEING_MADE;
  return { kind: "steps", steps: ["retry"], column: "active", endsSession: hasLiveSession(task) };
}

/** The columns that a task can be dropped on. */
export function dropColumns(task: Task): Column[] {
  return COLUMNS.filter((column) => planMove(task, column).kind !== "refused");
}

function isSet(value: string | null | undefined): value is string {
  return value !== null && value !== undefined;
}
