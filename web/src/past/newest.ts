/** How an asked-for thing turned out. */
export interface Answers<K, V> {
  shown(key: K, value: V): void;
  failed(key: K, error: unknown): void;
}

export interface NewestOptions<K, V> {
  /** Loads a thing. The signal aborts when no caller waits for it any more. */
  load(key: K, signal: AbortSignal): Promise<V>;
  nameOf(key: K): string;
  answers: Answers<K, V>;
  /** How many answers are kept, the least recently used thrown away first. */
  most: number;
  /** An answer that takes longer is given up for a newer wish. */
  patienceMs: number;
}

/** One question that is on its way. */
interface Going<K> {
  key: K;
  control: AbortController;
}

/**
 * Loads the thing that was requested last, one at a time: while one is on its way, all but the newest wish are
 * forgotten. So a hand that drags asks no faster than answers come, sees them as it goes, and always ends at the right
 * one.
 */
export class Newest<K, V> {
  readonly #options: NewestOptions<K, V>;
  #kept = new Map<string, V>();
  #going: Going<K> | undefined;
  #next: K | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: NewestOptions<K, V>) {
    this.#options = options;
  }

  /** Wants this, and nothing that was wanted before. */
  want(key: K): void {
    if (this.#isClosed) return;
    const kept = this.#find(key);
    if (kept !== undefined) {
      this.#giveUp();
      this.#options.answers.shown(key, kept);
    } else if (this.#going === undefined) {
      void this.#ask(key);
    } else {
      this.#next = key;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#giveUp();
  }

  async #ask(key: K): Promise<void> {
    const going = { key, control: new AbortController() };
    this.#going = going;
    this.#patience = setTimeout(() => this.#hurry(going), this.#options.patienceMs);
    try {
      const value = await this.#options.load(key, going.control.signal);
      this.#keep(key, value);
      if (this.#going === going) this.#options.answers.shown(key, value);
    } catch (error) {
      if (this.#going === going && this.#next === undefined) this.#options.answers.failed(key, error);
    }
    if (this.#going === going) this.#goOn();
  }

  /** A caller that waits for something newer does not wait for this any longer. */
  #hurry(going: Going<K>): void {
    if (this.#going !== going) return;
    if (this.#next === undefined) {
      this.#patience = setTimeout(() => this.#hurry(going), this.#options.patienceMs / 4);
      return;
    }
    going.control.abort();
    this.#goOn();
  }

  #goOn(): void {
    clearTimeout(this.#patience);
    this.#going = undefined;
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) this.want(next);
  }

  #giveUp(): void {
    clearTimeout(this.#patience);
    this.#going?.control.abort();
    this.#going = undefined;
    this.#next = undefined;
  }

  #find(key: K): V | undefined {
    const name = this.#options.nameOf(key);
    const value = this.#kept.get(name);
    if (value === undefined) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, value);
    return value;
  }

  #keep(key: K, value: V): void {
    this.#kept.set(this.#options.nameOf(key), value);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > this.#options.most && !oldest.done) this.#kept.delete(oldest.value);
  }
}
