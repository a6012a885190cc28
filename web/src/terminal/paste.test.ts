import { describe, expect, it } from "vitest";

import { lineCount, needsWarning, pasted, quotedPath } from "./paste";

describe("a paste", () => {
  it("ends its lines as Enter does", () => {
    expect(pasted("a\nb\r\nc\rd", false)).toBe("a\rb\rc\rd");
    expect(pasted("a\tb", false)).toBe("a\tb");
  });

  it("is in brackets if the program asks for them, and cannot end them", () => {
    expect(pasted("a\nb", true)).toBe("\x1b[200~a\rb\x1b[201~");
    expect(pasted("a\x1b[201~rm -rf ~\r", true)).toBe("\x1b[200~a[201~rm -rf ~\r\x1b[201~");
    expect(pasted("\x9b201~\x03\x04", true)).toBe("\x1b[200~201~\x1b[201~");
  });

  it("needs a confirmation if it has several lines and the program would run them", () => {
    expect(needsWarning("ls", false)).toBe(false);
    expect(needsWarning("ls\n", false)).toBe(false);
    expect(needsWarning("ls\r\n", false)).toBe(false);
    expect(needsWarning("ls\nrm", false)).toBe(true);
    expect(needsWarning("ls\n\n", false)).toBe(true);
    expect(needsWarning("ls\nrm", true)).toBe(false);
  });

  it("has as many lines as a person would say", () => {
    expect(["a", "a\n", "a\nb", "a\r\nb\r\n"].map(lineCount)).toEqual([1, 1, 2, 2]);
  });
});

it("quotes a path that a shell would take apart", () => {
  expect(quotedPath("/data/uploads/1.png")).toBe("/data/uploads/1.png");
  expect(quotedPath("/data/it's here.png")).toBe("'/data/it'\\''s here.png'");
});
