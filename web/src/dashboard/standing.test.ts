import { expect, test } from "vitest";
import type { Worker } from "../api/client";
import { plainTitle, standing } from "./standing";
import { worker } from "./testing";

const word = (more: Partial<Worker>) => standing(worker("w", "s", more)).word;

test("a state is shown in one word", () => {
  expect(word({})).toBe("live");
  expect(word({ activity: "idle" })).toBe("idle");
  expect(word({ state: { kind: "exited", exitCode: 3 } })).toBe("exited 3");
  expect(word({ state: { kind: "exited", exitCode: 137, signal: 9 } })).toBe("ended by SIGKILL");
  expect(word({ state: { kind: "exited", exitCode: 192, signal: 64 } })).toBe("ended by signal 64");
  expect(word({ state: { kind: "lost", reason: "gone" }, activity: "asking" })).toBe("lost");
});

test("the state shows the question of an agent", () => {
  expect(standing(worker("w", "s", { activity: "asking", asking: "May I?" }))).toEqual({
    tone: "asking",
    word: "asking",
    reason: "May I?",
  });
});

test("titles are shown without the marks that agents put before them", () => {
  const title = (text: string) => plainTitle(worker("w", "s", { name: "Claude", title: text }));
  expect(title("✳ Fix the login")).toBe("Fix the login");
  expect(title("⠙ demo")).toBe("demo");
  expect(title("vim README.md")).toBe("vim README.md");
  expect(title("✳ Claude")).toBeUndefined();
  expect(title("")).toBeUndefined();
});
