/** How an asked-for thing turned out. */
export interface Answers<K, V> {
  shown(key: K, value: V): void;
  failed(key: K, error: unknown): void;
}

/**
 * Loads whatever was asked for last, one thing at a time: while one is on its way, all but the newest wish are
 * forgotten. So a hand that drags asks no faster than answers come, and always ends at the right one. Answers are
 * kept, the least recently used thrown away first.
 */
export class Newest<K, V> {
  #kept = new Map<string, V>();
  #loading: K | undefined;
  #next: K | undefined;
  #isClosed = false;

  constructor(
    private readonly load: (key: K) => Promise<V>,
    private readonly nameOf: (key: K) => string,
    private readonly answers: Answers<K, V>,
    private readonly most: number,
  ) {}

  /** Wants this, and nothing that was wanted before. */
  want(key: K): void {
    if (this.#isClosed) return;
    const kept = this.kept(key);
    if (kept !== undefined) {
      this.#next = undefined;
      this.answers.shown(key, kept);
    } else if (this.#loading === undefined) {
      void this.#run(key);
    } else {
      this.#next = key;
    }
  }

  /** What is there already. */
  kept(key: K): V | undefined {
    const name = this.nameOf(key);
    const value = this.#kept.get(name);
    if (value !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, value);
    }
    return value;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#next = undefined;
  }

  async #run(key: K): Promise<void> {
    this.#loading = key;
    try {
      const value = await this.load(key);
      this.#keep(key, value);
      if (!this.#isClosed) this.answers.shown(key, value);
    } catch (error) {
      if (!this.#isClosed && this.#next === undefined) this.answers.failed(key, error);
    } finally {
      this.#loading = undefined;
      const next = this.#next;
      this.#next = undefined;
      if (next !== undefined) this.want(next);
    }
  }

  #keep(key: K, value: V): void {
    this.#kept.set(this.nameOf(key), value);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > this.most && !oldest.done) this.#kept.delete(oldest.value);
  }
}
