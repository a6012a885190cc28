import { SvelteMap } from "svelte/reactivity";
import { api, type RecordedScreen, type Schemas } from "../api/client";
import { lastLine } from "./last-line";

/** Often enough to follow by eye, seldom enough to cost nothing. */
const LOOK_MS = 3_000;
/** How many screens are asked for at a time. */
const AT_ONCE = 2;

/** A recording that cannot be read at first may not have been begun; later than this there is none. */
const MOST_FAILURES = 3;

interface Watched {
  /** How much it had printed when its screen was last asked for. */
  printed: number | undefined;
  failures: number;
}

/**
 * The last lines of the workers whose rows are in sight, while the page is. One cheap question tells which of them
 * printed anything since; only of those is the screen asked for.
 */
class LastLines {
  readonly #lines = new SvelteMap<string, string>();
  readonly #watched = new Map<string, Watched>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking = false;

  /** Empty for one that printed nothing; undefined until the page has looked. */
  of(workerId: string): string | undefined {
    return this.#lines.get(workerId);
  }

  /** For as long as the row is in sight. */
  watch(workerId: string): () => void {
    const watched: Watched = { printed: undefined, failures: 0 };
    this.#watched.set(workerId, watched);
    this.#soon(150);
    return () => {
      if (this.#watched.get(workerId) === watched) this.#watched.delete(workerId);
    };
  }

  /** Rows come into sight together: they are looked at together. */
  #soon(ms: number): void {
    if (this.#looking) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  async #look(): Promise<void> {
    if (this.#watched.size === 0) return;
    this.#looking = true;
    if (!document.hidden) await this.#ask().catch(() => undefined);
    this.#looking = false;
    this.#soon(LOOK_MS);
  }

  async #ask(): Promise<void> {
    const stats = await api.get<Schemas["PtyStat"][]>("/api/pty-stats");
    const printed = new Map(stats.map((each) => [each.workerId, each.outputBytes]));
    // Of one that has ended there are no numbers; it is looked at once.
    const news = [...this.#watched].filter(([id, { printed: had }]) => had !== (printed.get(id) ?? -1));
    for (let at = 0; at < news.length; at += AT_ONCE) {
      await Promise.all(news.slice(at, at + AT_ONCE).map(([id]) => this.#read(id, printed.get(id) ?? -1)));
    }
  }

  async #read(id: string, printed: number): Promise<void> {
    const watched = this.#watched.get(id);
    if (watched === undefined) return;
    watched.printed = printed;
    const screen = await api
      .get<RecordedScreen>(`/api/workers/${id}/recording/screen`)
      .catch(() => undefined);
    if (screen) {
      this.#lines.set(id, lastLine(screen.text) ?? "");
      return;
    }
    watched.failures += 1;
    if (watched.failures < MOST_FAILURES) watched.printed = undefined;
  }
}

export const lastLines = new LastLines();
