import type { InboxItem, Worker } from "../api/client";
import { standing } from "./standing";

/** Something that a person who looks elsewhere would want to know. */
export interface News {
  readonly worker: Worker;
  /** Its entry of the inbox; a program of a plain terminal that ends by itself has none. */
  readonly item: InboxItem | undefined;
  /** What comes behind the worker's title: `asks`. */
  readonly says: string;
  readonly text: string;
}

/** Compares the new state with the old one, so that nothing is missed when the page was away for a while. */
export class NewsDesk {
  /** Entries that were told of. A question that still stands keeps its entry, so it is told of once. */
  #told: Set<string> | undefined;
  #running = new Set<string>();

  /** The news since the last call. The first call returns none, because the page has just begun to look. */
  take(workers: readonly Worker[], inbox: readonly InboxItem[]): News[] {
    const isFirst = this.#told === undefined;
    const told = this.#told ?? new Set();
    const waiting = inbox.filter(({ id, read }) => !told.has(id) && !read);
    const ended = workers.filter((worker) => this.#running.has(worker.id) && endedAlone(worker));
    this.#told = new Set(inbox.map(({ id }) => id));
    this.#running = new Set(workers.filter(({ state }) => state.kind === "live").map(({ id }) => id));
    if (isFirst) return [];
    return [...waiting.flatMap((item) => ofItem(item, workers)), ...ended.map(ofEnd)];
  }

  /** The known state belongs to a person who has signed out. */
  forget(): void {
    this.#told = undefined;
    this.#running.clear();
  }
}

/** Agents that end are in the inbox. */
function endedAlone(worker: Worker): boolean {
  return worker.type === "terminal" && !worker.runsAgent && worker.state.kind === "exited";
}

function ofItem(item: InboxItem, workers: readonly Worker[]): News[] {
  const worker = workers.find(({ id }) => id === item.workerId);
  return worker ? [{ worker, item, says: SAYS[item.reason], text: item.words ?? "" }] : [];
}

const SAYS: Record<InboxItem["reason"], string> = {
  asking: "asks",
  finished: "has finished",
  failed: "has failed",
  limit: "has reached a usage limit",
  lost: "is lost",
  stuck: "seems stuck",
};

function ofEnd(worker: Worker): News {
  return { worker, item: undefined, says: "has ended", text: standing(worker).word };
}
