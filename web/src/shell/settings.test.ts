import { expect, test } from "vitest";
import { read } from "./settings.svelte";

test("invalid settings are replaced by the defaults", () => {
  expect(read("{")).toEqual(read(null));
  expect(read("null")).toEqual(read(null));
  expect(read('{"theme":"pink","fontSize":400,"scrollback":"many","notifications":true}')).toMatchObject({
    theme: "system",
    fontSize: 32,
    scrollback: 5_000,
    notifications: true,
  });
});

test("no more lines are kept than a terminal can have", () => {
  expect(read('{"scrollback":50000}').scrollback).toBe(20_000);
  expect(read('{"scrollback":1}').scrollback).toBe(1_000);
});
