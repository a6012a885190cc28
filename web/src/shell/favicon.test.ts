import { expect, test } from "vitest";
import { iconFor, titleFor } from "./favicon";

test("title and icon show how many agents ask", () => {
  expect(titleFor(0, undefined)).toBe("abide");
  expect(titleFor(2, "Board")).toBe("(2) Board · abide");
  expect(iconFor(0)).toBe("/icon.svg");
  expect(decodeURIComponent(iconFor(12))).toContain("9+");
});
