import { expect, test } from "vitest";
import { clockTime } from "../shell/times";
import { numbered, workerTag } from "./names";
import { session, worker } from "./testing";

test("sessions without a title in one place are told apart by numbers and times, in the order they came", () => {
  const at = (id: string, second: number, more = {}) =>
    session(id, [], { locationPath: "/home/me", createdAt: `2026-11-16T15:54:0${second}Z`, ...more });
  const all = [
    at("c", 3),
    at("a", 1),
    at("named", 0, { title: "mine" }),
    at("b", 2),
    session("elsewhere", []),
  ];
  const since = `(since ${clockTime("2026-11-16T15:54:00Z")})`;
  const names = all.map((each) => numbered("me", each, all));
  expect(names).toEqual([`me 3 ${since}`, "me", "me", `me 2 ${since}`, "me"]);
  expect(numbered("me", at("gone", 9), all)).toBe("me");
});

test("two workers of a session are never told apart by a number alone", () => {
  const [one, two, other] = [
    worker("a", "s", { name: "Claude Code" }),
    worker("b", "s", { name: "Claude Code 2", title: "✳ Fix the login" }),
    worker("c", "s", { name: "Terminal 1" }),
  ] as const;
  const since = `since ${clockTime("2026-11-16T15:54:55Z")}`;
  expect([one, two, other].map((each) => workerTag(each, [one, two, other]))).toEqual([
    `Claude Code, ${since}`,
    "Claude Code 2, Fix the login",
    "Terminal 1",
  ]);
});
