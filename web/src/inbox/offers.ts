import type { Answer, Question } from "../api/client";

/** An answer that a person can give with one press. */
export interface Offer {
  readonly answer: Answer;
  /** The same in other words, if the dialog has no numbers. */
  readonly meaning: "yes" | "always" | "no" | undefined;
  /** The program's own words for it; in short places ours. */
  readonly title: string;
  /** Its place among the choices, from 1 on. */
  readonly number: number;
}

// The server reads choices by the same words.
const YES = /^(yes|allow|approve|accept|trust|proceed|ok|okay|continue|run)\b/i;
const ALWAYS =
  /\balways\b|\bdon['’]t ask\b|\bfor (this|the) (session|conversation)\b|\bduring this session\b/i;
const NO = /^(no|deny|reject|decline|cancel|don['’]t|do not|stop|exit|quit)\b/i;

/** Everything that can be answered, in the order of the screen. Without choices there is nothing to press. */
export function offers(question: Question): Offer[] {
  const { choices } = question;
  const first = {
    yes: choices.findIndex((choice) => YES.test(choice) && !ALWAYS.test(choice)),
    always: choices.findIndex((choice) => ALWAYS.test(choice)),
    no: choices.findIndex((choice) => NO.test(choice)),
  };
  const meaning = (at: number): Offer["meaning"] => {
    if (at === first.yes) return "yes";
    if (at === first.always) return "always";
    return at === first.no ? "no" : undefined;
  };
  return choices.map((title, at) => ({
    answer: { reply: "choose", choice: at + 1 },
    meaning: meaning(at),
    title,
    number: at + 1,
  }));
}

/** What fits into a row: yes, always and no in one word each; nothing if the question is another one. */
export function shortOffers(question: Question): Offer[] {
  const short = { yes: "Approve", always: "Always", no: "Deny" } as const;
  const all = offers(question);
  if (!all.some(({ meaning }) => meaning === "yes")) return [];
  return all.flatMap((offer) => (offer.meaning ? [{ ...offer, title: short[offer.meaning] }] : []));
}
