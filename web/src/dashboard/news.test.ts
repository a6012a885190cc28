import { expect, test } from "vitest";
import { NewsDesk } from "./news";
import { waiting, worker } from "./testing";

const agent = worker("a", "s", { type: "agent", name: "Claude" } as object);
const tests = worker("t", "s", { name: "Tests" });
const ended = worker("t", "s", { name: "Tests", state: { kind: "exited", exitCode: 3 } });
const asks = waiting("q1", "a", { words: "May I?" });

test("the state at the first look is no news", () => {
  expect(new NewsDesk().take([agent, ended], [asks])).toEqual([]);
});

test("a question is news once, also when the page was away meanwhile; the same question again is another one", () => {
  const desk = new NewsDesk();
  desk.take([agent], []);
  expect(desk.take([agent], [asks])).toMatchObject([{ says: "asks", text: "May I?", item: { id: "q1" } }]);
  expect(desk.take([agent], [asks])).toEqual([]);
  expect(desk.take([agent], [{ ...asks, read: true }])).toEqual([]);
  expect(desk.take([agent], [waiting("q2", "a")])).toHaveLength(1);
});

test("a turn that ends is news", () => {
  const desk = new NewsDesk();
  desk.take([agent], []);
  const done = waiting("f1", "a", { reason: "finished", words: "All tests pass." });
  expect(desk.take([agent], [done])).toMatchObject([{ says: "has finished", text: "All tests pass." }]);
});

test("the program of a terminal that ends is news; one that was removed is not", () => {
  const desk = new NewsDesk();
  desk.take([tests, agent], []);
  expect(desk.take([ended], [])).toMatchObject([{ says: "has ended", text: "exited 3" }]);
  expect(desk.take([ended], [])).toEqual([]);
});

test("a worker that came and ended while the page was away is no news", () => {
  const desk = new NewsDesk();
  desk.take([], []);
  expect(desk.take([ended], [])).toEqual([]);
});
