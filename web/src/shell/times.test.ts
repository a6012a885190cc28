import { expect, test } from "vitest";
import { duration } from "./times";

test("durations are short", () => {
  const minutes = 60_000;
  expect([-5, 0, 59_999, 7 * minutes, 185 * minutes, 1_440 * minutes, 3_000 * minutes].map(duration)).toEqual(
    ["0 s", "0 s", "59 s", "7 min", "3 h 05", "1 d", "2 d 2 h"],
  );
});
