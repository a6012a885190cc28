import type { Session, Worker } from "../api/client";
import { runs } from "../dashboard/standing";

/** Which workers are on the wall. */
export type Shown = "running" | "all" | "asking";

/** So many screens at once are drawn live; a browser has better things to do than draw more. */
export const MOST_LIVE = 24;

/** Workers in the order of the wall: those that ask first, then what runs, then what has ended; each as on Home. */
export function arranged(sessions: readonly Session[], shown: Shown): Worker[] {
  const workers = sessions.flatMap((session) => session.workers);
  const wanted = workers.filter((worker) => {
    if (shown === "all") return true;
    return shown === "asking" ? isAsking(worker) : runs(worker);
  });
  return wanted
    .map((worker, index) => ({ worker, index }))
    .sort((a, b) => rank(a.worker) - rank(b.worker) || a.index - b.index)
    .map(({ worker }) => worker);
}

export function isAsking(worker: Worker): boolean {
  return worker.state.kind === "live" && worker.activity === "asking";
}

function rank(worker: Worker): number {
  if (isAsking(worker)) return 0;
  return runs(worker) ? 1 : 2;
}

/** The tiles that get a live screen: of those in sight, the first on the wall. */
export function liveTiles(order: readonly Worker[], inSight: ReadonlySet<string>, most: number): Set<string> {
  const live = order.filter((worker) => worker.state.kind === "live" && inSight.has(worker.id));
  return new Set(live.slice(0, most).map((worker) => worker.id));
}

/** The tile that an arrow key goes to, in rows of so many. */
export function nextTile(index: number, count: number, across: number, key: string): number {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -across,
    ArrowDown: across,
    Home: -index,
    End: count - 1 - index,
  };
  const to = index + (steps[key] ?? 0);
  if (to >= 0 && to < count) return to;
  // From the last full row down, there may still be a shorter one.
  return key === "ArrowDown" && Math.floor(index / across) < Math.floor((count - 1) / across)
    ? count - 1
    : index;
}
