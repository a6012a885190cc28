import { dashboard } from "../dashboard/dashboard.svelte";
import type { Standing } from "../dashboard/standing";
import { clock } from "./clock.svelte";
import { duration } from "./times";

/** A server that only restarts is back before a person could read that it is away. */
const NOTICED_MS = 1_000;

/**
 * The age of the shown content, in ms, if the server has been away long enough to say so; undefined while it is there.
 * It counts from the last thing that the server said.
 */
export const away = {
  get forMs(): number | undefined {
    if (dashboard.status !== "reconnecting" && dashboard.status !== "stranger") return undefined;
    if (clock.now - dashboard.since < NOTICED_MS) return undefined;
    return clock.now - dashboard.heardAt;
  },
};

/**
 * How something stands, as far as the page knows. While the server is away, a state that could have changed (`alive`) is
 * shown as it was, without its colour and with its age.
 */
export function asKnown<S extends Standing>(stands: S, alive: boolean): S {
  const ms = away.forMs;
  if (ms === undefined || !alive) return stands;
  return { ...stands, tone: "quiet", word: `${stands.word}, as of ${duration(ms)} ago` };
}
