import { describe, expect, it } from "vitest";

import { encodeKey, type Key, type KeyboardModes } from "./kitty-keys";

/** Writes a key as people do: `ctrl+shift+a`. */
function press(name: string, more: Partial<Key> = {}): Key {
  const parts = name === "+" ? ["+"] : name.split("+");
  const key = parts.at(-1) ?? "";
  const held = new Set(parts.slice(0, -1));
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : /^\d$/.test(key) ? `Digit${key}` : key;
  return {
    key,
    code,
    event: "press",
    shift: held.has("shift"),
    alt: held.has("alt"),
    ctrl: held.has("ctrl"),
    meta: held.has("meta"),
    altGraph: false,
    capsLock: false,
    numLock: false,
    ...more,
  };
}

function typed(key: Key | string, flags = 0, modes: Partial<KeyboardModes> = {}): string {
  const description = typeof key === "string" ? press(key) : key;
  const answer = encodeKey(description, {
    flags,
    applicationCursor: false,
    modifyOtherKeys: 0,
    mac: false,
    ...modes,
  });
  return answer.kind === "send" ? answer.text.replaceAll("\x1b", "ESC ") : `(${answer.kind})`;
}

const table = (flags: number, rows: [string, string][]) =>
  it.each(rows)("%s is %j", (key, bytes) => expect(typed(key, flags)).toBe(bytes));

describe("without flags, as xterm does it", () => {
  table(0, [
    ["a", "(text)"],
    ["shift+A", "(text)"],
    ["ctrl+a", "\x01"],
    ["ctrl+shift+A", "\x01"],
    ["ctrl+ ", "\0"],
    ["ctrl+[", "ESC "],
    ["ctrl+\\", "\x1c"],
    ["ctrl+/", "\x1f"],
    ["ctrl+_", "\x1f"],
    ["ctrl+9", "(nothing)"],
    ["alt+a", "ESC a"],
    ["alt+shift+A", "ESC A"],
    ["ctrl+alt+a", "ESC \x01"],
    ["Enter", "\r"],
    ["shift+Enter", "\r"],
    ["alt+Enter", "ESC \r"],
    ["Tab", "\t"],
    ["shift+Tab", "ESC [Z"],
    ["Backspace", "\x7f"],
    ["ctrl+Backspace", "\b"],
    ["alt+Backspace", "ESC \x7f"],
    ["Escape", "ESC "],
    ["ArrowUp", "ESC [A"],
    ["ctrl+ArrowLeft", "ESC [1;5D"],
    ["shift+alt+End", "ESC [1;4F"],
    ["F1", "ESC OP"],
    ["F3", "ESC OR"],
    ["shift+F3", "ESC [1;2R"],
    ["F5", "ESC [15~"],
    ["ctrl+F12", "ESC [24;5~"],
    ["Delete", "ESC [3~"],
    ["shift+PageUp", "ESC [5;2~"],
    ["Shift", "(nothing)"],
    ["Dead", "(text)"],
    ["meta+c", "(text)"],
  ]);

  it("has another form of the cursor keys for applications", () => {
    expect(typed("ArrowUp", 0, { applicationCursor: true })).toBe("ESC OA");
    expect(typed("Home", 0, { applicationCursor: true })).toBe("ESC OH");
    expect(typed("ctrl+ArrowUp", 0, { applicationCursor: true })).toBe("ESC [1;5A");
  });

  it("leaves what AltGr and Option write to the keyboard", () => {
    expect(typed(press("ctrl+alt+@", { altGraph: true, code: "KeyQ" }))).toBe("(text)");
    expect(typed(press("alt+å", { code: "KeyA" }), 0, { mac: true })).toBe("(text)");
    expect(typed(press("alt+å", { code: "KeyA" }))).toBe("ESC å");
  });

  it("controls by position where the letters are not Latin", () => {
    expect(typed(press("ctrl+с", { code: "KeyC" }))).toBe("\x03");
  });

  it("sends nothing when a key is released", () => {
    expect(typed(press("a", { event: "release" }))).toBe("(nothing)");
    expect(typed(press("ArrowUp", { event: "repeat" }))).toBe("ESC [A");
  });

  it("tells keys apart in xterm's own way if a program wants that", () => {
    const level = (modifyOtherKeys: number) => (key: string) => typed(key, 0, { modifyOtherKeys });
    expect(
      ["shift+Enter", "ctrl+i", "alt+a", "ctrl+1", "shift+A", "shift+Tab", "Enter"].map(level(2)),
    ).toEqual([
      "ESC [27;2;13~",
      "ESC [27;5;105~",
      "ESC [27;3;97~",
      "ESC [27;5;49~",
      "(text)",
      "ESC [Z",
      "\r",
    ]);
    expect(["shift+Enter", "ctrl+i", "alt+a", "ctrl+1"].map(level(1))).toEqual([
      "ESC [27;2;13~",
      "\t",
      "ESC a",
      "ESC [27;5;49~",
    ]);
  });
});

