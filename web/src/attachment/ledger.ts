/**
 * The typed keys, and whether each has arrived.
 *
 * Three things can be true of a key when a connection breaks:
 *
 * 1. The host has it: a Ping follows each message of input, and its Pong comes once everything before it was handled.
 * 2. It never left: it was typed while there was no connection, or the browser still held it when the socket broke.
 * 3. It was on its way. It may have arrived, or died in some buffer with the server.
 *
 * The first is done with. The second is sent, once, after attaching again. For the third there are two cases. A host
 * that counts what each typist says tells in Welcome how much of it came: then the rest is sent, and nothing is lost
 * or doubled. With a host that does not, it is unknown: such keys are *not* sent again, since a doubled Enter can do
 * harm and a missing one is seen at once, and the person is told which they were. Those are at most the keys typed within
 * one round trip before the break, since input is never held back to wait for a Pong.
 */

import { concat } from "../protocol/bytes";

/** Keys kept while there is no connection. More than a person types; a paste beyond it is refused as a whole. */
export const MOST_KEPT_BYTES = 64 * 1024;

/** One message's worth. Small enough that a long paste does not hold up the answer to a key. */
const MOST_IN_A_MESSAGE = 16 * 1024;

interface Sent {
  readonly bytes: Uint8Array;
  /** How many bytes of this typist went before it, since the host began to count. */
  readonly from: number;
  /** The ping that follows it. */
  readonly token: number;
  /** How much had been given to the connection before it. */
  readonly wire: number;
}

export interface Parcel {
  readonly bytes: Uint8Array;
  readonly token: number;
}

export interface Resumption {
  /** Was on its way, and may or may not have arrived. */
  readonly doubtful: Uint8Array;
  /** Has certainly not arrived, in the order in which it was typed. */
  readonly unsent: readonly Uint8Array[];
}

export class Ledger {
  #sent: Sent[] = [];
  #kept: Uint8Array[] = [];
  #position = 0;
  #token = 0;
  /** The host's own count when ours was zero, if it counts. */
  #count: { readonly epoch: number; readonly base: number } | undefined;

  /** Whether the fate of everything sent is known. */
  get settled(): boolean {
    return this.#sent.length === 0;
  }

  get keptBytes(): number {
    return this.#kept.reduce((sum, bytes) => sum + bytes.length, 0);
  }

  /** Puts keys by until there is a connection; false if there is no room for them. */
  keep(bytes: Uint8Array): boolean {
    if (this.keptBytes + bytes.length > MOST_KEPT_BYTES) return false;
    this.#kept.push(bytes);
    return true;
  }

  /** A number for a ping, also for those that follow no input. */
  nextToken(): number {
    this.#token += 1;
    return this.#token;
  }

  /** Cuts typed bytes into messages. `send` gives one to the connection and returns how many bytes it had before. */
  send(bytes: Uint8Array, send: (parcel: Parcel) => number): void {
    for (let at = 0; at < bytes.length; at += MOST_IN_A_MESSAGE) {
      const part = bytes.subarray(at, at + MOST_IN_A_MESSAGE);
      const token = this.nextToken();
      const wire = send({ bytes: part, token });
      this.#sent.push({ bytes: part, from: this.#position, token, wire });
      this.#position += part.length;
    }
  }

  /** Everything before this ping was handled. */
  confirm(token: number): void {
    this.#sent = this.#sent.filter((each) => each.token > token);
  }

  /** The connection broke, and the bytes from `left` on never left the browser. */
  broke(left: number): void {
    // The fate of keys on an earlier connection stays unknown, however this one went.
    const isUnsent = ({ wire }: Sent) => wire >= Math.max(0, left);
    const unsent = this.#sent.filter(isUnsent);
    // The next connection counts anew, and must not be taken for this one.
    this.#sent = this.#sent.filter((each) => !isUnsent(each)).map((each) => ({ ...each, wire: -1 }));
    this.#position -= unsent.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.#kept.unshift(...unsent.map(({ bytes }) => bytes));
  }

  /** There is a connection again: settles what became of everything. */
  resume(epoch: number, typed: number | undefined): Resumption {
    const arrived = this.#arrived(epoch, typed);
    const flying = this.#sent;
    const kept = this.#kept;
    this.#sent = [];
    this.#kept = [];
    this.#position = 0;
    this.#count = typed === undefined ? undefined : { epoch, base: typed };
    if (arrived === undefined) return { doubtful: concat(flying.map(({ bytes }) => bytes)), unsent: kept };
    const missing = flying
      .map(({ bytes, from }) => bytes.subarray(Math.max(0, arrived - from)))
      .filter((bytes) => bytes.length > 0);
    return { doubtful: new Uint8Array(0), unsent: [...missing, ...kept] };
  }

  /** How many bytes since the last Welcome the host has, if that can be known. */
  #arrived(epoch: number, typed: number | undefined): number | undefined {
    if (typed === undefined || this.#count?.epoch !== epoch) return undefined;
    const arrived = typed - this.#count.base;
    const confirmed = this.#sent[0]?.from ?? this.#position;
    // A count that says less than was confirmed, or more than was sent, is of something else.
    return arrived >= confirmed && arrived <= this.#position ? arrived : undefined;
  }
}
