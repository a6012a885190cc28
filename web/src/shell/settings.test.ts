import { expect, test } from "vitest";
import { read } from "./settings.svelte";

test("settings that make no sense are the defaults", () => {
  expect(read("{")).toEqual(read(null));
  expect(read("null")).toEqual(read(null));
  expect(read('{"theme":"pink","fontSize":400,"scrollback":"many","notifications":true}')).toMatchObject({
    theme: "system",
    fontSize: 32,
    scrollback: 5_000,
    notifications: true,
  });
});
