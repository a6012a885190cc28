/**
 * How a tab stays attached to a worker: events in, effects out. It opens no socket and reads no clock.
 *
 * The screen is never emptied by a break: it shows what it showed until the host has sent something newer.
 */

import { concat } from "../protocol/bytes";
import { type ExitStatus, encode, type HostMessage, type Size, type Viewer } from "../protocol/messages";
import { backoffMs } from "./backoff";
import { Ledger } from "./ledger";
import { type Shown, Stream } from "./stream";

/** Acknowledged after this much was shown. The host sends eight times as much before it waits. */
const ACK_EVERY_BYTES = 64 * 1024;

/** A connection on which nothing comes for this long while an answer is due is taken for dead. */
const SILENCE_MS = 10_000;

/** The same after the machine slept or the network changed: then most are dead. */
const SILENCE_ON_WAKING_MS = 3_000;

/** How often an idle connection is tried. */
const HEARTBEAT_MS = 20_000;

/** One that lasted this long was a good one: the next break is met with quick tries again. */
const GOOD_AFTER_MS = 5_000;

export type AttachmentState =
  | { readonly kind: "connecting" }
  | {
      readonly kind: "live";
      readonly size: Size;
      readonly owner: "me" | "other" | "nobody";
      readonly me: number;
      readonly viewers: readonly Viewer[];
    }
  | {
      readonly kind: "reconnecting";
      readonly since: number;
      readonly attempt: number;
      readonly reason: string;
    }
  /** `seen` is false if its last screen must come from the recording. */
  | { readonly kind: "exited"; readonly status: ExitStatus; readonly code: number; readonly seen: boolean }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "closed" };

