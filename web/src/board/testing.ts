import type { Task } from "../api/client";

/** A task for tests. */
export function task(id: string, fields: Partial<Task> = {}): Task {
  return {
    id,
    projectId: "one",
    title: id,
    status: "backlog",
    pinned: false,
    position: 0,
    createdAt: "2026-11-16T10:00:00Z",
    ...fields,
  };
}
