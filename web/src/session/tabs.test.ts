import { expect, it } from "vitest";

import { moveBy, placeBefore, stepFrom, successor } from "./tabs";

const ORDER = ["a", "b", "c"];

it("moves a tab before another, or to the end", () => {
  expect(placeBefore(ORDER, "c", "a")).toEqual(["c", "a", "b"]);
  expect(placeBefore(ORDER, "a", "c")).toEqual(["b", "a", "c"]);
  expect(placeBefore(ORDER, "a", undefined)).toEqual(["b", "c", "a"]);
  expect(placeBefore(ORDER, "b", "b")).toEqual(ORDER);
});

it("moves a tab by places, as far as there are any", () => {
  expect(moveBy(ORDER, "a", 1)).toEqual(["b", "a", "c"]);
  expect(moveBy(ORDER, "c", -1)).toEqual(["a", "c", "b"]);
  expect(moveBy(ORDER, "a", -1)).toEqual(ORDER);
  expect(moveBy(ORDER, "c", 5)).toEqual(ORDER);
  expect(moveBy(ORDER, "z", 1)).toEqual(ORDER);
});

it("goes from the last tab to the first, and back", () => {
  expect(stepFrom(ORDER, "c", 1)).toBe("a");
  expect(stepFrom(ORDER, "a", -1)).toBe("c");
  expect(stepFrom(ORDER, "z", 1)).toBe("a");
  expect(stepFrom([], "a", 1)).toBeUndefined();
});

it("shows a neighbour when a tab closes", () => {
  expect(successor(ORDER, "b")).toBe("c");
  expect(successor(ORDER, "c")).toBe("b");
  expect(successor(["a"], "a")).toBeUndefined();
});
