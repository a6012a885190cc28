import { describe, expect, it } from "vitest";

import { keptNext, olderThan } from "./older";

describe("above what is in memory", () => {
  it("there is nothing as long as everything that was printed is there", () => {
    expect(olderThan(0, 1000, 24, 20_000)).toBe("none");
    expect(olderThan(900, 1000, 24, 20_000)).toBe("none");
  });

  it("there are lines to load once what is kept is full", () => {
    expect(olderThan(1000, 1000, 24, 20_000)).toBe("more");
    // The screen itself may have been part of what was asked for.
    expect(olderThan(976, 1000, 24, 20_000)).toBe("more");
  });

  it("there is the recording once as much is kept as can be", () => {
    expect(olderThan(20_000, 20_000, 24, 20_000)).toBe("recorded");
    expect(olderThan(300, 20_000, 24, 20_000)).toBe("none");
  });

  it("more is kept in steps, up to a bound", () => {
    expect(keptNext(5_000, 20_000)).toBe(10_000);
    expect(keptNext(15_000, 20_000)).toBe(20_000);
  });
});
