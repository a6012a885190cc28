import { expect, test } from "vitest";
import type { TranscriptEntry } from "../api/client";
import { items, joined } from "./conversation";

const said = (kind: "prompt" | "answer", text: string, id: string | null = null): TranscriptEntry => ({
  id,
  at: null,
  kind,
  text,
  cut: false,
});
const call = (callId: string): TranscriptEntry => ({
  id: null,
  at: null,
  kind: "call",
  callId,
  tool: "Bash",
  text: "ls",
  cut: false,
});
const result = (callId: string, text: string): TranscriptEntry => ({
  id: null,
  at: null,
  kind: "result",
  callId,
  failed: false,
  text,
  cut: false,
});

test("an entry that comes again takes the place of the earlier one", () => {
  const first = joined([], [said("prompt", "a"), said("answer", "half", "1")]);
  const all = joined(first, [said("answer", "whole", "1"), said("prompt", "b")]);
  expect(items(all).map(({ text }) => text)).toEqual(["a", "whole", "b"]);
  expect(joined([], [said("answer", "x", "1"), said("answer", "y", "1")])).toHaveLength(1);
});

test("a result stands with its call, also when it comes later", () => {
  const shown = items([said("prompt", "a"), call("1"), call("2"), result("2", "two"), result("1", "one")]);
  expect(shown.map((item) => (item.kind === "tool" ? item.result?.text : item.text))).toEqual([
    "a",
    "one",
    "two",
  ]);
  const [alone] = items([result("9", "nine")]);
  expect(alone).toMatchObject({ kind: "tool", result: { text: "nine" } });
});

test("what was used is not shown, and what is too long is", () => {
  const tokens = { input: 1, output: 1, thinking: 0, cacheRead: 0, cacheWrite: 0 };
  const shown = items([
    { id: null, at: null, kind: "usage", model: null, costUsd: null, context: null, ...tokens },
    { id: null, at: null, kind: "tooLong", bytes: 9_000_000 },
  ]);
  expect(shown).toHaveLength(1);
});
