import type { Flag } from "./marks";
import type { Gap } from "./recording.svelte";
import type { Known } from "./scale";

/** When output is missing, in milliseconds: from the gap's own mark on, so that both stand in one place. */
export function gapTimes({ from, to }: Gap, flags: readonly Flag[], known: Known): [number, number] {
  const mark = flags.find(({ kind, offset }) => kind === "gap" && offset >= from && offset <= (to ?? from));
  const start = mark?.at ?? known.timeAt(from);
  return [start, to === undefined ? start : Math.max(start, known.timeAt(to))];
}
