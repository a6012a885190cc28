import { describe, expect, it } from "vitest";

import { keptNext, olderThan } from "./older";

describe("above the lines in memory", () => {
  it("there is nothing as long as all output is in memory", () => {
    expect(olderThan(0, 1000, 24, 20_000)).toBe("none");
    expect(olderThan(900, 1000, 24, 20_000)).toBe("none");
  });

  it("there are lines to load once the buffer is full", () => {
    expect(olderThan(1000, 1000, 24, 20_000)).toBe("more");
    // The screen itself may be part of the requested lines.
    expect(olderThan(976, 1000, 24, 20_000)).toBe("more");
  });

  it("there is the recording once the buffer has its largest size", () => {
    expect(olderThan(20_000, 20_000, 24, 20_000)).toBe("recorded");
    expect(olderThan(300, 20_000, 24, 20_000)).toBe("none");
  });

  it("the buffer grows in steps, up to a bound", () => {
    expect(keptNext(5_000, 20_000)).toBe(10_000);
    expect(keptNext(15_000, 20_000)).toBe(20_000);
  });
});
