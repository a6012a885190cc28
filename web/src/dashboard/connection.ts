import type { DashboardEvent, DashboardMessage } from "../api/client";
import { type ProvedSocket, STRANGER } from "../api/proved-socket";
import { type Known, take } from "./feed";

export type Status = "connecting" | "live" | "reconnecting" | "signedOut" | "stranger";

/** As much of a WebSocket as the dashboard needs. */
export type Line = Pick<ProvedSocket, "close" | "onmessage" | "onclose">;

export interface ConnectionOptions {
  open(path: string): Line;
  isSignedIn(): boolean;
  onStatus(status: Status): void;
  onKnown(known: Known, event: DashboardEvent | undefined): void;
  /** The server does not let this browser in. */
  onRefused(): void;
  /** A number from 0 to 1, so that many pages do not come back at the same instant. */
  random?(): number;
}

/** The first wait is too short to be noticed when a server just restarts. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** A server that accepts a connection and says nothing is as good as none. */
const SILENCE_MS = 10_000;
/** Asking again costs little, so a page that the person comes back to after this time checks its connection. */
const QUIET_MS = 30_000;

/** How long to wait before the next attempt; `attempt` counts from 0. Between half of it and all of it. */
export function waitMs(attempt: number, random: number): number {
  const whole = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
  return whole * (0.5 + random / 2);
}

/** Follows the dashboard for as long as it is started, and comes back from wherever it was cut off. */
export class Connection {
  readonly #options: ConnectionOptions;
  #line: Line | undefined;
  #known: Known | undefined;
  #attempt = 0;
  /** The last one that answered was not the server that this browser knows. */
  #isStranger = false;
  /** When the server last said something, or was last asked to. */
  #heardAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  start(): void {
    this.stop();
    this.#attempt = 0;
    this.#connect();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#leave();
  }

  /** Forgets everything, as after signing out. */
  forget(): void {
    this.stop();
    this.#isStranger = false;
    this.#known = undefined;
  }

  /**
   * The network is back, or the person looks at the page again. Tries again at once, if it waits to; and if nothing was
   * heard for a while, since a connection that died in one's sleep says nothing either.
   */
  hurry(): void {
    const isQuiet = Date.now() - this.#heardAt > QUIET_MS;
    if ((this.#line === undefined || isQuiet) && this.#options.isSignedIn()) this.start();
  }

  #connect(): void {
    if (!this.#options.isSignedIn()) {
      this.#options.onStatus("signedOut");
      return;
    }
    // A stranger is one until the server itself has answered.
    if (!this.#isStranger) this.#options.onStatus(this.#known ? "reconnecting" : "connecting");
    const line = this.#options.open(dashboardPath(this.#known));
    this.#line = line;
    this.#heardAt = Date.now();
    this.#timer = setTimeout(() => this.#again(), SILENCE_MS);
    line.onmessage = ({ data }) => this.#take(data);
    line.onclose = ({ code }) => this.#closed(code);
  }

  #take(data: unknown): void {
    this.#heardAt = Date.now();
    const message = understood(data);
    if (message === undefined) return;
    const taken = take(this.#known, message);
    if (taken.kind === "gap") {
      // When we ask for missing events, the server sends them, or everything. When it cannot resume where we were,
      // we know nothing that can be gone on from.
      if (message.type === "resumed") this.#known = undefined;
      this.#again();
      return;
    }
    if (taken.kind === "old") return;
    clearTimeout(this.#timer);
    this.#attempt = 0;
    this.#isStranger = false;
    this.#known = taken.known;
    this.#options.onKnown(taken.known, taken.kind === "event" ? taken.event : undefined);
    this.#options.onStatus("live");
  }

  #closed(code: number): void {
    if (code === 4401) {
      this.forget();
      this.#options.onRefused();
      return;
    }
    if (code === STRANGER) this.#isStranger = true;
    this.#again();
  }

  #again(): void {
    this.stop();
    const away = this.#known ? "reconnecting" : "connecting";
    this.#options.onStatus(this.#isStranger ? "stranger" : away);
    const random = this.#options.random ?? Math.random;
    this.#timer = setTimeout(() => this.#connect(), waitMs(this.#attempt, random()));
    this.#attempt += 1;
  }

  #leave(): void {
    const line = this.#line;
    this.#line = undefined;
    if (line === undefined) return;
    line.onmessage = null;
    line.onclose = null;
    line.close();
  }
}

function dashboardPath(known: Known | undefined): string {
  if (known === undefined) return "/ws/dashboard";
  return `/ws/dashboard?epoch=${encodeURIComponent(known.epoch)}&since=${known.seq}`;
}

/** A message of a kind that we know; a newer server may have more of them. */
function understood(data: unknown): DashboardMessage | undefined {
  if (typeof data !== "string") return undefined;
  const message = JSON.parse(data) as DashboardMessage;
  return ["state", "resumed", "event"].includes(message.type) ? message : undefined;
}
