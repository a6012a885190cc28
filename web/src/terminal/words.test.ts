import { describe, expect, it } from "vitest";

import { utf8 } from "../protocol/bytes";
import { browserName, duration, exitInWords, othersInWords, remarkOn, visibleKeys } from "./words";

const NONE = new Uint8Array(0);

describe("words", () => {
  it("say whether the typed keys arrived", () => {
    const back = {
      kind: "reconnected",
      afterMs: 3_200,
      sentBytes: 0,
      doubtful: NONE,
      isNewHost: false,
    } as const;
    expect(remarkOn(back)?.text).toBe("Reconnected after 3 s, nothing lost");
    expect(remarkOn({ ...back, isNewHost: true })?.text).toBe(
      "Reconnected after 3 s. Another host took over; output of that moment may be missing",
    );
    expect(remarkOn({ ...back, sentBytes: 4 })?.text).toBe(
      "Reconnected after 3 s, what you typed meanwhile was sent",
    );
    expect(remarkOn({ ...back, doubtful: utf8("ls\r") })).toEqual({
      tone: "warn",
      text: "Reconnected after 3 s. Check whether this arrived; it was not sent again: ls⏎",
    });
    expect(remarkOn({ kind: "refused", code: "exited", message: "x" })).toBeUndefined();
    expect(remarkOn({ kind: "refused", code: "news", message: "as it is" })?.text).toBe("as it is");
  });

  it("make keys readable", () => {
    expect(visibleKeys(utf8("a b\t\x03\x1b[A\x7f日"))).toBe("a␣b⇥^C␛[A⌫日");
    expect(visibleKeys(utf8("x".repeat(100)))).toBe(`…${"x".repeat(60)}`);
  });

  it("say how long", () => {
    expect([0, 420, 999, 59_000, 125_000, 3_900_000].map(duration)).toEqual([
      "0.1 s",
      "0.4 s",
      "1 s",
      "59 s",
      "2 min",
      "1 h 5 min",
    ]);
  });

  it("name the viewers", () => {
    const viewer = (id: number, name: string) => ({
      id,
      name,
      readOnly: false,
      ownsSize: false,
      size: undefined,
    });
    const all = [viewer(1, "me/0z: Chrome on Linux"), viewer(2, "me/0z: Chrome on Linux"), viewer(3, "cli")];
    expect(othersInWords(all, 1)).toBe("Chrome on Linux, cli");
    expect(othersInWords(all, 3)).toBe("Chrome on Linux ×2");
    expect(othersInWords(all.slice(0, 1), 1)).toBeUndefined();
  });

  it("say how it ended, and what this browser is", () => {
    expect(exitInWords({ kind: "exited", code: 0 })).toBe("Exited");
    expect(exitInWords({ kind: "exited", code: 3 })).toBe("Exited with code 3");
    expect(exitInWords({ kind: "killed", signal: 9 })).toBe("Ended by signal 9");
    expect(browserName("Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0 Safari/537.36")).toBe("Chrome on Linux");
    expect(browserName("")).toBe("Browser");
  });
});
