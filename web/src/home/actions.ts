import { api, type Session, type SessionReply, type Worker, type WorkerReply } from "../api/client";
import { fullName, sessionTitle } from "../dashboard/names";
import { runs } from "../dashboard/standing";
import { ask, choose, confirm } from "../shell/dialogs.svelte";
import type { MenuItem } from "../shell/Menu.svelte";
import { router } from "../shell/router.svelte";
import { attempt, toast } from "../shell/toasts.svelte";

/** Where a worker is in the API. */
function pathOf(worker: Worker): string {
  return `/api/sessions/${worker.sessionId}/workers/${worker.id}`;
}

export function openWorker(worker: Worker): void {
  router.go({ name: "session", session: worker.sessionId, worker: worker.id });
}

export async function renameWorker(worker: Worker): Promise<void> {
  const name = await ask({
    title: `Rename “${fullName(worker)}”`,
    label: "Name",
    value: worker.name,
    action: "Rename",
  });
  if (name && name !== worker.name) await attempt(() => api.patch(pathOf(worker), { name }));
}

/** Ends a worker and keeps its recording, or removes one that has ended. Answers whether it is gone. */
export async function endWorker(worker: Worker): Promise<boolean> {
  const name = fullName(worker);
  if (!runs(worker)) {
    const sure = await confirm({
      title: `Remove “${name}”?`,
      text: "It has ended already. This deletes its recording.",
      action: "Remove",
      danger: true,
    });
    return sure && attempt(() => api.delete(pathOf(worker)));
  }
  const chosen = await choose({
    title: `End “${name}”?`,
    text: "This ends its program. Its output can be kept, to be read and searched later. To leave it running, just close the page.",
    action: "End and keep",
    other: "End and delete",
    danger: true,
  });
  if (chosen === "other") return attempt(() => api.delete(pathOf(worker)));
  if (chosen === "action") await attempt(() => api.post(`${pathOf(worker)}/end`));
  return false;
}

/** Starts a worker's program once more; an agent goes on with its own conversation, or begins a new one. */
export async function restartWorker(worker: Worker, fresh = false): Promise<void> {
  // What it is called before there is another one of the same name.
  const name = fullName(worker);
  if (runs(worker)) {
    const sure = await confirm({
      title: `Restart “${name}”?`,
      text: "This ends its program first. Its output stays, in a tab beside the new one.",
      action: "Restart",
      danger: true,
    });
    if (!sure) return;
  }
  let reply: WorkerReply | undefined;
  const done = await attempt(async () => {
    reply = await api.post<WorkerReply>(`${pathOf(worker)}/restart`, { continueConversation: !fresh });
  });
  if (done && reply) {
    const { worker: next, notice } = reply;
    toast({
      kind: "done",
      text: notice ?? `${name} restarted.`,
      action: { title: "Open", run: () => openWorker(next) },
    });
  }
}

export async function renameSession(session: Session): Promise<void> {
  const title = await ask({
    title: "Rename the session",
    label: "Title (empty for its branch or directory)",
    value: session.title ?? "",
    action: "Rename",
  });
  if (title !== undefined) await attempt(() => api.patch(`/api/sessions/${session.id}`, { title }));
}

export async function endSession(session: Session): Promise<void> {
  const running = session.workers.filter(runs);
  const what =
    running.length === 1
      ? "One worker still runs in it and is ended"
      : `${running.length} workers still run in it and are ended`;
  const files = session.type === "worktree" ? "Its worktree stays." : "The files in its directory stay.";
  const title = `End “${sessionTitle(session)}”?`;
  const remove = () => attempt(() => api.delete(`/api/sessions/${session.id}`));
  if (running.length === 0) {
    const text = `This removes it from the page and deletes its recordings. ${files}`;
    if (await confirm({ title, text, action: "Remove session", danger: true })) await remove();
    return;
  }
  const chosen = await choose({
    title,
    text: `${what}. Their output can be kept, to be read and searched later. ${files}`,
    action: "End and keep",
    other: "End and delete",
    danger: true,
  });
  if (chosen === "other") await remove();
  else if (chosen === "action")
    await attempt(() => Promise.all(running.map((worker) => api.post(`${pathOf(worker)}/end`))));
}

/** What can be done with a session. */
export function sessionItems(session: Session): MenuItem[] {
  return [
    { title: "Open", icon: "open", run: () => router.go({ name: "session", session: session.id }) },
    ...inSession(session),
  ];
}

/** The same from the row of one of its workers. */
export function inSession(session: Session): MenuItem[] {
  return [
    { title: "Add a terminal", icon: "terminal", run: () => addTerminal(session) },
    { title: "Rename the session…", icon: "edit", run: () => renameSession(session) },
    session.workers.some(runs)
      ? { title: "End session…", icon: "end", danger: true, run: () => endSession(session) }
      : { title: "Remove session…", icon: "remove", danger: true, run: () => endSession(session) },
  ];
}

/** Adds a terminal to a session and goes there. */
export async function addTerminal(session: Session): Promise<void> {
  await attempt(async () => {
    const { worker } = await api.post<WorkerReply>(`/api/sessions/${session.id}/workers`, {
      type: "terminal",
    });
    openWorker(worker);
  });
}

/** What a new session shall run. */
export type Program =
  | { kind: "shell" }
  | { kind: "agent"; agentId: string }
  | { kind: "command"; command: string };

export type Location =
  | { type: "quick"; locationPath: string }
  | { type: "worktree"; repositoryId: string; worktreeId: string };

/** Makes a session with one worker in it. If that cannot be started, there is no session either. */
export async function startSession(location: Location, program: Program): Promise<Session> {
  const agent = program.kind === "agent" ? { agentId: program.agentId } : {};
  const { session } = await api.post<SessionReply>("/api/sessions", { ...location, ...agent });
  if (program.kind === "agent") return session;
  const command = program.kind === "command" ? { command: ["sh", "-c", program.command] } : {};
  try {
    await api.post<WorkerReply>(`/api/sessions/${session.id}/workers`, { type: "terminal", ...command });
  } catch (thrown) {
    await api.delete(`/api/sessions/${session.id}`).catch(() => undefined);
    throw thrown;
  }
  return session;
}
