/**
 * How a tab stays attached to a worker: events in, effects out. It opens no socket and reads no clock.
 *
 * A break never empties the screen: it stays as it was until the host has sent something newer.
 */

import { concat } from "../protocol/bytes";
import { encode, type HostMessage, type Size } from "../protocol/messages";
import { backoffMs } from "./backoff";
import { closing } from "./closing";
import { Connection } from "./connection";
import type { Effect, Event, Mark, Notice, Timer } from "./events";
import { Ledger } from "./ledger";
import { type AttachmentState, type Ended, isConnected, type Live, type Phase } from "./state";
import { type Shown, Stream } from "./stream";

/** Acknowledged after this much was shown. The host sends eight times as much before it waits. */
const ACK_EVERY_BYTES = 64 * 1024;

/** A connection on which nothing comes for this long while an answer is due is taken for dead. */
const SILENCE_MS = 10_000;

/** The same when there is a reason to doubt it: the machine slept, or the network changed. Then most are dead. */
const DOUBTFUL_SILENCE_MS = 3_000;

/** How often an idle connection is tried. */
const HEARTBEAT_MS = 20_000;

/** One that lasted this long was a good one: the next break is met with quick tries again. */
const GOOD_AFTER_MS = 5_000;

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

export class Machine {
  readonly #options: MachineOptions;
  readonly #ledger = new Ledger();
  readonly #stream = new Stream();
  #phase: Phase = { kind: "idle", shown: { kind: "connecting" } };
  #effects: Effect[] = [];
  #now = 0;
  /** When something last came from the host. */
  #heardAt = 0;
  #connections = 0;
  /** How often a connection was tried since the last one that was good. */
  #attempt = 0;
  /** Lines of history. They are `missing` until a snapshot has come that was asked for with so many. */
  #history: { readonly lines: number; readonly missing: boolean };
  /** How large the screen is, and whether the next Attach says so and takes the size. */
  #screen: { readonly size: Size; readonly claims: boolean } | undefined;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#history = { lines: options.history, missing: false };
    this.#screen = options.size && { size: options.size, claims: true };
  }

  get state(): AttachmentState {
    return this.#phase.shown;
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
    const phase = this.#phase;
    switch (event.kind) {
      case "start":
        this.#heardAt = this.#now;
        if (phase.kind === "idle") this.#connect(phase.shown);
        return;
      case "opened":
        if (isConnected(phase)) this.#attach(phase.connection);
        return;
      case "message":
        if (!isConnected(phase)) return;
        this.#heardAt = this.#now;
        this.#hear(event.message, phase.connection);
        this.#listen();
        return;
      case "garbled":
        this.#do({ kind: "drop" });
        this.#broken(`the server sent an invalid message: ${event.why}`, 0, this.#now);
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
        this.#screen = { claims: this.#screen?.claims ?? false, size: event.size };
        if (phase.kind === "live" && phase.connection.saidSize)
          this.#send(phase.connection, encode.resize(event.size));
        return;
      case "tookOver":
        this.#saySize();
        if (phase.kind === "live") this.#send(phase.connection, encode.focus());
        return;
      case "redraw":
        if (phase.kind === "live") this.#send(phase.connection, encode.redraw());
        return;
      case "historyWanted":
        if (event.lines <= this.#history.lines) return;
        this.#history = { lines: event.lines, missing: true };
        this.#fetchHistory();
        return;
      case "woke":
        if (phase.kind === "waiting") this.#connect(phase.shown);
        else this.#doubt();
        return;
      case "doubted":
        this.#doubt();
        return;
      case "rang":
        this.#rang(event.timer);
        return;
      case "close":
        this.#end({ kind: "closed" });
        return;
    }
  }

  #connect(shown: (Phase & { kind: "connecting" })["shown"]): void {
    this.#do({ kind: "hush", timer: "retry" });
    this.#connections += 1;
    this.#enter({ kind: "connecting", shown, connection: new Connection(this.#connections) });
    this.#do({ kind: "open" });
    this.#do({ kind: "ring", timer: "silence", afterMs: SILENCE_MS });
  }

  #attach(connection: Connection): void {
    const { name, readOnly, typist } = this.#options;
    const size = this.#screen?.claims ? this.#screen.size : undefined;
    connection.saidSize = size !== undefined;
    this.#send(
      connection,
      encode.attach({
        ...this.#resumeFrom,
        history: this.#history.lines,
        readOnly,
        ...(size && { size }),
        name,
        typist,
      }),
    );
  }

  /** More history comes only with a snapshot. */
  get #resumeFrom(): Stream["resumeFrom"] {
    return this.#history.missing ? undefined : this.#stream.resumeFrom;
  }

  #hear(message: HostMessage, connection: Connection): void {
    switch (message.kind) {
      case "welcome":
        this.#welcomed(message, connection);
        return;
      case "snapshot":
        this.#show(this.#stream.snapshot(message.at, message.bytes, message.last), connection);
        return;
      case "output":
        this.#show(this.#stream.output(message.at, message.bytes), connection);
        return;
      case "resized":
        this.#stream.resized(message.size);
        this.#live(message.owner, { size: message.size });
        return;
      case "viewers": {
        const owner = message.viewers.find((viewer) => viewer.ownsSize);
        this.#live(owner?.id, { viewers: message.viewers });
        return;
      }
      case "pong":
        connection.ponged(message.token);
        this.#ledger.confirm(message.token);
        this.#fetchHistory();
        return;
      case "refused":
        connection.refusal = message;
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

  #welcomed(
    { epoch, offset, size, viewer, typed }: HostMessage & { kind: "welcome" },
    connection: Connection,
  ): void {
    const resumed = this.#resumeFrom;
    const lastEpoch = this.#stream.resumeFrom?.epoch ?? epoch;
    this.#stream.welcome(epoch, size);
    connection.ackedThrough = resumed?.epoch === epoch ? resumed.since : offset;
    const { shown: before } = this.#phase;
    const earlier = before.kind === "live" ? before : undefined;
    const owner = connection.saidSize ? "me" : (earlier?.owner ?? "none");
    const viewers = earlier?.viewers ?? [];
    const shown: Live = { kind: "live", size, owner, me: viewer, viewers };
    this.#enter({ kind: "live", shown, connection, since: this.#now });
    this.#do({ kind: "ring", timer: "heartbeat", afterMs: HEARTBEAT_MS });

    const { doubtful, unsent } = this.#ledger.resume(epoch, typed);
    const kept = concat(unsent);
    if (kept.length > 0) this.#sendInput(connection, kept);
    if (before.kind !== "reconnecting") return;
    const afterMs = this.#now - before.since;
    const isNewHost = lastEpoch !== epoch;
    this.#notice({ kind: "reconnected", afterMs, sentBytes: kept.length, doubtful, isNewHost });
  }

  #show(shown: Shown, connection: Connection): void {
    switch (shown.kind) {
      case "snapshot":
        this.#history = { ...this.#history, missing: false };
        this.#do({
          kind: "snapshot",
          bytes: shown.bytes,
          size: shown.size,
          mark: { connection: connection.number, through: shown.through, snapshot: true },
        });
        return;
      case "output":
        this.#do({
          kind: "output",
          bytes: shown.bytes,
          mark: { connection: connection.number, through: shown.through, snapshot: false },
        });
        return;
      case "hole":
        this.#send(connection, encode.redraw());
        return;
      case "nothing":
        return;
    }
  }

  #acknowledge({ connection: number, through, snapshot }: Mark): void {
    if (this.#phase.kind !== "live" || this.#phase.connection.number !== number) return;
    const { connection } = this.#phase;
    const enough = through - connection.ackedThrough >= ACK_EVERY_BYTES;
    // A snapshot's own offset is said even if it is not news: the host sends no second one before.
    if (!enough && !snapshot) return;
    connection.ackedThrough = Math.max(connection.ackedThrough, through);
    this.#send(connection, encode.ack(connection.ackedThrough));
  }

  #type(bytes: Uint8Array): void {
    if (this.#options.readOnly || bytes.length === 0) return;
    if (this.#phase.kind === "live") {
      this.#saySize();
      this.#sendInput(this.#phase.connection, bytes);
    } else if (!this.#ledger.keep(bytes)) {
      this.#notice({ kind: "notKept", bytes: bytes.length });
    }
  }

  #sendInput(connection: Connection, bytes: Uint8Array): void {
    this.#ledger.send(bytes, ({ bytes, token }) => {
      const before = connection.givenBytes;
      this.#send(connection, encode.input(bytes));
      this.#sendPing(connection, token, SILENCE_MS);
      return before;
    });
  }

  /** A viewer in which the person acts has a say in the size from then on. */
  #saySize(): void {
    if (!this.#screen) return;
    this.#screen = { ...this.#screen, claims: true };
    if (this.#phase.kind !== "live" || this.#phase.connection.saidSize) return;
    this.#phase.connection.saidSize = true;
    this.#send(this.#phase.connection, encode.resize(this.#screen.size));
  }

  /**
   * More history comes only with another Attach. The connection is given up for it when nothing typed is on its way,
   * so that scrolling never puts the fate of a key in doubt.
   */
  #fetchHistory(): void {
    if (!this.#history.missing || this.#phase.kind !== "live" || !this.#ledger.settled) return;
    this.#leaveConnection();
    this.#do({ kind: "drop" });
    this.#connect(this.#phase.shown);
  }

  #doubt(): void {
    if (this.#phase.kind === "live") this.#ping(this.#phase.connection, DOUBTFUL_SILENCE_MS);
  }

  #ping(connection: Connection, silenceMs: number): void {
    this.#sendPing(connection, this.#ledger.nextToken(), silenceMs);
  }

  #sendPing(connection: Connection, token: number, silenceMs: number): void {
    const first = connection.answered;
    connection.pinged(token);
    this.#send(connection, encode.ping(token));
    if (first || silenceMs < SILENCE_MS) this.#do({ kind: "ring", timer: "silence", afterMs: silenceMs });
  }

  /** Something came: the connection lives. */
  #listen(): void {
    const phase = this.#phase;
    if (!isConnected(phase)) return;
    if (phase.kind === "live" && phase.connection.answered) this.#do({ kind: "hush", timer: "silence" });
    else this.#do({ kind: "ring", timer: "silence", afterMs: SILENCE_MS });
  }

  #rang(timer: Timer): void {
    const phase = this.#phase;
    switch (timer) {
      case "retry":
        if (phase.kind === "waiting") this.#connect(phase.shown);
        return;
      case "heartbeat":
        if (phase.kind !== "live") return;
        this.#ping(phase.connection, SILENCE_MS);
        this.#do({ kind: "ring", timer: "heartbeat", afterMs: HEARTBEAT_MS });
        return;
      case "silence":
        if (!isConnected(phase)) return;
        this.#do({ kind: "drop" });
        this.#broken("the server does not answer", 0, this.#heardAt);
        return;
    }
  }

  #closed(code: number, reason: string, unsentBytes: number): void {
    if (!isConnected(this.#phase)) return;
    const closed = closing(code, reason, this.#phase.connection.refusal);
    if (closed.kind === "broken") {
      this.#broken(closed.why, unsentBytes, this.#now);
      return;
    }
    if (closed.signedOut) this.#do({ kind: "signedOut" });
    this.#end({ kind: "refused", why: closed.why });
  }

  #broken(reason: string, unsentBytes: number, thereAt: number): void {
    const phase = this.#phase;
    if (!isConnected(phase)) return;
    if (phase.kind === "live" && this.#now - phase.since >= GOOD_AFTER_MS) this.#attempt = 0;
    this.#ledger.broke(phase.connection.givenBytes - unsentBytes);
    this.#leaveConnection();
    const since = phase.shown.kind === "reconnecting" ? phase.shown.since : thereAt;
    const attempt = this.#attempt;
    this.#enter({ kind: "waiting", shown: { kind: "reconnecting", since, attempt, reason } });
    this.#attempt += 1;
    this.#do({ kind: "ring", timer: "retry", afterMs: backoffMs(attempt, this.#options.random()) });
  }

  #leaveConnection(): void {
    // A viewer that owned the size takes it again. Any other, perhaps in a hidden tab, leaves it alone.
    const { shown } = this.#phase;
    if (shown.kind === "live" && this.#screen)
      this.#screen = { ...this.#screen, claims: shown.owner !== "other" };
    this.#do({ kind: "hush", timer: "silence" });
    this.#do({ kind: "hush", timer: "heartbeat" });
  }

  #end(shown: Ended): void {
    this.#leaveConnection();
    this.#do({ kind: "hush", timer: "retry" });
    this.#do({ kind: "drop" });
    this.#enter({ kind: "over", shown });
  }

  /** The host told whose the size is, and something more. */
  #live(ownerId: number | undefined, change: Partial<Pick<Live, "size" | "viewers">>): void {
    if (this.#phase.kind !== "live") return;
    const { shown } = this.#phase;
    const owner = ownerId === undefined ? "none" : ownerId === shown.me ? "me" : "other";
    this.#enter({ ...this.#phase, shown: { ...shown, ...change, owner } });
  }

  /** Tells the page about the state if it has changed. */
  #enter(phase: Phase): void {
    const before = this.#phase.shown;
    this.#phase = phase;
    if (phase.shown !== before) this.#do({ kind: "state", state: phase.shown });
  }

  #notice(notice: Notice): void {
    this.#do({ kind: "notice", notice });
  }

  #send(connection: Connection, message: Uint8Array<ArrayBuffer>): void {
    connection.givenBytes += message.length;
    this.#do({ kind: "send", message });
  }

  #do(effect: Effect): void {
    this.#effects.push(effect);
  }
}
