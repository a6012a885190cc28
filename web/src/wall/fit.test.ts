import { expect, test } from "vitest";
import { newest } from "./fit";

test("the last used row stands at the bottom, and a screen with few rows begins at the top", () => {
  const inner = { width: 700, height: 600 };
  const outer = { width: 300, height: 140 };
  expect(newest(inner, outer, 1, 0.5)).toEqual({ scale: 0.5, left: 0, top: -160 });
  expect(newest(inner, outer, 0.1, 0.5)).toEqual({ scale: 0.5, left: 0, top: 0 });
});
