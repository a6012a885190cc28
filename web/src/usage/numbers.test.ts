import { expect, test } from "vitest";
import type { UsageRow } from "../api/client";
import { contextLeft, cost, days, short } from "./numbers";

test("counts are short", () => {
  expect([0, 9_999, 12_345, 999_999, 2_540_000].map(short)).toEqual(["0", "9999", "12k", "999k", "2.5M"]);
});

test("a price is what agents state, and says if some do not", () => {
  expect(cost({ costUsd: null, unpriced: 3 })).toBe("–");
  expect(cost({ costUsd: 0.256, unpriced: 0 })).toBe("$0.26");
  expect(cost({ costUsd: 1, unpriced: 2 })).toBe("$1.00+");
});

test("what is left of a context is known if its size is", () => {
  expect(contextLeft({ context: { used: 50, window: 200, left: 150 } })).toBe(75);
  expect(contextLeft({ context: { used: 50, window: null, left: null } })).toBeUndefined();
});

test("days on which nothing was used are there, and old ones are not", () => {
  const row = (key: string | null) => ({ key }) as UsageRow;
  const shown = days([row(null), row("2026-02-27"), row("2026-03-02"), row("2025-01-01")], 4);
  expect(shown.map(({ day, row }) => [day, row !== undefined])).toEqual([
    ["2026-02-27", true],
    ["2026-02-28", false],
    ["2026-03-01", false],
    ["2026-03-02", true],
  ]);
  expect(days([], 30)).toEqual([]);
});
