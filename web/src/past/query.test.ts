import { describe, expect, it } from "vitest";
import type { SearchHit } from "../api/client";
import { grouped, pieces } from "./hits";
import { isWorthAsking, parameters, readQuery, writeQuery } from "./query";

describe("a typed query", () => {
  it("is a text, an expression and filters", () => {
    expect(readQuery("connection refused")).toEqual({ pattern: "connection refused", isExpression: false });
    expect(readQuery("in:k7f2m9qx last:2h /err(or)?/")).toEqual({
      pattern: "err(or)?",
      isExpression: true,
      worker: "k7f2m9qx",
      age: "2h",
    });
    expect(readQuery("last:forever x").pattern).toBe("last:forever x");
    expect(readQuery("built in:stage")).toEqual({ pattern: "built in:stage", isExpression: false });
    expect(readQuery("/usr/bin/git x").isExpression).toBe(false);
  });

  it("comes back as the same text", () => {
    for (const typed of ["in:k7f2m9qx last:7d panic", "/a|b/", "last:15m /x y/"]) {
      expect(writeQuery(readQuery(typed))).toBe(typed);
    }
  });

  it("becomes a request with times", () => {
    const now = Date.parse("2026-11-16T12:00:00Z");
    expect(parameters(readQuery("last:2h x+y"), now)).toEqual({
      pattern: "x+y",
      text: true,
      worker: undefined,
      since: "2026-11-16T10:00:00.000Z",
    });
    expect(isWorthAsking(readQuery("in:abc x"))).toBe(false);
  });
});

describe("hits", () => {
  const hit = (workerId: string, offset: number): SearchHit => ({
    workerId,
    offset,
    at: "2026-11-16T12:00:00Z",
    line: "",
    matches: [],
    before: [],
    after: [],
  });

  it("are cut where the matches are, counted in bytes", () => {
    expect(
      pieces("größe → größer", [
        [0, 6],
        [12, 18],
      ]),
    ).toEqual([
      { text: "größ", isMatch: true },
      { text: "e → ", isMatch: false },
      { text: "größ", isMatch: true },
      { text: "er", isMatch: false },
    ]);
    expect(pieces("<b>", [])).toEqual([{ text: "<b>", isMatch: false }]);
    expect(pieces("abc", [[2, 9]])).toEqual([{ text: "abc", isMatch: false }]);
  });

  it("are grouped by worker, the newest first", () => {
    const groups = grouped([hit("a", 9), hit("b", 5), hit("a", 1)]);
    expect(groups.map(({ worker, hits }) => [worker, hits.length])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });
});
