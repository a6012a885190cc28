import { expect, test } from "vitest";
import { codeFrom, codeInHash } from "./sign-in";

test("a code is taken from a link or as it is", () => {
  expect(codeFrom(" http://abide.localhost:7433/#0fkq \n")).toBe("0fkq");
  expect(codeFrom("0fkq")).toBe("0fkq");
  expect(codeInHash("#0fkq")).toBe("0fkq");
  expect(codeInHash("#/board")).toBeUndefined();
  expect(codeInHash("")).toBeUndefined();
});
