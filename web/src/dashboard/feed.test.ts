import { describe, expect, test } from "vitest";
import type { DashboardEvent, DashboardMessage } from "../api/client";
import { type Known, take } from "./feed";
import { session, state, task, worker } from "./testing";

const event = (seq: number, what: DashboardEvent): DashboardMessage => ({
  type: "event",
  seq,
  at: "2026-11-16T15:54:55Z",
  event: what,
});

function known(message: DashboardMessage, before?: Known): Known {
  const taken = take(before, message);
  if (!("known" in taken)) throw new Error(`nothing was known after a ${taken.kind}`);
  return taken.known;
}

describe("the known state", () => {
  const first = known(state(7, { sessions: [session("s1", [worker("w1", "s1")])] }));

  test("a state message replaces everything", () => {
    expect(first.seq).toBe(7);
    expect(first.sessions.map(({ id }) => id)).toEqual(["s1"]);
    const later = known(state(3, { epoch: "another", sessions: [] }), first);
    expect(later).toMatchObject({ epoch: "another", seq: 3, sessions: [] });
  });

  test("a changed worker takes its place, and only its session is new", () => {
    const other = known(state(1, { sessions: [session("s1", [worker("w1", "s1")]), session("s2", [])] }));
    const next = known(
      event(2, { kind: "worker.changed", worker: worker("w1", "s1", { name: "Tests" }) }),
      other,
    );
    expect(next.sessions[0]?.workers[0]?.name).toBe("Tests");
    expect(next.sessions[1]).toBe(other.sessions[1]);
    expect(other.sessions[0]?.workers[0]?.name).toBe("w1");
  });

  test("a new worker comes last, and a removed one is gone", () => {
    const more = known(event(8, { kind: "worker.changed", worker: worker("w2", "s1") }), first);
    expect(more.sessions[0]?.workers.map(({ id }) => id)).toEqual(["w1", "w2"]);
    const fewer = known(event(9, { kind: "worker.removed", workerId: "w1" }), more);
    expect(fewer.sessions[0]?.workers.map(({ id }) => id)).toEqual(["w2"]);
  });

  test("a worker of an unknown session changes nothing", () => {
    const next = known(event(8, { kind: "worker.changed", worker: worker("w9", "s9") }), first);
    expect(next.sessions).toEqual(first.sessions);
    expect(next.seq).toBe(8);
  });

  test("sessions and tasks come, change and go", () => {
    let now = known(event(8, { kind: "session.changed", session: session("s2", []) }), first);
    now = known(event(9, { kind: "task.changed", task: task("t1", { title: "one" }) }), now);
    now = known(event(10, { kind: "task.changed", task: task("t1", { title: "two" }) }), now);
    expect(now.tasks.map(({ title }) => title)).toEqual(["two"]);
    now = known(event(11, { kind: "task.removed", taskId: "t1" }), now);
    now = known(event(12, { kind: "session.removed", sessionId: "s1" }), now);
    expect(now.tasks).toEqual([]);
    expect(now.sessions.map(({ id }) => id)).toEqual(["s2"]);
  });

  test("viewers are counted as they come and go", () => {
    const watched = event(8, {
      kind: "terminal.viewer_attached",
      workerId: "w1",
      viewer: "browser",
      viewers: 3,
    });
    expect(known(watched, first).sessions[0]?.workers[0]?.viewers).toBe(3);
  });

  test("an event of an unknown kind only advances the number", () => {
    const strange = { kind: "planet.aligned" } as unknown as DashboardEvent;
    expect(known(event(8, strange), first)).toEqual({ ...first, seq: 8 });
  });

  test("an old event is skipped, and a skipped number is a gap", () => {
    const again: DashboardEvent = { kind: "session.removed", sessionId: "s1" };
    expect(take(first, event(7, again))).toEqual({ kind: "old" });
    expect(take(first, event(9, again))).toEqual({ kind: "gap" });
    expect(take(undefined, event(1, again))).toEqual({ kind: "gap" });
  });

  test("the page resumes only from exactly its own number", () => {
    expect(take(first, { type: "resumed", epoch: "e", seq: 7 })).toEqual({ kind: "resumed", known: first });
    expect(take(first, { type: "resumed", epoch: "e", seq: 8 })).toEqual({ kind: "gap" });
    expect(take(first, { type: "resumed", epoch: "f", seq: 7 })).toEqual({ kind: "gap" });
    expect(take(undefined, { type: "resumed", epoch: "e", seq: 0 })).toEqual({ kind: "gap" });
  });
});
