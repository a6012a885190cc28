import { expect, test } from "vitest";
import { href, parse, type Route } from "./routes";

const routes: Route[] = [
  { name: "home" },
  { name: "wall" },
  { name: "settings" },
  { name: "board" },
  { name: "board", task: "t1" },
  { name: "session", session: "s1" },
  { name: "session", session: "s1", worker: "w1" },
  { name: "past", worker: "w1" },
  { name: "past", worker: "w1", at: 0 },
  { name: "past", worker: "w1", at: 123456 },
  { name: "search", query: "" },
  { name: "search", query: "a/b?c#d &é 100%" },
];

test.each(routes)("a route is the same after a way through the address: %o", (route) => {
  expect(parse(href(route))).toEqual(route);
});

test.each(["", "#", "#/", "#/nowhere", "#/session", "#/past/", "#/%E0%A4%A"])("%s leads home", (hash) => {
  expect(parse(hash)).toEqual({ name: "home" });
});

test("an invalid offset is left out", () => {
  expect(parse("#/past/w1?at=soon")).toEqual({ name: "past", worker: "w1" });
});
