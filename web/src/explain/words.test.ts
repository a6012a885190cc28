import { expect, test } from "vitest";
import { kindInWords } from "./words";

test("what a worker asks for is a sentence", () => {
  const asks = ["permission", "question", "trust", "api-key"].map((kind) => `It asks ${kindInWords(kind)}.`);
  expect(asks).toEqual([
    "It asks for a permission.",
    "It asks a question.",
    "It asks whether it may work in this directory.",
    "It asks for an API key.",
  ]);
});
