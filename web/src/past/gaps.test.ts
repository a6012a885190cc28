import { expect, test } from "vitest";
import { gapTimes } from "./gaps";
import type { Flag } from "./marks";
import { Known } from "./scale";

test("the stripe of a gap begins at its mark, whatever else happened at that offset before", () => {
  const mark: Flag = { kind: "gap", offset: 100, at: 60_000, label: "output is missing here" };
  const known = new Known([
    { offset: 0, at: 0 },
    // The window got another size, and nothing was printed until the gap.
    { offset: 100, at: 10_000 },
    { offset: 100, at: 60_000 },
    { offset: 200, at: 70_000 },
  ]);
  expect(gapTimes({ from: 100, to: 200 }, [mark], known)).toEqual([60_000, 70_000]);
  expect(gapTimes({ from: 100, to: undefined }, [mark], known)).toEqual([60_000, 60_000]);
  expect(gapTimes({ from: 100, to: 200 }, [], known)).toEqual([10_000, 70_000]);
});
