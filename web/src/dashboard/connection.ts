import type { DashboardEvent, DashboardMessage } from "../api/client";
import { type ProvedSocket, STRANGER } from "../api/proved-socket";
import { type Known, take } from "./feed";

export type Status = "connecting" | "live" | "reconnecting" | "signedOut" | "stranger";

/** As much of a WebSocket as the dashboard needs. */
export type Line = Pick<ProvedSocket, "send" | "close" | "onmessage" | "onclose">;

export interface ConnectionOptions {
  open(path: string): Line;
  isSignedIn(): boolean;
  onStatus(status: Status): void;
  onKnown(known: Known, event: DashboardEvent | undefined): void;
  /** The server said something: what is known is true as of now. */
  onHeard(): void;
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
/** A server that said nothing for this long is asked whether it is still there. */
const QUIET_MS = 5_000;
/** How long its answer may take. */
const ANSWER_MS = 5_000;
/** The same when there is a reason to doubt the connection: the network changed, or the machine slept. */
const DOUBTFUL_ANSWER_MS = 1_500;

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
  /** Whether the server has answered on this line. */
  #isLive = false;
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

  /** The network is back, or the person looks at the page again: tries at once, if it waits to. */
  hurry(): void {
    if (this.#line === undefined && this.#options.isSignedIn()) this.start();
    else this.doubt();
  }

  /**
   * The connection may have died without a word, as when the network changes or the machine slept. An answer shows that
   * it has not: a server on the same machine needs no network.
   */
  doubt(): void {
    if (this.#isLive) this.#ping(DOUBTFUL_ANSWER_MS);
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
    this.#timer = setTimeout(() => this.#again(), SILENCE_MS);
    line.onmessage = ({ data }) => this.#take(data);
    line.onclose = ({ code }) => this.#closed(code);
  }

  #ping(answerMs: number): void {
    this.#line?.send('{"type":"ping"}');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#again(), answerMs);
  }

  /** The server is there. */
  #listen(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ping(ANSWER_MS), QUIET_MS);
    this.#options.onHeard();
  }

  #take(data: unknown): void {
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
    this.#isLive = true;
    this.#listen();
    if (taken.kind === "old") return;
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
    // One that breaks in our sight was there until now.
    if (this.#isLive) this.#options.onHeard();
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
    this.#isLive = false;
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
  return ["state", "resumed", "event", "pong"].includes(message.type) ? message : undefined;
}
