import type { InboxItem } from "../api/client";
import { fullName, workerTitle } from "../dashboard/names";
import type { News } from "../dashboard/news";
import { openWorker } from "../home/actions";
import { inbox } from "../inbox/inbox.svelte";
import { clock } from "./clock.svelte";
import { notify } from "./notifications";
import { router } from "./router.svelte";
import { settings } from "./settings.svelte";
import { sight } from "./sight.svelte";
import { toast } from "./toasts.svelte";

/** As long as news stand over a view. A question can be answered there. */
const SHOWN_MS = { asking: 20_000, other: 8_000 };

/** News that come together are one notification. */
const TOGETHER_MS = 300;
const MOST_NOTICES = 2;

interface Told {
  readonly item: InboxItem;
  readonly until: number;
}

let told = $state.raw<readonly Told[]>([]);
let held = $state(false);
let waiting: News[] = [];

const shown = $derived(
  told.flatMap(({ item, until }) => {
    const entry = inbox.of(item.workerId);
    const isOver = entry?.item.id !== item.id || entry.item.read || (clock.now > until && !held);
    return entry && !isOver && !sight.has(item.workerId) ? [entry] : [];
  }),
);

/** What entered the inbox a moment ago and is not in sight. Gone when it was answered, read or seen. */
export const news = {
  get shown() {
    return shown;
  },
  /** While the pointer or the focus is on them, they stay. */
  hold(isHeld: boolean): void {
    held = isHeld;
  },
  dismiss(): void {
    told = [];
  },
};

/** Tells a person who looks elsewhere with a notification, and one who looks at another view of the page on the page. */
export function tell(all: readonly News[]): void {
  if (all.length === 0) return;
  if (document.hidden || !document.hasFocus()) {
    if (!settings.notifications) return;
    if (waiting.length === 0) setTimeout(notifyOfAll, TOGETHER_MS);
    waiting.push(...all);
    return;
  }
  const now = Date.now();
  const entered = all.flatMap(({ item }): Told[] => {
    if (!item) return [];
    const kind = item.reason === "asking" ? "asking" : "other";
    return [{ item, until: now + SHOWN_MS[kind] }];
  });
  told = [...told.filter(({ until }) => until > now), ...entered];
  for (const { item, worker, says, text } of all) {
    if (item === undefined && !sight.has(worker.id)) {
      const action = { title: "Open", run: () => openWorker(worker) };
      toast({ kind: "info", text: `${fullName(worker)} ${says}: ${text}`, action });
    }
  }
}

async function notifyOfAll(): Promise<void> {
  // What was answered meanwhile is no news any more.
  const all = waiting.filter(({ item }) => !item || inbox.of(item.workerId)?.item.id === item.id);
  waiting = [];
  if (all.length > MOST_NOTICES) {
    const titles = all.map(({ worker, says }) => `${workerTitle(worker)} ${says}`).join("\n");
    await show(`${all.length} wait for you`, titles, "inbox", router.href({ name: "inbox" }));
    return;
  }
  for (const { worker, item, says, text } of all) {
    const place = item
      ? router.href({ name: "inbox", worker: worker.id })
      : router.href({ name: "session", session: worker.sessionId, worker: worker.id });
    await show(`${item ? workerTitle(worker) : fullName(worker)} ${says}`, text, worker.id, place);
  }
}

async function show(title: string, text: string, tag: string, hash: string): Promise<void> {
  // What cannot be shown is not said to be on.
  if (!(await notify({ title, text, tag, hash }))) settings.notifications = false;
}
