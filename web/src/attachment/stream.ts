/**
 * What of a host's stream may be shown: snapshots whole, output without holes.
 *
 * A snapshot is gathered until it is complete, and with it the size it is for. So the screen that a person looks at
 * stays until there is a better one, and a snapshot that is cut short has changed nothing.
 */

import { concat } from "../protocol/bytes";
import type { Size } from "../protocol/messages";

export type Shown =
  | { readonly kind: "snapshot"; readonly bytes: Uint8Array; readonly size: Size; readonly through: number }
  | { readonly kind: "output"; readonly bytes: Uint8Array; readonly through: number }
  /** Not yet, or no longer. */
  | { readonly kind: "nothing" }
  /** Something is missing: nothing can be shown before there is a snapshot. */
  | { readonly kind: "hole" };

const NOTHING: Shown = { kind: "nothing" };

export class Stream {
  /** What the screen has: everything before `offset` of that epoch, at that size. */
  #have: { readonly epoch: number; readonly offset: number; readonly size: Size } | undefined;
  #epoch = 0;
  /** The size of the snapshot that comes next. */
  #size: Size = { cols: 80, rows: 24 };
  /** The parts of a snapshot that have come. */
  #gathered: { readonly at: number; readonly parts: Uint8Array[] } | undefined;
  /** Whether output is left out until there is a whole snapshot. */
  #waiting = false;

  /** Where the host can resume, if the screen is complete up to there. */
  get resumeFrom(): { readonly epoch: number; readonly since: number } | undefined {
    const have = this.#have;
    if (!have || have.size.cols !== this.#size.cols || have.size.rows !== this.#size.rows) return undefined;
    return { epoch: have.epoch, since: have.offset };
  }

  /** Whether there has been anything to see. */
  get seen(): boolean {
    return this.#have !== undefined;
  }

  /** A host welcomed us. The missed output comes next, or a snapshot. */
  welcome(epoch: number, size: Size): void {
    if (this.#have?.epoch !== epoch) this.#have = undefined;
    this.#epoch = epoch;
    this.#size = size;
    this.#gathered = undefined;
    this.#waiting = false;
  }

  /** The terminal has another size: of a snapshot that is on its way, the rest does not come. */
  resized(size: Size): void {
    this.#size = size;
    this.#gathered = undefined;
  }

  snapshot(at: number, bytes: Uint8Array, last: boolean): Shown {
    const parts = this.#gathered?.at === at ? this.#gathered.parts : [];
    parts.push(bytes);
    this.#gathered = { at, parts };
    if (!last) return NOTHING;
    const whole = concat(parts);
    this.#gathered = undefined;
    this.#waiting = false;
    // It may be of a later offset than all that came before: we were too slow, and it replaces the output that the host left out.
    this.#have = { epoch: this.#epoch, offset: at, size: this.#size };
    return { kind: "snapshot", bytes: whole, size: this.#size, through: at };
  }

  output(at: number, bytes: Uint8Array): Shown {
    if (this.#waiting) return NOTHING;
    if (this.#have?.offset !== at || this.#gathered) {
      this.#gathered = undefined;
      this.#waiting = true;
      return { kind: "hole" };
    }
    const through = at + bytes.length;
    this.#have = { ...this.#have, offset: through };
    return bytes.length > 0 ? { kind: "output", bytes, through } : NOTHING;
  }
}
