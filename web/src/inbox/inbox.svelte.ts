import { api, type InboxItem, type Worker } from "../api/client";
import { dashboard } from "../dashboard/dashboard.svelte";
import { clock } from "../shell/clock.svelte";
import { attempt } from "../shell/toasts.svelte";

/** A worker that waits for a person, and why. */
export interface Entry {
  readonly item: InboxItem;
  readonly worker: Worker;
}

/** What waits for a person. Entries that were set aside are hidden until their time has come. */
class Inbox {
  readonly #all = $derived(
    dashboard.inbox.flatMap((item): Entry[] => {
      const worker = dashboard.worker(item.workerId);
      return worker ? [{ item, worker }] : [];
    }),
  );

  /** Those to see now, the longest wait first. */
  readonly shown = $derived(this.#all.filter(({ item }) => !isSetAside(item, clock.now)));
  readonly setAside = $derived(this.#all.filter(({ item }) => isSetAside(item, clock.now)));

  of(workerId: string): Entry | undefined {
    return this.#all.find(({ worker }) => worker.id === workerId);
  }

  read({ item }: Entry): Promise<boolean> {
    return attempt(() => api.post(`/api/inbox/${item.id}/read`));
  }

  /** Sets an entry aside for so long; `undefined` takes it up again. */
  snooze({ item }: Entry, ms: number | undefined): Promise<boolean> {
    const until = ms === undefined ? null : new Date(Date.now() + ms).toISOString();
    return attempt(() => api.post(`/api/inbox/${item.id}/snooze`, { until }));
  }
}

export function isSetAside(item: InboxItem, now: number): boolean {
  return item.snoozedUntil != null && Date.parse(item.snoozedUntil) > now;
}

export const inbox = new Inbox();
