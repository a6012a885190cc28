import { expect, test } from "vitest";
import { lastLine } from "./last-line";

test("the last line is the last one with text", () => {
  expect(lastLine(["All tests pass.", "╭────╮", "│ >  │", "╰────╯", "", ""])).toBe("All tests pass.");
  expect(lastLine(["", "$"])).toBe("$");
  expect(lastLine(["", " "])).toBeUndefined();
});
