import { expect, test } from "vitest";
import { repository, session, waiting, worker } from "../dashboard/testing";
import { counts, ELSEWHERE, type Filters, isFiltering, listed, passes, TERMINAL } from "./filters";

const repositories = [repository("r1", "/c/shop"), repository("r2", "/c/infra")];
const shop = session("s1", [], { locationPath: "/c/shop" });
const infra = session("s2", [], { locationPath: "/c/infra/deep" });
const home = session("s3", []);
const agent = { type: "agent", agentId: "claude" } as const;

const all = [
  listed(worker("a", "s1", { ...agent, activity: "asking" }), shop, repositories, waiting("1", "a")),
  listed(worker("b", "s1", { ...agent, activity: "active" }), shop, repositories, undefined),
  listed(worker("c", "s2", { runsAgent: "codex", activity: "active" }), infra, repositories, undefined),
  listed(worker("d", "s3"), home, repositories, undefined),
];

const shown = (filters: Filters) => all.flatMap((each, at) => (passes(each, filters) ? ["abcd"[at]] : []));

test("workers are shown by repository, state and agent; all filters apply together", () => {
  expect(shown({})).toEqual(["a", "b", "c", "d"]);
  expect(shown({ repository: "r1" })).toEqual(["a", "b"]);
  expect(shown({ repository: ELSEWHERE })).toEqual(["d"]);
  expect(shown({ need: "works" })).toEqual(["b", "c"]);
  expect(shown({ agent: "codex" })).toEqual(["c"]);
  expect(shown({ agent: TERMINAL })).toEqual(["d"]);
  expect(shown({ repository: "r1", need: "works", agent: "claude" })).toEqual(["b"]);
  expect([isFiltering({}), isFiltering({ need: "works" })]).toEqual([false, true]);
});

test("each choice of a filter counts what it would show beside the other filters", () => {
  expect([...counts(all, { repository: "r1", need: "works" }, "need")]).toEqual([
    ["waits", 1],
    ["works", 1],
  ]);
  expect([...counts(all, { need: "works" }, "repository")]).toEqual([
    ["r1", 1],
    ["r2", 1],
  ]);
});
