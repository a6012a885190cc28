import { expect, test } from "vitest";
import { homeIn, seenFrom, shortPath } from "./paths";

test("paths are written as people do", () => {
  expect(shortPath("/home/me/code")).toBe("~/code");
  expect(shortPath("/root")).toBe("~");
  expect(shortPath("/rooted/x")).toBe("/rooted/x");
  expect(seenFrom("/a/b", "/a/b")).toBeUndefined();
  expect(seenFrom("/a/b", "/a/b/c/d")).toBe("./c/d");
  expect(seenFrom("/a/b", "/a/bc")).toBe("/a/bc");
  expect(homeIn(["/srv", "/home/me/x"])).toBe("/home/me");
});
