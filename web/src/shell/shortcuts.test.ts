import { describe, expect, test } from "vitest";
import { type Key, type Place, Shortcuts } from "./shortcuts";

function key(text: string): Key {
  const parts = text.split("+");
  const has = (name: string) => parts.includes(name);
  return {
    key: parts.at(-1) ?? "",
    ctrl: has("ctrl"),
    shift: has("shift"),
    alt: has("alt"),
    meta: has("meta"),
  };
}

function press(text: string, place: Place, mac = false) {
  return new Shortcuts(mac).press(key(text), place, 0);
}

describe("a terminal keeps its keys", () => {
  test.each([
    "ctrl+k",
    "ctrl+p",
    "ctrl+a",
    "ctrl+h",
    "ctrl+l",
    "n",
    "?",
    "/",
    "g",
    "alt+k",
    "ctrl+ ",
    "F1",
    "ctrl+shift+c",
    "ctrl+shift+v",
    "alt+ctrl+shift+p",
  ])("%s", (text) => {
    expect(press(text, "terminal")).toBeUndefined();
  });

  test("but for those with Ctrl+Shift that are ours", () => {
    expect(press("ctrl+shift+P", "terminal")).toBe("palette");
    expect(press("ctrl+shift+ ", "terminal")).toBe("palette");
    expect(press("ctrl+shift+A", "terminal")).toBe("nextAsking");
  });

  test("and for those with ⌘ on a Mac", () => {
    expect(press("meta+k", "terminal", true)).toBe("palette");
    expect(press("meta+shift+h", "terminal", true)).toBe("home");
    expect(press("meta+k", "terminal", false)).toBeUndefined();
    expect(press("meta+c", "terminal", true)).toBeUndefined();
  });
});

test("single keys do nothing while a person writes text", () => {
  expect(press("n", "text")).toBeUndefined();
  expect(press("?", "text")).toBeUndefined();
  expect(press("ctrl+k", "text")).toBe("palette");
});

test("single keys do something elsewhere", () => {
  expect(press("n", "elsewhere")).toBe("new");
  expect(press("shift+?", "elsewhere")).toBe("help");
  expect(press("ctrl+n", "elsewhere")).toBeUndefined();
});

test("g waits for where to go, but not for long, and only for the next key", () => {
  const keys = new Shortcuts(false);
  expect(keys.press(key("g"), "elsewhere", 0)).toBeUndefined();
  expect(keys.press(key("b"), "elsewhere", 500)).toBe("board");
  expect(keys.press(key("b"), "elsewhere", 600)).toBeUndefined();
  keys.press(key("g"), "elsewhere", 1_000);
  expect(keys.press(key("w"), "elsewhere", 3_000)).toBeUndefined();
  keys.press(key("g"), "elsewhere", 4_000);
  expect(keys.press(key("n"), "elsewhere", 4_100)).toBeUndefined();
});
