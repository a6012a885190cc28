import { describe, expect, it } from "vitest";
import { rowOf } from "./found.svelte";

describe("the line of a hit", () => {
  const rows = [
    "$ make",
    "error: no rule",
    "",
    "a line that is longer than the screen is wi",
    "de",
    "$ error: no rule to",
  ];
  it("is found on the screen, the last one if there are more", () => {
    expect(rowOf(rows, "error: no rule  ")).toBe(1);
    expect(rowOf([...rows, "error: no rule"], "error: no rule")).toBe(6);
    expect(rowOf(rows, "a line that is longer than the screen is wide")).toBe(3);
    expect(rowOf(rows, "rule to")).toBe(5);
    expect(rowOf(rows, "nowhere")).toBeUndefined();
    expect(rowOf(rows, "")).toBeUndefined();
  });
});