/** Something that a person should be told once. */
export type Notice =
  | {
      readonly kind: "reconnected";
      readonly afterMs: number;
      /** Typed while there was no connection, and sent now. */
      readonly sentBytes: number;
      /** On its way when the connection broke: it may be missing, and was not sent again. */
      readonly doubtful: Uint8Array;
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

export interface MachineOptions {
  readonly name: string;
  readonly readOnly: boolean;
  readonly history: number;
  /** How large the screen is; nothing if this viewer leaves the size to others until the person acts. */
  readonly size: Size | undefined;
  /** Names this tab across connections. */
  readonly typist: string;
  readonly random: () => number;
}

type Phase =
  | { readonly kind: "idle" }
  /** A socket is opening, or open without a Welcome. */
  | { readonly kind: "connecting" }
  | { readonly kind: "live"; readonly me: number; readonly since: number }
  | { readonly kind: "waiting" }
  | { readonly kind: "over" };

export class Machine {
  readonly #options: MachineOptions;
  readonly #ledger = new Ledger();
  readonly #stream = new Stream();
  #phase: Phase = { kind: "idle" };
  #state: AttachmentState = { kind: "connecting" };
  #effects: Effect[] = [];
  #now = 0;

  #history: number;
  #size: Size | undefined;
  /** Whether the next Attach says the size, and so takes it. */
  #claims: boolean;
  /** Whether this connection's host knows our size. */
  #saidSize = false;
  #historyWanted = false;

  #connection = 0;
  #givenBytes = 0;
  #ackedThrough = 0;
  #lastPing = 0;
  #lastPong = 0;
  #attempt = 0;
  #brokeAt: number | undefined;
  #refusal: { readonly code: string; readonly message: string } | undefined;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#history = options.history;
    this.#size = options.size;
    this.#claims = options.size !== undefined;
  }

  get state(): AttachmentState {
    return this.#state;
  }

  /** Takes in one event and says what must be done about it, in this order. */
  handle(event: Event, now: number): Effect[] {
    this.#now = now;
    if (this.#phase.kind !== "over") this.#take(event);
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  #take(event: Event): void {
    switch (event.kind) {
      case "start":
        if (this.#phase.kind === "idle") this.#connect();
        return;
      case "opened":
        this.#attach();
        return;
      case "message":
        this.#hear(event.message);
        this.#listen();
        return;
      case "garbled":
        this.#do({ kind: "drop" });
        this.#broken(`the server sent something that is no message: ${event.why}`, 0);
        return;
      case "broke":
        this.#closed(event.code, event.reason, event.unsentBytes);
        return;
      case "shown":
        this.#acknowledge(event.mark);
        return;
      case "typed":
        this.#type(event.bytes);
        return;
      case "fitted":
        this.#fit(event.size);
        return;
      case "tookOver":
        this.#saySize();
        if (this.#phase.kind === "live") this.#send(encode.focus());
        return;
      case "redraw":
        if (this.#phase.kind === "live") this.#send(encode.redraw());
        return;
      case "historyWanted":
        if (event.lines <= this.#history) return;
        this.#history = event.lines;
        this.#historyWanted = true;
        this.#fetchHistory();
        return;
      case "woke":
        if (this.#phase.kind === "waiting") this.#connect();
        else if (this.#phase.kind === "live") this.#ping(SILENCE_ON_WAKING_MS);
        return;
      case "rang":
        this.#rang(event.timer);
        return;
      case "close":
        this.#end({ kind: "closed" });
        return;
    }
  }

  #connect(): void {
    this.#do({ kind: "hush", timer: "retry" });
    this.#phase = { kind: "connecting" };
    this.#connection += 1;
    this.#givenBytes = 0;
    this.#ackedThrough = 0;
    this.#lastPing = 0;
    this.#lastPong = 0;
    this.#saidSize = false;
    this.#refusal = undefined;
    this.#do({ kind: "open" });
    this.#do({ kind: "ring", timer: "silence", afterMs: SILENCE_MS });
  }

  #attach(): void {
    const { name, readOnly, typist } = this.#options;
    const resume = this.#historyWanted ? undefined : this.#stream.resumeFrom;
    const size = this.#claims ? this.#size : undefined;
    this.#saidSize = size !== undefined;
    this.#send(
      encode.attach({ ...resume, history: this.#history, readOnly, ...(size && { size }), name, typist }),
    );
  }

  #hear(message: HostMessage): void {
    switch (message.kind) {
      case "welcome":
        this.#welcomed(message);
        return;
      case "snapshot":
        this.#show(this.#stream.snapshot(message.at, message.bytes, message.last));
        return;
      case "output":
        this.#show(this.#stream.output(message.at, message.bytes));
        return;
      case "resized":
        this.#stream.resized(message.size);
        this.#live({ size: message.size, owner: this.#whose(message.owner) });
        return;
      case "viewers": {
        const owner = message.viewers.find((viewer) => viewer.ownsSize);
        this.#live({ viewers: message.viewers, owner: this.#whose(owner?.id) });
        return;
      }
      case "pong":
        this.#lastPong = message.token;
        this.#ledger.confirm(message.token);
        this.#fetchHistory();
        return;
      case "refused":
        this.#refusal = message;
        this.#notice({ kind: "refused", code: message.code, message: message.message });
        return;
      case "exited": {
        const { status, code } = message;
        this.#end({ kind: "exited", status, code, seen: this.#stream.seen });
        return;
      }
      case "signal":
      case "other":
        return;
    }
  }

  #welcomed({ epoch, offset, size, viewer, typed }: HostMessage & { kind: "welcome" }): void {
    const resumed = this.#historyWanted ? undefined : this.#stream.resumeFrom;
    this.#stream.welcome(epoch, size);
    this.#ackedThrough = resumed?.epoch === epoch ? resumed.since : offset;
    this.#phase = { kind: "live", me: viewer, since: this.#now };
    const before = this.#state.kind === "live" ? this.#state : undefined;
    this.#setState({
      kind: "live",
      size,
      owner: this.#saidSize ? "me" : (before?.owner ?? "nobody"),
      me: viewer,
      viewers: before?.viewers ?? [],
    });
    this.#do({ kind: "ring", timer: "heartbeat", afterMs: HEARTBEAT_MS });

    const { doubtful, unsent } = this.#ledger.resume(epoch, typed);
    const kept = concat(unsent);
    if (kept.length > 0) this.#sendInput(kept);
    if (this.#brokeAt === undefined) return;
    const afterMs = this.#now - this.#brokeAt;
    this.#brokeAt = undefined;
    this.#notice({ kind: "reconnected", afterMs, sentBytes: kept.length, doubtful });
  }

  #show(shown: Shown): void {
    const connection = this.#connection;
    switch (shown.kind) {
      case "snapshot":
        this.#historyWanted = false;
        this.#do({
          kind: "snapshot",
          bytes: shown.bytes,
          size: shown.size,
          mark: { connection, through: shown.through, snapshot: true },
        });
        return;
      case "output":
        this.#do({
          kind: "output",
          bytes: shown.bytes,
          mark: { connection, through: shown.through, snapshot: false },
        });
        return;
      case "hole":
        this.#send(encode.redraw());
        return;
      case "nothing":
        return;
    }
  }

  #acknowledge({ connection, through, snapshot }: Mark): void {
    if (connection !== this.#connection || this.#phase.kind !== "live") return;
    const enough = through - this.#ackedThrough >= ACK_EVERY_BYTES;
    // A snapshot's own offset is said even if it is not news: the host sends no second one before.
    if (!enough && !snapshot) return;
    this.#ackedThrough = Math.max(this.#ackedThrough, through);
    this.#send(encode.ack(this.#ackedThrough));
  }

  #type(bytes: Uint8Array): void {
    if (this.#options.readOnly || bytes.length === 0) return;
    if (this.#phase.kind === "live") {
      this.#saySize();
      this.#sendInput(bytes);
    } else if (!this.#ledger.keep(bytes)) {
      this.#notice({ kind: "notKept", bytes: bytes.length });
    }
  }

  #sendInput(bytes: Uint8Array): void {
    this.#ledger.send(bytes, ({ bytes, token }) => {
      const before = this.#givenBytes;
      this.#send(encode.input(bytes));
      this.#sendPing(token, SILENCE_MS);
      return before;
    });
  }

  #fit(size: Size): void {
    this.#size = size;
    if (this.#phase.kind === "live" && this.#saidSize) this.#send(encode.resize(size));
  }

  /** Whoever acts has a say in the size from then on. */
  #saySize(): void {
    this.#claims = this.#size !== undefined;
    if (!this.#size || this.#saidSize || this.#phase.kind !== "live") return;
    this.#saidSize = true;
    this.#send(encode.resize(this.#size));
  }

  /**
   * More history comes only with another Attach. The connection is given up for it when nothing typed is on its way,
   * so that no key's fate is ever in doubt because somebody scrolled.
   */
  #fetchHistory(): void {
    if (!this.#historyWanted || this.#phase.kind !== "live" || !this.#ledger.settled) return;
    this.#leaveConnection();
    this.#do({ kind: "drop" });
    this.#connect();
  }

  #ping(silenceMs: number): void {
    this.#sendPing(this.#ledger.nextToken(), silenceMs);
  }

  #sendPing(token: number, silenceMs: number): void {
    const first = this.#lastPong >= this.#lastPing;
    this.#lastPing = token;
    this.#send(encode.ping(token));
    if (first || silenceMs < SILENCE_MS) this.#do({ kind: "ring", timer: "silence", afterMs: silenceMs });
  }

  /** Something came: the connection lives. */
  #listen(): void {
    if (this.#phase.kind !== "live" && this.#phase.kind !== "connecting") return;
    if (this.#phase.kind === "live" && this.#lastPong >= this.#lastPing)
      this.#do({ kind: "hush", timer: "silence" });
    else this.#do({ kind: "ring", timer: "silence", afterMs: SILENCE_MS });
  }

  #rang(timer: Timer): void {
    switch (timer) {
      case "retry":
        if (this.#phase.kind === "waiting") this.#connect();
        return;
      case "heartbeat":
        if (this.#phase.kind !== "live") return;
        this.#ping(SILENCE_MS);
        this.#do({ kind: "ring", timer: "heartbeat", afterMs: HEARTBEAT_MS });
        return;
      case "silence":
        if (this.#phase.kind !== "live" && this.#phase.kind !== "connecting") return;
        this.#do({ kind: "drop" });
        this.#broken("the server does not answer", 0);
        return;
    }
  }

  /** The codes of `docs/api.md`. */
  #closed(code: number, reason: string, unsentBytes: number): void {
    switch (code) {
      case 1008:
      case 1009:
        this.#end({
          kind: "refused",
          why: `The server did not understand this page (${reason || code}). Reload it.`,
        });
        return;
      case 4002:
        if (this.#refusal?.code === "full") break;
        this.#end({
          kind: "refused",
          why: this.#refusal?.message ?? "The worker does not take this viewer.",
        });
        return;
      case 4401:
        this.#do({ kind: "signedOut" });
        this.#end({ kind: "refused", why: "This browser is no longer signed in." });
        return;
      case 4403:
        this.#end({ kind: "refused", why: "You may not see this worker." });
        return;
    }
    this.#broken(WHY.get(code) ?? "the connection is lost", unsentBytes);
  }

  #broken(why: string, unsentBytes: number): void {
    if (this.#phase.kind === "waiting" || this.#phase.kind === "idle") return;
    if (this.#phase.kind === "live" && this.#now - this.#phase.since >= GOOD_AFTER_MS) this.#attempt = 0;
    this.#ledger.broke(this.#givenBytes - unsentBytes);
    this.#leaveConnection();
    this.#phase = { kind: "waiting" };
    this.#brokeAt ??= this.#now;
    this.#setState({ kind: "reconnecting", since: this.#brokeAt, attempt: this.#attempt, reason: why });
    const afterMs = backoffMs(this.#attempt, this.#options.random());
    this.#attempt += 1;
    this.#do({ kind: "ring", timer: "retry", afterMs });
  }

  #leaveConnection(): void {
    // Whoever owned the size takes it again; another, perhaps in a tab that nobody sees, leaves it alone.
    if (this.#state.kind === "live") this.#claims = this.#size !== undefined && this.#state.owner !== "other";
    this.#do({ kind: "hush", timer: "silence" });
    this.#do({ kind: "hush", timer: "heartbeat" });
  }

  #end(state: AttachmentState): void {
    this.#leaveConnection();
    this.#do({ kind: "hush", timer: "retry" });
    this.#do({ kind: "drop" });
    this.#phase = { kind: "over" };
    this.#setState(state);
  }

  #whose(owner: number | undefined): "me" | "other" | "nobody" {
    if (owner === undefined) return "nobody";
    return this.#phase.kind === "live" && this.#phase.me === owner ? "me" : "other";
  }

  #live(change: Partial<Omit<AttachmentState & { kind: "live" }, "kind">>): void {
    if (this.#state.kind === "live") this.#setState({ ...this.#state, ...change });
  }

  #setState(state: AttachmentState): void {
    this.#state = state;
    this.#do({ kind: "state", state });
  }

  #notice(notice: Notice): void {
    this.#do({ kind: "notice", notice });
  }

  #send(message: Uint8Array<ArrayBuffer>): void {
    this.#givenBytes += message.length;
    this.#do({ kind: "send", message });
  }

  #do(effect: Effect): void {
    this.#effects.push(effect);
  }
}

const WHY = new Map([
  [1012, "the server restarts"],
  [4001, "the worker's host is gone"],
  [4004, "this browser did not answer in time"],
]);
