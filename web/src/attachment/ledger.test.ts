import { describe, expect, it } from "vitest";

import { text, utf8 } from "../protocol/bytes";
import { Ledger, MOST_KEPT_BYTES, type Resumption } from "./ledger";

/** A connection that remembers the bytes it was given. */
function connection() {
  let given = 0;
  const messages: { text: string; token: number }[] = [];
  return {
    messages,
    type(ledger: Ledger, typed: string) {
      ledger.send(utf8(typed), ({ bytes, token }) => {
        const before = given;
        given += bytes.length;
        messages.push({ text: text(bytes), token });
        return before;
      });
    },
    get given() {
      return given;
    },
  };
}

const words = ({ doubtful, unsent }: Resumption) => ({ doubtful: text(doubtful), unsent: unsent.map(text) });

describe("the ledger of typed keys", () => {
  it("forgets keys that the host has confirmed", () => {
    const ledger = new Ledger();
    const wire = connection();
    wire.type(ledger, "ls");
    wire.type(ledger, "\r");
    expect(ledger.settled).toBe(false);
    ledger.confirm(wire.messages[1]?.token ?? 0);
    expect(ledger.settled).toBe(true);
    ledger.broke(wire.given);
    expect(words(ledger.resume(1, undefined))).toEqual({ doubtful: "", unsent: [] });
  });

  it("never sends keys again that may have arrived, and reports them", () => {
    const ledger = new Ledger();
    const wire = connection();
    wire.type(ledger, "a");
    wire.type(ledger, "b");
    ledger.confirm(wire.messages[0]?.token ?? 0);
    ledger.broke(wire.given);
    ledger.keep(utf8("c"));
    expect(words(ledger.resume(1, undefined))).toEqual({ doubtful: "b", unsent: ["c"] });
    expect(words(ledger.resume(1, undefined))).toEqual({ doubtful: "", unsent: [] });
  });

  it("sends keys again that certainly never left the browser", () => {
    const ledger = new Ledger();
    const wire = connection();
    wire.type(ledger, "a");
    const left = wire.given;
    wire.type(ledger, "b");
    wire.type(ledger, "c");
    ledger.broke(left);
    ledger.keep(utf8("d"));
    expect(words(ledger.resume(1, undefined))).toEqual({ doubtful: "a", unsent: ["b", "c", "d"] });
  });

  it("does not take a later connection that broke for the one that carried the keys", () => {
    const ledger = new Ledger();
    const wire = connection();
    wire.type(ledger, "abc");
    wire.type(ledger, "d");
    ledger.broke(wire.given);
    ledger.broke(1);
    ledger.broke(0);
    // It may have been given more than it is asked to remember: what says who we are comes before all that.
    ledger.broke(-100);
    expect(words(ledger.resume(1, undefined))).toEqual({ doubtful: "abcd", unsent: [] });
  });

  it("keeps a bounded amount, all or nothing", () => {
    const ledger = new Ledger();
    expect(ledger.keep(new Uint8Array(MOST_KEPT_BYTES - 1))).toBe(true);
    expect(ledger.keep(utf8("ab"))).toBe(false);
    expect(ledger.keep(utf8("a"))).toBe(true);
    expect(ledger.keptBytes).toBe(MOST_KEPT_BYTES);
  });

  it("is exact with a host that counts", () => {
    for (const arrived of [0, 1, 2, 3, 4, 5]) {
      const ledger = new Ledger();
      expect(words(ledger.resume(1, 100))).toEqual({ doubtful: "", unsent: [] });
      const wire = connection();
      wire.type(ledger, "ab");
      wire.type(ledger, "cde");
      ledger.broke(wire.given);
      ledger.keep(utf8("f"));
      const { doubtful, unsent } = words(ledger.resume(1, 100 + arrived));
      expect(doubtful).toBe("");
      expect("abcde".slice(0, arrived) + unsent.join("")).toBe("abcdef");
    }
  });

  it("counts on over several breaks", () => {
    const ledger = new Ledger();
    ledger.resume(1, 0);
    let host = "";
    for (const [typed, arrives] of [
      ["abc", 2],
      ["de", 0],
      ["f", 2],
    ] as const) {
      const wire = connection();
      wire.type(ledger, typed);
      host += typed.slice(0, arrives);
      ledger.broke(wire.given);
      const again = connection();
      for (const bytes of ledger.resume(1, host.length).unsent) again.type(ledger, text(bytes));
      host += again.messages.map((each) => each.text).join("");
      ledger.confirm(again.messages.at(-1)?.token ?? 0);
    }
    expect(host).toBe("abcdef");
  });

  it("ignores the count of another host", () => {
    const forged = [
      [2, 0],
      [1, 99],
      [1, 0],
    ] as const;
    for (const [epoch, typed] of forged) {
      const ledger = new Ledger();
      ledger.resume(1, 10);
      const wire = connection();
      wire.type(ledger, "abc");
      ledger.broke(wire.given);
      expect(words(ledger.resume(epoch, typed))).toEqual({ doubtful: "abc", unsent: [] });
    }
  });

  it("cuts a long paste into messages that arrive in order", () => {
    const ledger = new Ledger();
    const wire = connection();
    const paste = "0123456789".repeat(5000);
    wire.type(ledger, paste);
    expect(wire.messages.length).toBeGreaterThan(1);
    expect(wire.messages.map((each) => each.text).join("")).toBe(paste);
    for (const { token } of wire.messages) ledger.confirm(token);
    expect(ledger.settled).toBe(true);
  });
});
