import { api, type Session, type SessionReply, type Worker, type WorkerReply } from "../api/client";
import { sessionName } from "../dashboard/names";
import { runs } from "../dashboard/standing";
import { ask, confirm } from "../shell/dialogs.svelte";
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
    title: `Rename “${worker.name}”`,
    label: "Name",
    value: worker.name,
    action: "Rename",
  });
  if (name && name !== worker.name) await attempt(() => api.patch(pathOf(worker), { name }));
}

/** Ends a worker, or removes one that has ended. Answers whether it was done. */
export async function endWorker(worker: Worker): Promise<boolean> {
  const alive = runs(worker);
  const sure = await confirm({
    title: alive ? `End “${worker.name}”?` : `Remove “${worker.name}”?`,
    text: alive
      ? "This ends its program and deletes its recording. To leave it running, just close the page."
      : "It has ended already. This deletes its recording.",
    action: alive ? "End" : "Remove",
    danger: true,
  });
  return sure && attempt(() => api.delete(pathOf(worker)));
}

/** Starts a worker's program once more; an agent takes up its last conversation. */
export async function restartWorker(worker: Worker): Promise<void> {
  if (runs(worker)) {
    const sure = await confirm({
      title: `Restart “${worker.name}”?`,
      text: "This ends its program first. Its output stays, in a tab beside the new one.",
      action: "Restart",
      danger: true,
    });
    if (!sure) return;
  }
  let started: Worker | undefined;
  const done = await attempt(async () => {
    started = (await api.post<WorkerReply>(`${pathOf(worker)}/restart`)).worker;
  });
  if (done && started) {
    const next = started;
    toast({
      kind: "done",
      text: `${worker.name} restarted.`,
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
  const running = session.workers.filter(runs).length;
  const what =
    running === 1
      ? "One worker still runs in it and is ended"
      : `${running} workers still run in it and are ended`;
  const files = session.type === "worktree" ? "Its worktree stays." : "The files in its directory stay.";
  const sure = await confirm({
    title: `End “${sessionName(session)}”?`,
    text: `${running > 0 ? `${what}. ` : ""}Its recordings are deleted. ${files}`,
    action: "End session",
    danger: true,
  });
  if (sure) await attempt(() => api.delete(`/api/sessions/${session.id}`));
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
