import { expect, test } from "vitest";
import { clockTime, dayTime } from "../shell/times";
import { fullName, numbered, ownBranch, workerTag, workerTitle } from "./names";
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

test("a branch is told only if it says more than the title that it was made from", () => {
  const on = (branch: string, title: string) =>
    ownBranch(session("s", [], { type: "worktree", repositoryId: "r", worktreeId: "w", branch, title }));
  expect(on("abide/fix-the-login", "Fix the login!")).toBeUndefined();
  expect(on("abide/fix-the", "Fix the login of people who …")).toBeUndefined();
  expect(on("fix/prices", "Round the prices")).toBe("fix/prices");
  expect(on("main", "main")).toBeUndefined();
  expect(ownBranch(session("quick", []))).toBeUndefined();
});

test("a worker of a closed session is told from others of its name by its day", () => {
  const closed = worker("gone", "closed", { name: "Claude Code" });
  const title = `Claude Code of ${dayTime("2026-11-16T15:54:55Z")}`;
  expect([workerTitle(closed), fullName(closed)]).toEqual([title, title]);
});
