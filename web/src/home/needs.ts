import type { InboxItem, Worker } from "../api/client";
import { runs } from "../dashboard/standing";

/** What a person has to do with a worker, the most urgent first. */
export type Need = "waits" | "works" | "rests" | "ended";

/** Each with its heading, and a shorter one for a button. */
export const NEEDS: readonly { need: Need; title: string; short: string }[] = [
  { need: "waits", title: "Waits for you", short: "Waiting" },
  { need: "works", title: "Works", short: "Working" },
  { need: "rests", title: "Idle, or a terminal", short: "Idle" },
  { need: "ended", title: "Ended", short: "Ended" },
];

export function needOf(worker: Worker, item: InboxItem | undefined): Need {
  if (item && (item.reason === "asking" || !item.read)) return "waits";
  if (worker.state.kind === "lost") return "waits";
  if (!runs(worker)) return "ended";
  const isStarting = worker.state.kind === "pending" || worker.state.kind === "provisioning";
  return isStarting || worker.activity === "active" ? "works" : "rests";
}

/** Workers under the heading of each need; what waits longest first, all others as they were made. */
export function byNeed(
  workers: readonly Worker[],
  itemOf: (worker: Worker) => InboxItem | undefined,
): { need: Need; title: string; workers: Worker[] }[] {
  const since = (worker: Worker) => itemOf(worker)?.since ?? worker.createdAt;
  return NEEDS.map(({ need, title }) => ({
    need,
    title,
    workers: workers
      .filter((worker) => needOf(worker, itemOf(worker)) === need)
      .sort((a, b) => Date.parse(since(a)) - Date.parse(since(b)) || a.id.localeCompare(b.id)),
  })).filter(({ workers }) => workers.length > 0);
}
