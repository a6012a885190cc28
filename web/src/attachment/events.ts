/** The events that the [machine](./machine.ts) takes in, and the effects that it asks for. */

import type { HostMessage, Size } from "../protocol/messages";
import type { AttachmentState } from "./state";

/** Something that a person should be told once. */
export type Notice =
  | {
      readonly kind: "reconnected";
      readonly afterMs: number;
      /** Typed while there was no connection, and sent now. */
      readonly sentBytes: number;
      /** On its way when the connection broke: it may be missing, and was not sent again. */
      readonly doubtful: Uint8Array;
      /** Whether another host has the worker now: what the one before printed last may be missing. */
      readonly isNewHost: boolean;
    }
  /** There was no room to keep keys until the connection is back: these are gone. */
  | { readonly kind: "notKept"; readonly bytes: number }
  /** The host did not do something. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

export type Timer = "retry" | "silence" | "heartbeat";

/** Handed back when the bytes are on the screen. */
export interface Mark {
  readonly connection: number;
  readonly through: number;
  readonly snapshot: boolean;
}

export type Event =
  | { readonly kind: "start" }
  | { readonly kind: "opened" }
  | { readonly kind: "message"; readonly message: HostMessage }
  /** What came was no message. */
  | { readonly kind: "garbled"; readonly why: string }
  /** `unsentBytes` of what the socket was given never left the browser. */
  | { readonly kind: "broke"; readonly code: number; readonly reason: string; readonly unsentBytes: number }
  | { readonly kind: "shown"; readonly mark: Mark }
  | { readonly kind: "typed"; readonly bytes: Uint8Array }
  | { readonly kind: "fitted"; readonly size: Size }
  | { readonly kind: "tookOver" }
  | { readonly kind: "redraw" }
  | { readonly kind: "historyWanted"; readonly lines: number }
  /** The tab is in sight again, or there is a network again. */
  | { readonly kind: "woke" }
  /** There is a reason to doubt the connection. */
  | { readonly kind: "doubted" }
  | { readonly kind: "rang"; readonly timer: Timer }
  | { readonly kind: "close" };

export type Effect =
  | { readonly kind: "open" }
  | { readonly kind: "drop" }
  | { readonly kind: "send"; readonly message: Uint8Array<ArrayBuffer> }
  | { readonly kind: "snapshot"; readonly bytes: Uint8Array; readonly size: Size; readonly mark: Mark }
  | { readonly kind: "output"; readonly bytes: Uint8Array; readonly mark: Mark }
  | { readonly kind: "ring"; readonly timer: Timer; readonly afterMs: number }
  | { readonly kind: "hush"; readonly timer: Timer }
  | { readonly kind: "state"; readonly state: AttachmentState }
  | { readonly kind: "notice"; readonly notice: Notice }
  | { readonly kind: "signedOut" };
