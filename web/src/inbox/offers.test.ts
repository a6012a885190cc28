import { expect, test } from "vitest";
import type { Question } from "../api/client";
import { offers, shortOffers } from "./offers";

const asks = (choices: string[], more: Partial<Question> = {}): Question => ({
  id: "q",
  text: "Do you want to proceed?",
  detail: [],
  choices,
  takesWords: false,
  ...more,
});

test("each choice is an offer with its number and in the program's words", () => {
  const all = offers(asks(["Yes", "Yes, and don’t ask again", "No, tell it what to do"]));
  expect(all.map(({ number, title, meaning }) => [number, title, meaning])).toEqual([
    [1, "Yes", "yes"],
    [2, "Yes, and don’t ask again", "always"],
    [3, "No, tell it what to do", "no"],
  ]);
  expect(all[1]?.answer).toEqual({ reply: "choose", choice: 2 });
});

test("only the first choice that means yes stands for yes, as in the server", () => {
  const all = offers(asks(["Always allow", "Allow once", "Allow in src", "Reject"]));
  expect(all.map(({ meaning }) => meaning)).toEqual(["always", "yes", undefined, "no"]);
});

test("a row has room for approve, always and deny; a question with other choices has none of them", () => {
  const all = shortOffers(asks(["Yes", "No"]));
  expect(all.map(({ title }) => title)).toEqual(["Approve", "Deny"]);
  expect(shortOffers(asks(["Postgres", "SQLite", "No idea"], { kind: "question" }))).toEqual([]);
});

test("a question without choices has nothing to press", () => {
  expect(offers(asks([], { kind: "permission" }))).toEqual([]);
});