describe("with flag 1, keys that looked alike are told apart", () => {
  table(1, [
    ["a", "(text)"],
    ["shift+A", "(text)"],
    ["Escape", "ESC [27u"],
    ["ctrl+a", "ESC [97;5u"],
    ["ctrl+i", "ESC [105;5u"],
    ["ctrl+shift+A", "ESC [97;6u"],
    ["alt+a", "ESC [97;3u"],
    ["ctrl+alt+a", "ESC [97;7u"],
    ["ctrl+[", "ESC [91;5u"],
    ["Enter", "\r"],
    ["shift+Enter", "ESC [13;2u"],
    ["ctrl+Enter", "ESC [13;5u"],
    ["Tab", "\t"],
    ["shift+Tab", "ESC [9;2u"],
    ["Backspace", "\x7f"],
    ["ctrl+Backspace", "ESC [127;5u"],
    ["ArrowUp", "ESC [A"],
    ["shift+ArrowUp", "ESC [1;2A"],
    ["F1", "ESC [P"],
    ["ctrl+F1", "ESC [1;5P"],
    ["F3", "ESC [13~"],
    ["F5", "ESC [15~"],
    ["shift+F5", "ESC [15;2~"],
    ["F13", "ESC [57376u"],
    ["ContextMenu", "ESC [57363u"],
    ["Shift", "(nothing)"],
    ["CapsLock", "ESC [57358u"],
  ]);

  it("ignores the mode of the cursor keys", () => {
    expect(typed("ArrowUp", 1, { applicationCursor: true })).toBe("ESC [A");
  });

  it("names a key by what it writes without Shift", () => {
    expect(typed(press("ctrl+shift+!", { code: "Digit1" }), 1)).toBe("ESC [49;6u");
    expect(typed(press("ctrl+shift+É", { code: "Digit2" }), 1)).toBe("ESC [233;6u");
  });

  it("has numbers of its own for the keypad, but not for what writes", () => {
    expect(typed(press("Enter", { code: "NumpadEnter" }), 1)).toBe("ESC [57414u");
    expect(typed(press("Home", { code: "Numpad7" }), 1)).toBe("ESC [57423u");
    expect(typed(press("7", { code: "Numpad7" }), 1)).toBe("(text)");
  });

  it("leaves locks out", () => {
    expect(typed(press("ArrowUp", { numLock: true, capsLock: true }), 1)).toBe("ESC [A");
  });
});

