import { expect, test } from "vitest";
import { href, inOneView, parse, type Route } from "./routes";

const routes: Route[] = [
  { name: "home" },
  { name: "wall" },
  { name: "settings" },
  { name: "usage" },
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

test("another worker of a session, another moment and another query are in the same view", () => {
  const same: [Route, Route][] = [
    [
      { name: "session", session: "s1" },
      { name: "session", session: "s1", worker: "w1" },
    ],
    [
      { name: "past", worker: "w1" },
      { name: "past", worker: "w1", at: 7 },
    ],
    [
      { name: "search", query: "a" },
      { name: "search", query: "b" },
    ],
  ];
  for (const [one, other] of same) expect(inOneView(one, other), href(other)).toBe(true);
});

test("another session, another worker's past and settings are other views", () => {
  const other: [Route, Route][] = [
    [
      { name: "session", session: "s1" },
      { name: "session", session: "s2" },
    ],
    [
      { name: "past", worker: "w1" },
      { name: "past", worker: "w2" },
    ],
    [
      { name: "past", worker: "w1" },
      { name: "session", session: "w1" },
    ],
    [{ name: "past", worker: "w1" }, { name: "settings" }],
  ];
  for (const [one, another] of other) expect(inOneView(one, another), href(another)).toBe(false);
});
