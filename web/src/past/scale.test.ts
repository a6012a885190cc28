import { describe, expect, it } from "vitest";
import {
  type Extent,
  holding,
  isGuess,
  Known,
  shifted,
  ticks,
  toPixel,
  toValue,
  usualAxis,
  whole,
  zoomed,
} from "./scale";

const extent: Extent = { first: { offset: 0, at: 0 }, last: { offset: 10_000, at: 600_000 } };

describe("a time line", () => {
  const all = whole(extent, "time");

  it("goes from moments to pixels and back", () => {
    expect(toPixel(all, 1200, 300_000)).toBe(600);
    expect(toValue(all, 1200, 600)).toBe(300_000);
    expect(toValue(all, 0, 600)).toBe(0);
  });

  it("is never empty, even when nothing happened", () => {
    const still = { first: { offset: 5, at: 7 }, last: { offset: 5, at: 7 } };
    expect(Number.isFinite(toPixel(whole(still, "time"), 100, 7))).toBe(true);
    expect(Number.isFinite(toPixel(whole(still, "output"), 100, 5))).toBe(true);
  });

  it("keeps the moment under the pointer in place while it zooms", () => {
    const near = zoomed(all, all, "time", 0.5, 150_000);
    expect(near).toEqual({ from: 75_000, to: 375_000 });
    expect(toPixel(near, 1200, 150_000)).toBe(toPixel(all, 1200, 150_000));
    expect(zoomed(near, all, "time", 100, 150_000)).toEqual(all);
    const nearest = zoomed(near, all, "time", 0, 150_000);
    expect(nearest.to - nearest.from).toBe(100);
  });

  it("is not shifted beyond its ends", () => {
    const near = { from: 0, to: 60_000 };
    expect(shifted(near, all, -5)).toEqual(near);
    expect(shifted(near, all, 1e9)).toEqual({ from: 540_000, to: 600_000 });
    expect(holding(near, all, 30_000)).toBe(near);
    expect(holding(near, all, 300_000)).toEqual({ from: 270_000, to: 330_000 });
  });

  it("runs along the output when it is long", () => {
    expect(usualAxis(extent)).toBe("time");
    expect(usualAxis({ ...extent, last: { offset: 1, at: 86_400_000 } })).toBe("output");
  });
});

describe("the time of an output", () => {
  const known = new Known([
    { offset: 0, at: 0 },
    { offset: 100, at: 1000 },
    { offset: 200, at: 601_000 },
  ]);

  it("is a guess between two known moments, and says between which", () => {
    expect(known.whenAt(150)).toEqual({ at: 301_000, from: 1000, to: 601_000 });
    expect(known.whenAt(100)).toEqual({ at: 1000, from: 1000, to: 1000 });
    expect(known.whenAt(200)).toEqual({ at: 601_000, from: 601_000, to: 601_000 });
    expect(new Known().whenAt(5)).toEqual({ at: 0, from: 0, to: 0 });
  });

  it("is no guess if it is shown less finely than it is known", () => {
    const isAbout = (offset: number, shownMs: number) => isGuess(known.whenAt(offset), shownMs);
    expect(isAbout(50, 60_000)).toBe(false);
    expect(isAbout(50, 100)).toBe(true);
    expect(isAbout(150, 60_000)).toBe(true);
    const numbers = ticks({ from: 0, to: 200 }, "output", 400, 100, known, 0);
    expect(numbers.map((tick) => isGuess(tick, 60_000))).toEqual([false, false, true, true]);
    expect(ticks({ from: 0, to: 600_000 }, "time", 400, 100, known, 0).some((tick) => isGuess(tick, 0))).toBe(
      false,
    );
  });
});

describe("the map of times and offsets", () => {
  const known = new Known([
    { offset: 100, at: 1000 },
    { offset: 0, at: 0 },
    { offset: 100, at: 9000 },
    { offset: 200, at: 10_000 },
  ]);

  it("is exact where it is known, and a guess between", () => {
    expect(known.timeAt(100)).toBe(1000);
    expect(known.timeAt(50)).toBe(500);
    expect(known.timeAt(150)).toBe(9500);
    expect(known.timeAt(999)).toBe(10_000);
    expect(known.offsetAt(5000)).toBe(100);
    expect(known.offsetAt(9500)).toBe(150);
    expect(known.offsetAt(-5)).toBe(0);
  });

  it("becomes more exact with every screen that was loaded", () => {
    const better = known.with({ offset: 150, at: 9100 });
    expect(better.timeAt(150)).toBe(9100);
    expect(better.with({ offset: 150, at: 9100 })).toBe(better);
    expect(known.timeAt(150)).toBe(9500);
    expect(new Known().timeAt(5)).toBe(0);
  });
});

describe("ticks", () => {
  it("are at round times, in the zone of the person who looks", () => {
    const found = ticks({ from: 1000, to: 601_000 }, "time", 1200, 100, new Known(), 0);
    expect(found.map(({ at }) => at / 60_000)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const days = ticks({ from: 0, to: 4 * 86_400_000 }, "time", 500, 100, new Known(), 3_600_000);
    expect(days[0]?.at).toBe(82_800_000);
  });

  it("are evenly spaced along the output, and show the times there", () => {
    const found = ticks(
      { from: 0, to: 200 },
      "output",
      400,
      100,
      new Known([extent.first, { offset: 200, at: 800 }]),
      0,
    );
    expect(found).toEqual([50, 150, 250, 350].map((pixel) => ({ pixel, at: pixel * 2, from: 0, to: 800 })));
  });
});
