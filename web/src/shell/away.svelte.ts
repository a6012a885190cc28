import { dashboard } from "../dashboard/dashboard.svelte";
import { clock } from "./clock.svelte";

/** A server that just restarts is back before anybody could read that it is away. */
const NOTICED_MS = 1_000;

/** How old what is shown is, in ms, when the server has been away long enough to say so; undefined while it is there. */
export const away = {
  get forMs(): number | undefined {
    if (dashboard.status !== "reconnecting") return undefined;
    const ms = clock.now - dashboard.since;
    return ms >= NOTICED_MS ? ms : undefined;
  },
};
