import { expect, it } from "vitest";

import { KeyboardStack } from "./keyboard-stack";

it("has levels that come and go, as the host's", () => {
  const stack = new KeyboardStack();
  stack.push(5);
  stack.set(2, 2);
  expect(stack.flags).toBe(7);
  stack.set(1, 3);
  expect(stack.flags).toBe(6);
  stack.pop(1);
  expect(stack.flags).toBe(0);
  stack.set(9, 1);
  expect(stack.flags).toBe(9);
  stack.pop(1);
  expect(stack.flags).toBe(0);
  for (let flags = 0; flags < 100; flags += 1) stack.push(flags);
  stack.pop(32);
  expect(stack.flags).toBe(0);
  stack.set(3, 1);
  stack.push(1);
  stack.reset();
  expect(stack.flags).toBe(0);
});
