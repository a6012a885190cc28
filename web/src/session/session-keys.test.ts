import { expect, it } from "vitest";

import { keysOf, sessionKey } from "./session-keys";

const none = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };
const altShift = { ...none, altKey: true, shiftKey: true };

it("takes no key that a program knows", () => {
  for (const code of ["KeyT", "ArrowLeft", "Digit1", "KeyF", "Enter"]) {
    expect(sessionKey({ ...none, code })).toBeUndefined();
    expect(sessionKey({ ...none, code, ctrlKey: true })).toBeUndefined();
    expect(sessionKey({ ...none, code, altKey: true })).toBeUndefined();
    expect(sessionKey({ ...none, code, shiftKey: true })).toBeUndefined();
  }
  expect(sessionKey({ ...altShift, code: "KeyT", ctrlKey: true })).toBeUndefined();
  expect(sessionKey({ ...none, ctrlKey: true, shiftKey: true, code: "KeyC" })).toBeUndefined();
});

it("recognises its own keys", () => {
  expect(sessionKey({ ...altShift, code: "ArrowRight" })).toBe("nextTab");
  expect(sessionKey({ ...altShift, code: "Digit3" })).toBe("tab3");
  expect(sessionKey({ ...none, ctrlKey: true, shiftKey: true, code: "KeyF" })).toBe("find");
});

it("says how they are written", () => {
  expect(keysOf("nextTab")).toBe("Alt+Shift+→");
  expect(keysOf("splitRight")).toBe("Alt+Shift+D");
  expect(keysOf("find")).toBe("Ctrl+Shift+F");
  expect(keysOf("restart")).toBeUndefined();
});
