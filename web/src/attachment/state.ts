/** What a person sees of an attachment, and where the [machine](./machine.ts) is. */

import type { ExitStatus, Size, Viewer } from "../protocol/messages";
import type { Connection } from "./connection";

/** The first connection is being made. */
export interface Connecting {
  readonly kind: "connecting";
}

export interface Live {
  readonly kind: "live";
  readonly size: Size;
  readonly owner: "me" | "other" | "none";
  readonly me: number;
  readonly viewers: readonly Viewer[];
}

export interface Reconnecting {
  readonly kind: "reconnecting";
  /** When it was last known to be there: when it broke, or when something last came, if it fell silent. */
  readonly since: number;
  readonly attempt: number;
  readonly reason: string;
}

/** Nothing comes after these. */
export type Ended =
  /** `seen` is false if its last screen must come from the recording. */
  | { readonly kind: "exited"; readonly status: ExitStatus; readonly code: number; readonly seen: boolean }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "closed" };

/** What a person is shown. */
export type AttachmentState = Connecting | Live | Reconnecting | Ended;

/** Where the machine is. Each phase has what is shown in it, so that the two cannot disagree. */
export type Phase =
  | { readonly kind: "idle"; readonly shown: Connecting }
  /** A socket is opening, or is open without a Welcome. The page shows what it showed before. */
  | {
      readonly kind: "connecting";
      readonly shown: Connecting | Live | Reconnecting;
      readonly connection: Connection;
    }
  /** Welcomed by the host at `since`. */
  | { readonly kind: "live"; readonly shown: Live; readonly connection: Connection; readonly since: number }
  /** The connection broke. The next try comes with the retry timer. */
  | { readonly kind: "waiting"; readonly shown: Reconnecting }
  | { readonly kind: "over"; readonly shown: Ended };

/** The two phases that have a connection. */
export type Connected = Extract<Phase, { connection: Connection }>;

export function isConnected(phase: Phase): phase is Connected {
  return phase.kind === "connecting" || phase.kind === "live";
}
