import type { DashboardMessage, InboxItem, Repository, Session, Task, Worker, Worktree } from "../api/client";

/** Things as the server tells of them, for tests. */

const AT = "2026-11-16T15:54:55Z";

export function worker(id: string, sessionId: string, more: Partial<Worker> = {}): Worker {
  return {
    type: "terminal",
    id,
    sessionId,
    name: id,
    state: { kind: "live" },
    activity: "unknown",
    createdAt: AT,
    viewers: 0,
    ...more,
  } as Worker;
}

export function session(id: string, workers: Worker[], more: Partial<Session> = {}): Session {
  return {
    type: "quick",
    id,
    locationPath: `/home/me/${id}`,
    shownLocation: more.locationPath ?? `/home/me/${id}`,
    locationMissing: false,
    status: "active",
    notices: [],
    createdAt: AT,
    workers,
    ...more,
  } as Session;
}

export function task(id: string, more: Partial<Task> = {}): Task {
  return {
    id,
    projectId: "r1",
    title: id,
    pinned: false,
    status: "backlog",
    position: 1,
    createdAt: AT,
    ...more,
  };
}

export function waiting(id: string, workerId: string, more: Partial<InboxItem> = {}): InboxItem {
  return { id, workerId, sessionId: "s", reason: "asking", since: AT, read: false, ...more };
}

export function repository(id: string, path: string): Repository {
  return { id, name: path.split("/").at(-1) ?? id, path, shownPath: path, createdAt: AT };
}

export function state(
  seq: number,
  more: {
    epoch?: string;
    sessions?: Session[];
    tasks?: Task[];
    repositories?: Repository[];
    worktrees?: Worktree[];
    inbox?: InboxItem[];
  } = {},
): DashboardMessage {
  return {
    type: "state",
    epoch: "e",
    seq,
    sessions: [],
    tasks: [],
    repositories: [],
    worktrees: [],
    inbox: [],
    ...more,
  };
}
