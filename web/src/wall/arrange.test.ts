import { describe, expect, it } from "vitest";
import type { Session, Worker } from "../api/client";
import { arranged, liveTiles, nextTile } from "./arrange";
import { fitted } from "./fit";

function worker(
  id: string,
  state: Worker["state"]["kind"] = "live",
  activity: Worker["activity"] = "unknown",
): Worker {
  const states = { exited: { kind: "exited", exitCode: 0 }, live: { kind: "live" } } as const;
  return {
    id,
    sessionId: "s",
    type: "terminal",
    name: id,
    state: state === "exited" ? states.exited : states.live,
    activity,
    activitySince: null,
    runsAgent: null,
    question: null,
    turn: null,
    createdAt: "2026-11-16T10:00:00Z",
    viewers: 0,
  };
}

const workers = [worker("a"), worker("b", "exited"), worker("c", "live", "asking"), worker("d")];
const sessions = [{ id: "s", workers } as unknown as Session];
const ids = (some: readonly Worker[]) => some.map(({ id }) => id).join(" ");

describe("the wall", () => {
  it("shows workers that ask first, and ended ones last", () => {
    expect(ids(arranged(sessions, "all"))).toBe("c a d b");
    expect(ids(arranged(sessions, "running"))).toBe("c a d");
    expect(ids(arranged(sessions, "asking"))).toBe("c");
  });

  it("draws only a limited number of visible tiles", () => {
    const order = arranged(sessions, "all");
    expect([...liveTiles(order, new Set(["a", "b", "d"]), 24)]).toEqual(["a", "d"]);
    expect([...liveTiles(order, new Set(["a", "c", "d"]), 2)]).toEqual(["c", "a"]);
  });

  it("is navigated with arrow keys", () => {
    expect(nextTile(0, 5, 3, "ArrowDown")).toBe(3);
    expect(nextTile(2, 5, 3, "ArrowDown")).toBe(4);
    expect(nextTile(4, 5, 3, "ArrowDown")).toBe(4);
    expect(nextTile(4, 5, 3, "ArrowUp")).toBe(1);
    expect(nextTile(0, 5, 3, "ArrowLeft")).toBe(0);
    expect(nextTile(2, 5, 3, "ArrowRight")).toBe(3);
    expect(nextTile(1, 5, 3, "End")).toBe(4);
  });
});

describe("a screen in a tile", () => {
  it("is scaled to fit, within a smallest and a largest scale", () => {
    const inner = { width: 1000, height: 500 };
    expect(fitted(inner, { width: 300, height: 200 }, 0, 1, "top")).toEqual({ scale: 0.3, left: 0, top: 0 });
    expect(fitted(inner, { width: 300, height: 200 }, 0, 1, "middle")).toEqual({
      scale: 0.3,
      left: 0,
      top: 25,
    });
    expect(fitted(inner, { width: 4000, height: 600 }, 0, 1, "top")).toEqual({
      scale: 1,
      left: 1500,
      top: 0,
    });
    expect(fitted(inner, { width: 300, height: 200 }, 0.5, 1, "middle")).toEqual({
      scale: 0.5,
      left: 0,
      top: 0,
    });
    expect(fitted({ width: 0, height: 0 }, inner, 0, 1, "top").scale).toBe(1);
  });
});
