import { api, inWords, type SearchHit, type SearchReply } from "../api/client";
import { isWorthAsking, parameters, type Query } from "./query";

/** How a search stands. */
export type Found =
  | { kind: "nothing asked" }
  | { kind: "searching"; since: number }
  | { kind: "failed"; why: string }
  | {
      kind: "found";
      hits: SearchHit[];
      next: string | undefined;
      complete: boolean;
      damaged: string[];
      isMore: boolean;
    };

const PAGE = 60;

/** Runs one search at a time; the answer to an older question is not shown. */
export class Search {
  found = $state.raw<Found>({ kind: "nothing asked" });
  #number = 0;
  #query: Query | undefined;

  async ask(query: Query): Promise<void> {
    this.#number += 1;
    const number = this.#number;
    this.#query = query;
    if (!isWorthAsking(query)) {
      this.found = { kind: "nothing asked" };
      return;
    }
    if (this.found.kind !== "found") this.found = { kind: "searching", since: Date.now() };
    else this.found = { ...this.found, isMore: true };
    await this.#page(query, number, undefined, []);
  }

  /** Gets the next page, of older lines. */
  async more(): Promise<void> {
    const { found } = this;
    if (found.kind !== "found" || found.isMore || found.next === undefined || this.#query === undefined)
      return;
    this.found = { ...found, isMore: true };
    await this.#page(this.#query, this.#number, found.next, found.hits);
  }

  async #page(query: Query, number: number, before: string | undefined, hits: SearchHit[]): Promise<void> {
    try {
      const asked = { ...parameters(query, Date.now()), context: 1, limit: PAGE, before };
      const reply = await api.get<SearchReply>("/api/search", asked);
      if (number !== this.#number) return;
      this.found = {
        kind: "found",
        hits: [...hits, ...reply.hits],
        next: reply.next ?? undefined,
        complete: reply.complete,
        damaged: reply.damaged,
        isMore: false,
      };
    } catch (thrown) {
      if (number === this.#number) this.found = { kind: "failed", why: inWords(thrown) };
    }
  }
}
