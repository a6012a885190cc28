import { expect, test } from "vitest";
import { pastKey } from "./past-keys";

const pressed = (key: string, { shiftKey = false, isOnButton = false } = {}) =>
  pastKey({ key, shiftKey, isOnButton });

test("arrows step along the time line, farther with Shift", () => {
  expect(pressed("ArrowLeft")).toEqual({ does: "step", by: -0.01 });
  expect(pressed("ArrowRight", { shiftKey: true })).toEqual({ does: "step", by: 0.1 });
});

test("Space plays, unless it presses a button", () => {
  expect(pressed(" ")).toEqual({ does: "play" });
  expect(pressed(" ", { isOnButton: true })).toBeUndefined();
});

test("other keys are left alone", () => {
  expect(pressed("x")).toBeUndefined();
});
