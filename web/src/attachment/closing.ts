/** What the close of a WebSocket means, by the codes of `docs/api.md`. */

import { STRANGER } from "../api/proved-socket";
import type { Connection } from "./connection";

export type Closing =
  /** Another try may succeed. */
  | { readonly kind: "broken"; readonly why: string }
  /** Another try would end in the same way. */
  | { readonly kind: "refused"; readonly why: string; readonly signedOut: boolean };

const WHY = new Map([
  [1012, "the server restarts"],
  [4001, "the worker's host is gone"],
  [4004, "this browser did not answer in time"],
  [STRANGER, "this is not the abide server that this browser knows"],
]);

export function closing(code: number, reason: string, refusal: Connection["refusal"]): Closing {
  const refused = (why: string): Closing => ({ kind: "refused", why, signedOut: code === 4401 });
  switch (code) {
    case 1008:
    case 1009:
      return refused(`The server did not understand this page (${reason || code}). Reload the page.`);
    case 4002:
      if (refusal?.code === "full") break;
      return refused(refusal?.message ?? "The worker's host refused this viewer.");
    case 4401:
      return refused("This browser is no longer signed in.");
    case 4403:
      return refused("You may not see this worker.");
  }
  return { kind: "broken", why: WHY.get(code) ?? "the connection is lost" };
}
