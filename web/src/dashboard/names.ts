import type { Session } from "../api/client";
import { baseName } from "../shell/paths";
import { dashboard } from "./dashboard.svelte";
import { standing, type Tone } from "./standing";

/** The name of a session: its title, its task, or its place. */
export function sessionName(session: Session): string {
  if (session.title) return session.title;
  const task = session.taskId ? dashboard.task(session.taskId) : undefined;
  if (task) return task.title;
  if (session.type === "worktree") return session.branch;
  return numbered(baseName(session.shownLocation), session, dashboard.sessions);
}

/** A name with a number behind it for the second and later sessions without a title in one place. */
export function numbered(name: string, session: Session, all: readonly Session[]): string {
  const here = all
    .filter((each) => each.type === "quick" && !each.title && each.locationPath === session.locationPath)
    .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
  const place = here.findIndex(({ id }) => id === session.id);
  return place > 0 ? `${name} ${place + 1}` : name;
}

/** The most important state comes first. A worker that ended does not hide that another still runs. */
const LOUDEST: Tone[] = ["asking", "ok", "busy", "quiet", "bad", "none"];

/** The one colour of a session. */
export function sessionTone(session: Session): Tone {
  const tones = new Set(session.workers.map((worker) => standing(worker).tone));
  return LOUDEST.find((tone) => tones.has(tone)) ?? "none";
}
