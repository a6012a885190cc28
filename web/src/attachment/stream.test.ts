import { describe, expect, it } from "vitest";

import { text, utf8 } from "../protocol/bytes";
import { type Shown, Stream } from "./stream";

const SMALL = { cols: 80, rows: 24 };
const LARGE = { cols: 100, rows: 30 };

const words = (shown: Shown) =>
  shown.kind === "snapshot" || shown.kind === "output" ? `${shown.kind} ${text(shown.bytes)}` : shown.kind;

function welcomed() {
  const stream = new Stream();
  stream.welcome(1, SMALL);
  return {
    stream,
    snapshot: (at: number, bytes: string, last = true) => words(stream.snapshot(at, utf8(bytes), last)),
    output: (at: number, bytes: string) => words(stream.output(at, utf8(bytes))),
  };
}

describe("the stream", () => {
  it("is a snapshot and then output without holes", () => {
    const { stream, snapshot, output } = welcomed();
    expect(stream.resumeFrom).toBeUndefined();
    expect(snapshot(7, "screen")).toBe("snapshot screen");
    expect(output(7, "abc")).toBe("output abc");
    expect(output(10, "")).toBe("nothing");
    expect(output(10, "d")).toBe("output d");
    expect(stream.resumeFrom).toEqual({ epoch: 1, since: 11 });
  });

  it("shows a snapshot when all of it is there", () => {
    const { stream, snapshot, output } = welcomed();
    expect(snapshot(7, "scr", false)).toBe("nothing");
    expect(stream.seen).toBe(false);
    expect(snapshot(7, "een")).toBe("snapshot screen");
    expect(output(7, "a")).toBe("output a");
  });

  it("drops a snapshot that a new size cuts short, and shows the next at that size", () => {
    const { stream, snapshot } = welcomed();
    snapshot(7, "old", false);
    stream.resized(LARGE);
    expect(stream.snapshot(7, utf8("new"), true)).toEqual({
      kind: "snapshot",
      bytes: utf8("new"),
      size: LARGE,
      through: 7,
    });
  });

  it("shows output of the old size while the new snapshot is on its way", () => {
    const { stream, snapshot, output } = welcomed();
    snapshot(7, "screen");
    stream.resized(LARGE);
    expect(output(7, "late")).toBe("output late");
    expect(stream.resumeFrom, "that screen is not of the terminal's size").toBeUndefined();
    expect(snapshot(11, "redrawn")).toBe("snapshot redrawn");
    expect(stream.resumeFrom).toEqual({ epoch: 1, since: 11 });
  });

  it("takes a snapshot of a later offset when we were too slow", () => {
    const { snapshot, output } = welcomed();
    snapshot(7, "screen");
    expect(snapshot(5_000_000, "later")).toBe("snapshot later");
    expect(output(5_000_000, "x")).toBe("output x");
  });

  it("never shows output after a hole", () => {
    for (const at of [8, 6, 5_000_000]) {
      const { snapshot, output } = welcomed();
      snapshot(7, "screen");
      expect(output(at, "x")).toBe("hole");
      expect(output(at + 1, "y"), "the hole is told once").toBe("nothing");
      expect(output(7, "z")).toBe("nothing");
      expect(snapshot(at + 2, "whole again")).toBe("snapshot whole again");
      expect(output(at + 2, "!")).toBe("output !");
    }
  });

  it("has a hole if output comes before or within a snapshot", () => {
    const before = welcomed();
    expect(before.output(0, "x")).toBe("hole");
    const within = welcomed();
    within.snapshot(7, "scr", false);
    expect(within.output(7, "x")).toBe("hole");
  });

  it("goes on from where it was in the same epoch", () => {
    const { stream, snapshot, output } = welcomed();
    snapshot(7, "screen");
    output(7, "abc");
    stream.welcome(1, SMALL);
    expect(output(10, "d")).toBe("output d");
  });

  it("begins anew in another epoch, with any offsets", () => {
    const { stream, snapshot, output } = welcomed();
    snapshot(7, "screen");
    stream.welcome(2, SMALL);
    expect(output(7, "x")).toBe("hole");
    expect(snapshot(7, "adopted")).toBe("snapshot adopted");
    expect(stream.resumeFrom).toEqual({ epoch: 2, since: 7 });
  });

  it("keeps its state if a connection breaks within a snapshot", () => {
    const { stream, snapshot, output } = welcomed();
    snapshot(7, "screen");
    snapshot(90, "half", false);
    expect(stream.resumeFrom).toEqual({ epoch: 1, since: 7 });
    stream.welcome(1, SMALL);
    expect(output(7, "abc")).toBe("output abc");
  });
});
