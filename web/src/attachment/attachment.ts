/** A tab's attachment to one worker: the [machine](./machine.ts) with a socket, a clock and a screen. */

import { signedOut } from "../api/device";
import { onDoubt } from "../api/doubt";
import { ProvedSocket } from "../api/proved-socket";
import { decodeHostMessage, type Size } from "../protocol/messages";
import type { Effect, Event, Mark, Notice, Timer } from "./events";
import { Machine } from "./machine";
import type { AttachmentState } from "./state";

export type { Notice } from "./events";
export type { AttachmentState } from "./state";

/** Where a worker's terminal is shown. Both are told in order; `shown` is called once the bytes are on the screen. */
export interface Sink {
  /** The whole terminal anew, at this size. */
  snapshot(bytes: Uint8Array, size: Size, shown: () => void): void;
  /** Output since then. */
  output(bytes: Uint8Array, shown: () => void): void;
}

export interface AttachmentOptions {
  readonly workerId: string;
  /** What this viewer is called in the list of viewers. */
  readonly name: string;
  readonly readOnly?: boolean;
  /** How large the screen is. One that says so and may type takes the size. */
  readonly size?: Size;
  readonly history: number;
  readonly sink: Sink;
  onState(state: AttachmentState): void;
  onNotice?(notice: Notice): void;
}

export class Attachment {
  readonly #options: AttachmentOptions;
  readonly #machine: Machine;
  readonly #timers = new Map<Timer, ReturnType<typeof setTimeout>>();
  readonly #listening = new AbortController();
  #socket: ProvedSocket | undefined;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    this.#machine = new Machine({
      name: options.name,
      readOnly: options.readOnly ?? false,
      history: options.history,
      size: options.size,
      typist: Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(""),
      random: Math.random,
    });
  }

  get state(): AttachmentState {
    return this.#machine.state;
  }

  start(): void {
    const { signal } = this.#listening;
    const woke = () => {
      if (document.visibilityState === "visible") this.#handle({ kind: "woke" });
    };
    document.addEventListener("visibilitychange", woke, { signal });
    window.addEventListener("online", woke, { signal });
    signal.addEventListener(
      "abort",
      onDoubt(() => this.#handle({ kind: "doubted" })),
    );
    this.#handle({ kind: "start" });
  }

  input(bytes: Uint8Array): void {
    this.#handle({ kind: "typed", bytes });
  }

  /** The screen has this size now. */
  resize(size: Size): void {
    this.#handle({ kind: "fitted", size });
  }

  /** The terminal shall have this screen's size. */
  takeOver(): void {
    this.#handle({ kind: "tookOver" });
  }

  redraw(): void {
    this.#handle({ kind: "redraw" });
  }

  /** Asks the host to send the screen once more, with so many lines of history. */
  loadHistory(lines: number): void {
    this.#handle({ kind: "historyWanted", lines });
  }

  /** Detaches. The worker does not notice. */
  close(): void {
    this.#handle({ kind: "close" });
    this.#listening.abort();
  }

  #handle(event: Event): void {
    for (const effect of this.#machine.handle(event, Date.now())) this.#do(effect);
  }

  #do(effect: Effect): void {
    switch (effect.kind) {
      case "open":
        this.#open();
        return;
      case "drop":
        this.#drop();
        return;
      case "send":
        // What a closing socket is given stays in its `bufferedAmount`, so that it is known not to have left.
        this.#socket?.send(effect.message);
        return;
      case "snapshot":
        this.#options.sink.snapshot(effect.bytes, effect.size, this.#shown(effect.mark));
        return;
      case "output":
        this.#options.sink.output(effect.bytes, this.#shown(effect.mark));
        return;
      case "ring":
        this.#hush(effect.timer);
        this.#timers.set(
          effect.timer,
          setTimeout(() => this.#handle({ kind: "rang", timer: effect.timer }), effect.afterMs),
        );
        return;
      case "hush":
        this.#hush(effect.timer);
        return;
      case "state":
        this.#options.onState(effect.state);
        return;
      case "notice":
        this.#options.onNotice?.(effect.notice);
        return;
      case "signedOut":
        signedOut();
        return;
    }
  }

  #open(): void {
    const socket = new ProvedSocket(`/api/workers/${this.#options.workerId}/attach`);
    this.#socket = socket;
    // One that was dropped has nothing more to say.
    const current = () => this.#socket === socket;
    socket.onopen = () => {
      if (current()) this.#handle({ kind: "opened" });
    };
    socket.onmessage = ({ data }) => {
      if (!current() || !(data instanceof ArrayBuffer)) return;
      let event: Event;
      try {
        event = { kind: "message", message: decodeHostMessage(new Uint8Array(data)) };
      } catch (error) {
        event = { kind: "garbled", why: error instanceof Error ? error.message : String(error) };
      }
      this.#handle(event);
    };
    socket.onclose = ({ code, reason }) => {
      if (!current()) return;
      this.#socket = undefined;
      this.#handle({ kind: "broke", code, reason, unsentBytes: socket.bufferedAmount });
    };
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #shown(mark: Mark): () => void {
    return () => this.#handle({ kind: "shown", mark });
  }

  #hush(timer: Timer): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.delete(timer);
  }
}
