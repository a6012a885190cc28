import { expect, test } from "vitest";
import { repository, session } from "../dashboard/testing";
import { grouped } from "./groups";

const names = (...given: Parameters<typeof grouped>) =>
  grouped(...given).map(({ id, sessions }) => [id, ...sessions.map((each) => each.id)]);

const worktree = (id: string, repositoryId: string) =>
  session(id, [], { type: "worktree", repositoryId, worktreeId: "x", branch: "b" });

test("sessions are grouped by repository, the rest under Elsewhere, and repositories without sessions come last", () => {
  const repositories = [
    repository("r3", "/c/empty"),
    repository("r2", "/c/zoo"),
    repository("r1", "/c/atlas"),
  ];
  const sessions = [worktree("s1", "r2"), worktree("s2", "r1"), session("s3", []), worktree("s4", "gone")];
  expect(names(sessions, repositories)).toEqual([
    ["r1", "s2"],
    ["r2", "s1"],
    ["elsewhere", "s3", "s4"],
    ["r3"],
  ]);
});

test("a quick session inside a repository is grouped with the innermost repository", () => {
  const repositories = [repository("r1", "/c/atlas"), repository("r2", "/c/atlas/vendor/lib")];
  const sessions = [
    session("s1", [], { locationPath: "/c/atlas" }),
    session("s2", [], { locationPath: "/c/atlas/vendor/lib/src" }),
    session("s3", [], { locationPath: "/c/atlas-two" }),
  ];
  expect(names(sessions, repositories)).toEqual([
    ["r1", "s1"],
    ["r2", "s2"],
    ["elsewhere", "s3"],
  ]);
});

test("the oldest comes first", () => {
  const sessions = [
    session("new", [], { createdAt: "2026-11-16T15:00:02Z" }),
    session("old", [], { createdAt: "2026-11-16T15:00:01Z" }),
  ];
  expect(names(sessions, [])).toEqual([["elsewhere", "old", "new"]]);
});
