import type {
  DashboardEvent,
  DashboardMessage,
  InboxItem,
  Repository,
  Session,
  Task,
  Worker,
  Worktree,
} from "../api/client";

/** Everything the server told us, and up to which event of which of its runs that is true. */
export interface Known {
  readonly epoch: string;
  readonly seq: number;
  readonly sessions: readonly Session[];
  readonly tasks: readonly Task[];
  readonly repositories: readonly Repository[];
  readonly worktrees: readonly Worktree[];
  /** What waits for a person, the longest wait first. */
  readonly inbox: readonly InboxItem[];
}

/** Applies a message to the known state. */
export type Taken =
  | { kind: "all"; known: Known }
  | { kind: "resumed"; known: Known }
  | { kind: "event"; known: Known; event: DashboardEvent }
  /** It says nothing that we do not have already. */
  | { kind: "old" }
  /** Something is missing in between: only the server can mend that. */
  | { kind: "gap" };

/** Takes in one message. Changes nothing in place, so that code which compares by identity sees what changed. */
export function take(known: Known | undefined, message: DashboardMessage): Taken {
  if (message.type === "pong") return { kind: "old" };
  if (message.type === "state") {
    const { epoch, seq, sessions, tasks, repositories, worktrees, inbox } = message;
    return { kind: "all", known: { epoch, seq, sessions, tasks, repositories, worktrees, inbox } };
  }
  if (message.type === "resumed") {
    const same = known !== undefined && known.epoch === message.epoch && known.seq === message.seq;
    return same ? { kind: "resumed", known } : { kind: "gap" };
  }
  if (known === undefined || message.seq > known.seq + 1) return { kind: "gap" };
  if (message.seq <= known.seq) return { kind: "old" };
  return {
    kind: "event",
    known: { ...known, ...changed(known, message.event), seq: message.seq },
    event: message.event,
  };
}

function changed(known: Known, event: DashboardEvent): Partial<Known> {
  switch (event.kind) {
    case "session.changed":
      return { sessions: put(known.sessions, event.session) };
    case "session.removed":
      return { sessions: without(known.sessions, event.sessionId) };
    case "worker.changed":
      return { sessions: putWorker(known.sessions, event.worker) };
    case "worker.removed":
      return { sessions: removeWorker(known.sessions, event.workerId) };
    case "task.changed":
      return { tasks: put(known.tasks, event.task) };
    case "task.removed":
      return { tasks: without(known.tasks, event.taskId) };
    case "repository.changed":
      return { repositories: put(known.repositories, event.repository) };
    case "repository.removed":
      return { repositories: without(known.repositories, event.repositoryId) };
    case "worktree.changed":
      return { worktrees: put(known.worktrees, event.worktree) };
    case "worktree.removed":
      return { worktrees: without(known.worktrees, event.worktreeId) };
    case "inbox.changed":
      return { inbox: waiting(known.inbox, event.item) };
    case "inbox.removed":
      return { inbox: without(known.inbox, event.itemId) };
    case "terminal.viewer_attached":
    case "terminal.viewer_detached":
      return { sessions: viewers(known.sessions, event.workerId, event.viewers) };
    default:
      return {};
  }
}

function put<T extends { id: string }>(things: readonly T[], thing: T): T[] {
  const at = things.findIndex(({ id }) => id === thing.id);
  return at < 0 ? [...things, thing] : things.with(at, thing);
}

/** A worker has at most one entry: a newer one takes the place of the one before. */
function waiting(inbox: readonly InboxItem[], item: InboxItem): InboxItem[] {
  const others = inbox.filter(({ id, workerId }) => id !== item.id && workerId !== item.workerId);
  return [...others, item].sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
}

function without<T extends { id: string }>(things: readonly T[], id: string): T[] {
  return things.filter((each) => each.id !== id);
}

function putWorker(sessions: readonly Session[], worker: Worker): readonly Session[] {
  return sessions.map((session) =>
    session.id === worker.sessionId ? { ...session, workers: put(session.workers, worker) } : session,
  );
}

function removeWorker(sessions: readonly Session[], workerId: string): readonly Session[] {
  return sessions.map((session) =>
    session.workers.some(({ id }) => id === workerId)
      ? { ...session, workers: without(session.workers, workerId) }
      : session,
  );
}

function viewers(sessions: readonly Session[], workerId: string, count: number): readonly Session[] {
  for (const session of sessions) {
    const worker = session.workers.find(({ id }) => id === workerId);
    if (worker) return putWorker(sessions, { ...worker, viewers: count });
  }
  return sessions;
}
