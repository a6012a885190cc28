import { expect, test } from "vitest";
import { waiting, worker } from "../dashboard/testing";
import { byNeed } from "./needs";

test("what waits for a person comes first, the longest wait on top; then what works, what rests, and what has ended", () => {
  const workers = [
    worker("ended", "s", { state: { kind: "exited", exitCode: 0 } }),
    worker("shell", "s"),
    worker("works", "s", { activity: "active" }),
    worker("done", "s", { activity: "idle" }),
    worker("late", "s", { activity: "asking" }),
    worker("early", "s", { activity: "asking" }),
    worker("read", "s", { activity: "idle" }),
  ];
  const items = [
    waiting("1", "late", { since: "2026-11-16T15:59:00Z" }),
    waiting("2", "early", { since: "2026-11-16T15:58:00Z", read: true }),
    waiting("3", "done", { reason: "finished", since: "2026-11-16T15:57:00Z" }),
  ];
  const groups = byNeed(workers, ({ id }) => items.find(({ workerId }) => workerId === id));
  expect(groups.map(({ need, workers }) => [need, ...workers.map(({ id }) => id)])).toEqual([
    ["waits", "done", "early", "late"],
    ["works", "works"],
    ["rests", "read", "shell"],
    ["ended", "ended"],
  ]);
});
