import { expect, test } from "vitest";
import { best, matching } from "./matching";

test("a search matches words and beginnings of words", () => {
  expect(matching("log", "Fix the login")).toBe(3);
  expect(matching("login fix", "Fix the login")).toBeDefined();
  expect(matching("flr", "fix/login-redirect")).toBe(1);
  expect(matching("xyz", "Fix the login")).toBeUndefined();
  expect(best("bo", ["Home", "Board", "a board"], (each) => each)).toEqual(["Board", "a board"]);
});
