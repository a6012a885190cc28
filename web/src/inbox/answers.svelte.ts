import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { type Answer, ApiProblem, api, inWords, type Question } from "../api/client";
import { dashboard } from "../dashboard/dashboard.svelte";
import { workerTitle } from "../dashboard/names";
import { toast } from "../shell/toasts.svelte";
import { type Entry, inbox } from "./inbox.svelte";
import type { Offer } from "./offers";

/** How far an answer to a worker has got. */
export type Giving =
  /** It is under way, or was given to this entry and the entry has not left yet. */
  | { kind: "underway"; item: string }
  /** Nothing was typed, because the worker asks something else by now. */
  | { kind: "changed"; at: number }
  | { kind: "failed"; item: string; text: string };

/** As long as it takes to notice that another question stands where one was about to press. */
const SETTLES_MS = 400;

/** Answers to questions, each given once, wherever in the page the person gives it. */
class Answers {
  readonly #givings = new SvelteMap<string, Giving>();
  /** The questions that have just come to be shown in the place of others, by their ids. */
  readonly #settling = new SvelteSet<string>();

  of(workerId: string): Giving | undefined {
    return this.#givings.get(workerId);
  }

  /** Whether an answer to the entry is under way. */
  isUnderway({ item, worker }: Entry): boolean {
    const giving = this.#givings.get(worker.id);
    return giving?.kind === "underway" && giving.item === item.id;
  }

  /** A question came to be shown in the place of another one. */
  replaced(question: string): void {
    if (this.#settling.has(question)) return;
    this.#settling.add(question);
    setTimeout(() => this.#settling.delete(question), SETTLES_MS);
  }

  /** Whether a press may still be meant for the question that stood there before. Wherever it is shown, it is not answered. */
  isSettling(question: string): boolean {
    return this.#settling.has(question);
  }

  offer(entry: Entry, question: Question, { answer, meaning }: Offer): Promise<boolean> {
    if (this.isSettling(question.id)) return Promise.resolve(false);
    return this.#give(entry, question, async (post) => {
      try {
        await post(answer);
      } catch (thrown) {
        // Some dialogs have no numbers. Nothing was typed, and the server knows the key that means this.
        const isUnknown = thrown instanceof ApiProblem && thrown.code === "cannot-answer";
        if (!isUnknown || meaning === undefined || answer.reply !== "choose") throw thrown;
        await post({ reply: meaning });
      }
    });
  }

  words(entry: Entry, question: Question, words: string): Promise<boolean> {
    return this.#give(entry, question, (post) => post({ reply: "words", words }));
  }

  async #give(
    entry: Entry,
    question: Question,
    doing: (post: (answer: Answer) => Promise<void>) => Promise<void>,
  ): Promise<boolean> {
    const { item, worker } = entry;
    if (this.isUnderway(entry)) return false;
    // The entry tells the server which question is meant: it must be the one that is shown.
    if (item.questionId !== question.id) {
      this.#change(worker.id);
      return false;
    }
    this.#givings.set(worker.id, { kind: "underway", item: item.id });
    try {
      await doing((answer) => api.post(`/api/inbox/${item.id}/answer`, answer));
      return true;
    } catch (thrown) {
      const code = thrown instanceof ApiProblem ? thrown.code : undefined;
      if (code === "question-changed" || code === "not-found" || code === "wrong-state") {
        this.#change(worker.id);
      } else {
        this.#givings.set(worker.id, { kind: "failed", item: item.id, text: inWords(thrown) });
        if (inbox.of(worker.id) === undefined) toast({ kind: "error", text: inWords(thrown) });
      }
      return false;
    }
  }

  #change(workerId: string): void {
    this.#givings.set(workerId, { kind: "changed", at: Date.now() });
    const worker = dashboard.worker(workerId);
    if (worker && inbox.of(workerId)?.item.reason !== "asking") {
      const text = `${workerTitle(worker)} does not ask that any more. Nothing was typed.`;
      toast({ kind: "info", text });
    }
  }
}

export const answers = new Answers();
