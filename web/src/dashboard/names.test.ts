import { expect, test } from "vitest";
import { numbered } from "./names";
import { session } from "./testing";

test("sessions without a title in one place are told apart by numbers, in the order they came", () => {
  const at = (id: string, second: number, more = {}) =>
    session(id, [], { locationPath: "/home/me", createdAt: `2026-11-16T15:54:0${second}Z`, ...more });
  const all = [
    at("c", 3),
    at("a", 1),
    at("named", 0, { title: "mine" }),
    at("b", 2),
    session("elsewhere", []),
  ];
  const names = all.map((each) => numbered("me", each, all));
  expect(names).toEqual(["me 3", "me", "me", "me 2", "me"]);
  expect(numbered("me", at("gone", 9), all)).toBe("me");
});