describe("with flag 2, repeats and releases are told", () => {
  it("of keys that are sequences", () => {
    expect(typed(press("ArrowUp", { event: "repeat" }), 3)).toBe("ESC [1;1:2A");
    expect(typed(press("ArrowUp", { event: "release" }), 3)).toBe("ESC [1;1:3A");
    expect(typed(press("ctrl+ArrowUp", { event: "release" }), 3)).toBe("ESC [1;5:3A");
    expect(typed(press("Delete", { event: "release" }), 3)).toBe("ESC [3;1:3~");
    expect(typed(press("Escape", { event: "release" }), 3)).toBe("ESC [27;1:3u");
    expect(typed(press("ctrl+a", { event: "repeat" }), 3)).toBe("ESC [97;5:2u");
  });

  it("of text only when it is let go", () => {
    expect(typed(press("a", { event: "repeat" }), 3)).toBe("(text)");
    expect(typed(press("a", { event: "release" }), 3)).toBe("ESC [97;1:3u");
  });

  it("not of the keys that a shell needs", () => {
    for (const key of ["Enter", "Tab", "Backspace"]) {
      expect(typed(press(key, { event: "release" }), 3)).toBe("(nothing)");
      expect(typed(press(key, { event: "release" }), 11)).toMatch(/;1:3u$/);
    }
    expect(typed(press("Enter", { event: "repeat" }), 3)).toBe("\r");
  });
});

describe("with flag 4, a key's other numbers are told", () => {
  it("with Shift and by position", () => {
    expect(typed("ctrl+shift+A", 5)).toBe("ESC [97:65;6u");
    expect(typed("ctrl+a", 5)).toBe("ESC [97u".replace("u", ";5u"));
    expect(typed(press("ctrl+с", { code: "KeyC" }), 5)).toBe("ESC [1089::99;5u");
    expect(typed(press("ctrl+shift+С", { code: "KeyC" }), 5)).toBe("ESC [1089:1057:99;6u");
    expect(typed(press("ctrl+shift+!", { code: "Digit1" }), 5)).toBe("ESC [49:33;6u");
    expect(typed(press("ctrl+q", { code: "KeyA" }), 5)).toBe("ESC [113::97;5u");
  });
});

describe("with flag 8, every key is a sequence", () => {
  table(8, [
    ["a", "ESC [97u"],
    ["shift+A", "ESC [97;2u"],
    ["Enter", "ESC [13u"],
    ["Tab", "ESC [9u"],
    ["shift+Tab", "ESC [9;2u"],
    ["Backspace", "ESC [127u"],
    ["Escape", "ESC [27u"],
    [" ", "ESC [32u"],
    ["F3", "ESC [13~"],
    ["Dead", "(text)"],
  ]);

  it("modifiers too, which count as held while they are pressed", () => {
    expect(typed(press("shift+Shift", { code: "ShiftLeft" }), 8)).toBe("ESC [57441;2u");
    expect(typed(press("Control", { code: "ControlRight", event: "release" }), 10)).toBe("ESC [57448;1:3u");
    expect(typed(press("Control", { code: "ControlRight", event: "release" }), 8)).toBe("(nothing)");
  });

  it("the keypad and locks", () => {
    expect(typed(press("7", { code: "Numpad7", numLock: true }), 8)).toBe("ESC [57406;129u");
    expect(typed(press("a", { capsLock: true }), 8)).toBe("ESC [97;65u");
  });
});

describe("with flag 16, the text comes with the key", () => {
  it("if the key writes any", () => {
    expect(typed("a", 24)).toBe("ESC [97;;97u");
    expect(typed("shift+A", 24)).toBe("ESC [97;2;65u");
    expect(typed("shift+A", 28)).toBe("ESC [97:65;2;65u");
    expect(typed("ctrl+a", 24)).toBe("ESC [97;5u");
    expect(typed("Enter", 24)).toBe("ESC [13u");
    expect(typed(press("a", { event: "repeat" }), 26)).toBe("ESC [97;1:2;97u");
    expect(typed(press("a", { event: "release" }), 26)).toBe("ESC [97;1:3u");
    expect(typed(press("ctrl+alt+@", { altGraph: true, code: "KeyQ" }), 24)).toBe("ESC [64;;64u");
  });

  it("and only where all keys are sequences", () => {
    expect(typed("a", 17)).toBe("(text)");
  });
});
