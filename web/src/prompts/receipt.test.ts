import { expect, test } from "vitest";
import type { Prompt, PromptState } from "../api/client";
import { listed, receipt } from "./receipt";

const prompt = (id: string, state: PromptState, changedAt = "2026-11-19T12:00:00Z"): Prompt => ({
  id,
  workerId: "w",
  text: id,
  whenIdle: false,
  sender: "you",
  createdAt: changedAt,
  changedAt,
  state,
});

test("a queued prompt says what it waits for, and one that was not submitted says why", () => {
  expect(receipt({ kind: "queued", waitsFor: "answer" })).toEqual({
    tone: "quiet",
    word: "queued",
    more: "until its question is answered",
  });
  expect(receipt({ kind: "queued" })).toEqual({ tone: "quiet", word: "queued" });
  expect(receipt({ kind: "failed", reason: "It has ended." })).toEqual({
    tone: "bad",
    word: "not submitted",
    more: "It has ended.",
  });
});

test("what is under way is listed first and in its order; what went well leaves soon, what did not stays", () => {
  const prompts = [
    prompt("old", { kind: "started" }, "2026-11-19T11:50:00Z"),
    prompt("lost", { kind: "unknown", reason: "?" }, "2026-11-19T11:50:00Z"),
    prompt("done", { kind: "started" }),
    prompt("gone", { kind: "cancelled", reason: "removed" }),
    prompt("now", { kind: "pasting" }),
    prompt("next", { kind: "queued", waitsFor: "earlier" }),
  ];
  const now = Date.parse("2026-11-19T12:00:30Z");
  expect(listed(prompts, now).map(({ id }) => id)).toEqual(["now", "next", "done", "lost"]);
});
