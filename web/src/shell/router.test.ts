import { afterEach, beforeEach, expect, test } from "vitest";
import { router } from "./router.svelte";

beforeEach(() => {
  history.replaceState(null, "", "#/past/w1");
  router.go({ name: "past", worker: "w1" });
});
afterEach(() => {
  history.replaceState(null, "", "#/");
  router.go({ name: "home" });
});

test("the address follows the moment that the person looks at", () => {
  router.replace({ name: "past", worker: "w1", at: 7 });
  expect(location.hash).toBe("#/past/w1?at=7");
  expect(router.route).toEqual({ name: "past", worker: "w1", at: 7 });
});

test("a view that the person has left does not change the address", () => {
  // As when the browser has taken the new address and not told of it yet.
  history.replaceState(null, "", "#/settings");
  router.replace({ name: "past", worker: "w1", at: 7 });
  expect(location.hash).toBe("#/settings");
  expect(router.route).toEqual({ name: "settings" });
});
