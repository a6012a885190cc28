import { describe, expect, it } from "vitest";

import { concat, text, utf8 } from "../protocol/bytes";
import { asOneFrame, unfinishedFrom } from "./snapshot-frame";

const framed = (snapshot: string | Uint8Array) =>
  concat(asOneFrame(typeof snapshot === "string" ? utf8(snapshot) : snapshot));

describe("a snapshot", () => {
  it("is held back until it is whole", () => {
    expect(text(framed("\x18\x1bchello"))).toBe("\x18\x1bc\x1b[?2026hhello\x1b[?2026l");
  });

  it("keeps its unfinished end unfinished", () => {
    for (const tail of [
      "\x1b",
      "\x1b[",
      "\x1b[3",
      "\x1b[?25",
      "\x1b]0;title",
      "\x1b]0;title\x1b",
      "\x1bP$q",
      "\x1b(",
    ]) {
      expect(text(framed(`\x18\x1bchello${tail}`)), JSON.stringify(tail)).toBe(
        `\x18\x1bc\x1b[?2026hhello\x1b[?2026l${tail}`,
      );
    }
    const half = concat([utf8("\x18\x1bchello"), utf8("日").subarray(0, 2)]);
    expect(framed(half)).toEqual(
      concat([utf8("\x18\x1bc\x1b[?2026hhello\x1b[?2026l"), utf8("日").subarray(0, 2)]),
    );
  });

  it("leaves a frame open that the program has begun", () => {
    expect(text(framed("\x18\x1bchello\x1b[?2026h\x1b[m"))).toBe(
      "\x18\x1bc\x1b[?2026hhello\x1b[?2026h\x1b[m",
    );
  });

  it("comes in pieces that add up to it", () => {
    const long = `\x18\x1bc${"line\r\n".repeat(50_000)}`;
    expect(asOneFrame(utf8(long)).length).toBeGreaterThan(4);
    expect(text(framed(long))).toBe(`\x18\x1bc\x1b[?2026h${long.slice(3)}\x1b[?2026l`);
  });
});

it("finds nothing unfinished in a complete snapshot", () => {
  for (const whole of [
    "",
    "a",
    "\x1b[31m",
    "\x1b]0;t\x07",
    "\x1b]0;t\x1b\\",
    "\x1b(B",
    "日本",
    "é",
    "😀",
    "\x1b[3\x18",
  ]) {
    const bytes = utf8(whole);
    expect(unfinishedFrom(bytes), JSON.stringify(whole)).toBe(bytes.length);
  }
});
