/** The kitty keyboard flags in force and those that wait beneath them. Each screen has its own; the host has the same. */

/** Programs push one level each; deeper stacks lose the oldest. */
const MOST_LEVELS = 33;

export class KeyboardStack {
  #levels: number[] = [0];

  get flags(): number {
    return this.#levels.at(-1) ?? 0;
  }

  push(flags: number): void {
    this.#levels.push(flags);
    if (this.#levels.length > MOST_LEVELS) this.#levels.splice(1, 1);
  }

  /** Popping more than there is puts the lowest level back to nothing. */
  pop(count: number): void {
    const pushed = this.#levels.length - 1;
    this.#levels.length = 1 + Math.max(0, pushed - count);
    if (count > pushed) this.#levels[0] = 0;
  }

  /** Changes the level in force: 1 replaces, 2 adds, 3 takes away. */
  set(flags: number, how: number): void {
    const now = this.flags;
    this.#levels[this.#levels.length - 1] = how === 2 ? now | flags : how === 3 ? now & ~flags : flags;
  }

  reset(): void {
    this.#levels = [0];
  }
}
