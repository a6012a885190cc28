import { expect, it } from "vitest";

import { leads, readable } from "./links";

it("opens pages, asks about other programs, and leads nowhere else", () => {
  expect(leads("https://example.com/a?b#c")).toEqual({ kind: "page", url: "https://example.com/a?b#c" });
  expect(leads("HTTP://EXAMPLE.com")).toEqual({ kind: "page", url: "http://example.com/" });
  expect(leads("mailto:a@example.com").kind).toBe("odd");
  for (const bad of [
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vscode://file/x",
    "ssh://host",
    "no",
  ]) {
    expect(leads(bad).kind, bad).toBe("nowhere");
  }
});

it("shows a target so that it can be read", () => {
  expect(readable("https://example.com/\u202Egnp.exe")).toBe("https://example.com/%E2%80%AEgnp.exe");
  expect(readable(`https://${"a".repeat(1000)}`)).toHaveLength(300);
});
