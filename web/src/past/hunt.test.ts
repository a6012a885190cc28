import { expect, test } from "vitest";
import { huntedFurther } from "./hunt";

const rows = Array.from({ length: 10 }, () => "x".repeat(99));

test("a line is looked for one byte earlier, then by less than a screenful at a time", () => {
  expect(huntedFurther({ offset: 5_000, tries: 0 }, rows)).toEqual({ offset: 4_999, tries: 1 });
  expect(huntedFurther({ offset: 4_999, tries: 1 }, rows)).toEqual({ offset: 4_299, tries: 2 });
  expect(huntedFurther({ offset: 4_299, tries: 2 }, ["", ""])).toEqual({ offset: 4_267, tries: 3 });
});

test("the search for a line ends at the beginning, and after many screens", () => {
  expect(huntedFurther({ offset: 20, tries: 3 }, rows)).toEqual({ offset: 0, tries: 4 });
  expect(huntedFurther({ offset: 0, tries: 4 }, rows)).toBeUndefined();
  expect(huntedFurther({ offset: 5_000, tries: 40 }, rows)).toBeUndefined();
});
