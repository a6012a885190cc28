import { expect, it } from "vitest";

import { backoffMs } from "./backoff";

it("tries at once, then ever more slowly, never all at the same moment", () => {
  expect(backoffMs(0, 1)).toBeLessThan(100);
  expect([1, 2, 3, 6].map((attempt) => backoffMs(attempt, 1))).toEqual([250, 500, 1000, 2000]);
  expect(backoffMs(99, 1)).toBe(5000);
  expect(backoffMs(99, 0)).toBe(2500);
});
