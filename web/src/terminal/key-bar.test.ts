import { expect, test } from "vitest";
import { held, NONE_HELD, typedKey } from "./key-bar";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a held modifier makes another key of the next one, of either keyboard", () => {
  const up = { key: "ArrowUp", code: "ArrowUp" };
  expect(held(up, NONE_HELD)).toEqual(up);
  expect(held(up, { ctrl: false, alt: true })).toEqual({ ...up, alt: true });
  expect(typedKey(bytes("C"), { ctrl: true, alt: false })).toEqual({
    key: "c",
    code: "",
    shift: false,
    ctrl: true,
  });
  expect(typedKey(bytes("B"), { ctrl: false, alt: true })).toEqual({
    key: "B",
    code: "",
    shift: true,
    alt: true,
  });
});

test("what is not one typed character stays as it is", () => {
  expect(typedKey(bytes("c"), NONE_HELD)).toBeUndefined();
  for (const text of ["ls", "é", "\r", ""])
    expect(typedKey(bytes(text), { ctrl: true, alt: true })).toBeUndefined();
});
