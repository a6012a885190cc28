import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Veil } from "./veil";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = "<main><div>old</div></main>";
});
afterEach(() => {
  vi.useRealTimers();
  document.body.innerHTML = "";
});

const rows = () => document.querySelector<HTMLElement>("main > div");
const picture = () => document.querySelector("[data-veil]")?.textContent;
const frames = (count: number) => {
  for (let frame = 0; frame < count; frame++) vi.advanceTimersToNextFrame();
};

test("the old rows stay visible until the new rows are drawn", () => {
  const lift = new Veil().lay(rows(), "black");
  rows()?.replaceChildren("new");
  expect(picture()).toBe("old");
  lift();
  frames(1);
  expect(picture()).toBe("old");
  frames(1);
  expect(picture()).toBeUndefined();
});

test("a snapshot that begins before the last one is drawn stays covered", () => {
  const veil = new Veil();
  const first = veil.lay(rows(), "black");
  first();
  const second = veil.lay(rows(), "black");
  frames(2);
  expect(picture()).toBe("old");
  second();
  frames(2);
  expect(picture()).toBeUndefined();
});

test("a cover is removed after a while, and a late end does not remove the next cover", () => {
  const veil = new Veil();
  const late = veil.lay(rows(), "black");
  vi.advanceTimersByTime(2_000);
  expect(picture()).toBeUndefined();
  rows()?.replaceChildren("next");
  veil.lay(rows(), "black");
  late();
  frames(2);
  expect(picture()).toBe("next");
});
