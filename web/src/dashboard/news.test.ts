import { expect, test } from "vitest";
import { NewsDesk } from "./news";
import { worker } from "./testing";

const agent = (activity: "active" | "asking", asking?: string) =>
  worker("a", "s", { name: "Claude", activity, ...(asking === undefined ? {} : { asking }) });
const ended = worker("t", "s", { name: "Tests", state: { kind: "exited", exitCode: 3 } });

test("the state at the first look is no news", () => {
  expect(new NewsDesk().take([agent("asking"), ended])).toEqual([]);
});

test("an agent that begins to ask is news once, with its question", () => {
  const desk = new NewsDesk();
  desk.take([agent("active")]);
  const [news, ...others] = desk.take([agent("asking", "May I?")]);
  expect(news).toMatchObject({ kind: "asking", title: "Claude asks", text: "May I?" });
  expect(others).toEqual([]);
  expect(desk.take([agent("asking", "May I?")])).toEqual([]);
  desk.take([agent("active")]);
  expect(desk.take([agent("asking")])).toHaveLength(1);
});

test("a worker that ends is news, one that was removed is not", () => {
  const desk = new NewsDesk();
  desk.take([worker("t", "s", { name: "Tests" }), agent("active")]);
  expect(desk.take([ended])).toMatchObject([{ kind: "ended", title: "Tests ended", text: "exited 3" }]);
});

test("a worker that came and ended while the page was away is no news", () => {
  const desk = new NewsDesk();
  desk.take([]);
  expect(desk.take([ended])).toEqual([]);
});
