import type { Session, Task, Worker } from "../api/client";
import { baseName } from "../shell/paths";
import { clockTime, dayTime } from "../shell/times";
import { dashboard } from "./dashboard.svelte";
import { repositoryOf } from "./repositories";
import { plainTitle, standing, type Tone } from "./standing";

/** The name of a session: its title, its task, or its place. */
export function sessionName(session: Session): string {
  if (session.title) return session.title;
  const task = session.taskId ? dashboard.task(session.taskId) : undefined;
  if (task) return task.title;
  if (session.type === "worktree") return session.branch;
  return numbered(baseName(session.shownLocation), session, dashboard.sessions);
}

/** A name with a number and the time behind it for the second and later sessions without a title in one place. */
export function numbered(name: string, session: Session, all: readonly Session[]): string {
  const here = all
    .filter((each) => each.type === "quick" && !each.title && each.locationPath === session.locationPath)
    .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
  const place = here.findIndex(({ id }) => id === session.id);
  return place > 0 ? `${name} ${place + 1} (since ${clockTime(session.createdAt)})` : name;
}

/** What a session is called everywhere: its name, and its repository. */
export function sessionTitle(session: Session): string {
  return inRepository(sessionName(session), repositoryOf(session, dashboard.repositories)?.name);
}

/** The branch of a session, if that says more than its name: abide makes the branches of tasks from their titles. */
export function ownBranch(session: Session): string | undefined {
  if (session.type !== "worktree") return undefined;
  const words = sessionName(session)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-");
  const own = session.branch.split("/").at(-1)?.toLowerCase() ?? "";
  return session.branch === sessionName(session) || words.startsWith(own) ? undefined : session.branch;
}

/** What a task is called everywhere: as its session is. */
export function taskTitle(task: Task): string {
  return inRepository(task.title, dashboard.repository(task.projectId)?.name);
}

function inRepository(name: string, repository: string | undefined): string {
  return repository === undefined || repository === name ? name : `${name} · ${repository}`;
}

/** What a worker is called everywhere: the title of its session. Of a closed session, its own name and its day are left. */
export function workerTitle(worker: Worker): string {
  const session = dashboard.session(worker.sessionId);
  return session
    ? sessionTitle(session)
    : `${worker.name} of ${dayTime(worker.startedAt ?? worker.createdAt)}`;
}

/** Which one of its session's workers it is. Two are never told apart by a number alone. */
export function workerTag(
  worker: Worker,
  siblings: readonly Worker[] = dashboard.session(worker.sessionId)?.workers ?? [],
): string {
  const kind = withoutNumber(worker.name);
  const isAlone = siblings.every(({ id, name }) => id === worker.id || withoutNumber(name) !== kind);
  if (isAlone) return worker.name;
  return `${worker.name}, ${plainTitle(worker) ?? `since ${clockTime(worker.startedAt ?? worker.createdAt)}`}`;
}

/** Both in one line, for messages and for screen readers. */
export function fullName(worker: Worker): string {
  const title = workerTitle(worker);
  if (dashboard.session(worker.sessionId) === undefined) return title;
  const tag = workerTag(worker);
  return title === tag ? title : `${title}, ${tag}`;
}

function withoutNumber(name: string): string {
  return name.replace(/ \d+$/, "");
}

/** The most important state comes first. A worker that ended does not hide that another still runs. */
const LOUDEST: Tone[] = ["asking", "ok", "busy", "quiet", "bad", "none"];

/** The one colour of a session. */
export function sessionTone(session: Session): Tone {
  const tones = new Set(session.workers.map((worker) => standing(worker).tone));
  return LOUDEST.find((tone) => tones.has(tone)) ?? "none";
}
