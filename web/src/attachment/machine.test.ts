import { describe, expect, it } from "vitest";

import { text, utf8 } from "../protocol/bytes";
import { decodeFrame } from "../protocol/frames";
import type { HostMessage, Size } from "../protocol/messages";
import type { Effect, Event, Mark } from "./events";
import { MOST_KEPT_BYTES } from "./ledger";
import { Machine, type MachineOptions } from "./machine";

const SIZE = { cols: 80, rows: 24 };
const NAMES: Record<number, string> = {
  16: "Input",
  17: "Resize",
  19: "Attach",
  20: "Ack",
  21: "Focus",
  23: "Ping",
  24: "Redraw",
};

function started(options: Partial<MachineOptions> = {}) {
  const machine = new Machine({
    name: "a tab",
    readOnly: false,
    history: 100,
    size: SIZE,
    typist: "typist",
    random: () => 1,
    ...options,
  });
  let now = 1_000;
  const seen: Effect[] = [];
  const handle = (event: Event) => {
    const effects = machine.handle(event, now);
    seen.push(...effects);
    return effects;
  };
  const hear = (message: HostMessage) => handle({ kind: "message", message });
  const welcome = (change: Partial<HostMessage & { kind: "welcome" }> = {}) =>
    hear({
      kind: "welcome",
      version: 1,
      epoch: 1,
      offset: 7,
      size: SIZE,
      viewer: 3,
      typed: undefined,
      ...change,
    });
  const connected = (change: Partial<HostMessage & { kind: "welcome" }> = {}) => {
    const opened = handle({ kind: "opened" });
    welcome(change);
    return opened;
  };
  handle({ kind: "start" });
  return {
    machine,
    handle,
    hear,
    welcome,
    connected,
    pass: (ms: number) => {
      now += ms;
    },
    type: (typed: string) => handle({ kind: "typed", bytes: utf8(typed) }),
    snapshot: (at: number, bytes: string, last = true) =>
      hear({ kind: "snapshot", at, last, bytes: utf8(bytes) }),
    output: (at: number, bytes: string | Uint8Array) =>
      hear({ kind: "output", at, bytes: typeof bytes === "string" ? utf8(bytes) : bytes }),
    broke: (code = 1006, unsentBytes = 0) => handle({ kind: "broke", code, reason: "", unsentBytes }),
    retry: () => handle({ kind: "rang", timer: "retry" }),
    notices: () => seen.flatMap((effect) => (effect.kind === "notice" ? [effect.notice] : [])),
  };
}

const sent = (effects: Effect[]): string[] =>
  effects.flatMap((effect) => {
    if (effect.kind !== "send") return [];
    const { type, payload } = decodeFrame(effect.message);
    return [payload.length === 0 || type === 17 ? `${NAMES[type]}` : `${NAMES[type]} ${text(payload)}`];
  });
const inputs = (effects: Effect[]) =>
  sent(effects)
    .filter((message) => message.startsWith("Input"))
    .map((message) => message.slice(6));
const attach = (effects: Effect[]): Record<string, unknown> => {
  const message = sent(effects).find((each) => each.startsWith("Attach"));
  return JSON.parse(message?.slice(7) ?? "null");
};
const kinds = (effects: Effect[]) => effects.map((effect) => effect.kind);
const shown = (effects: Effect[]): string[] =>
  effects.flatMap((effect) =>
    effect.kind === "snapshot" || effect.kind === "output" ? [`${effect.kind} ${text(effect.bytes)}`] : [],
  );
const markOf = (effects: Effect[]): Mark => {
  for (const effect of effects)
    if (effect.kind === "snapshot" || effect.kind === "output") return effect.mark;
  throw new Error("nothing was shown");
};
const timer = (effects: Effect[], timer: string) =>
  effects.flatMap((effect) => (effect.kind === "ring" && effect.timer === timer ? [effect.afterMs] : []));

describe("attaching", () => {
  it("sends its request and shows the answer", () => {
    const it = started();
    expect(attach(it.handle({ kind: "opened" }))).toEqual({
      version: 1,
      form: "full",
      ack: true,
      events: true,
      history: 100,
      readOnly: false,
      size: SIZE,
      name: "a tab",
      typist: "typist",
    });
    it.welcome();
    expect(it.machine.state).toMatchObject({ kind: "live", owner: "me", me: 3 });
    expect(shown(it.snapshot(7, "scr", false))).toEqual([]);
    expect(shown(it.snapshot(7, "een"))).toEqual(["snapshot screen"]);
    expect(shown(it.output(7, "abc"))).toEqual(["output abc"]);
  });

  it("knows which viewer owns the size", () => {
    const it = started();
    it.connected();
    it.hear({ kind: "resized", size: { cols: 100, rows: 30 }, owner: 9 });
    expect(it.machine.state).toMatchObject({ kind: "live", owner: "other", size: { cols: 100, rows: 30 } });
    const viewer = { id: 3, name: "me", readOnly: false, ownsSize: true, size: SIZE };
    it.hear({ kind: "viewers", viewers: [viewer] });
    expect(it.machine.state).toMatchObject({ owner: "me", viewers: [viewer] });
    it.hear({ kind: "resized", size: SIZE, owner: undefined });
    expect(it.machine.state).toMatchObject({ owner: "none" });
  });

  it("without a size of its own, changes the size only after the person acts", () => {
    const it = started({ size: undefined });
    expect(attach(it.connected())).not.toHaveProperty("size");
    const fitted: Size = { cols: 50, rows: 20 };
    expect(sent(it.handle({ kind: "fitted", size: fitted }))).toEqual([]);
    expect(sent(it.type("x"))).toEqual(["Resize", "Input x", 'Ping {"token":1}']);
    expect(sent(it.type("y"))).toEqual(["Input y", 'Ping {"token":2}']);
    expect(sent(it.handle({ kind: "fitted", size: SIZE }))).toEqual(["Resize"]);
  });

  it("takes the size over when asked to", () => {
    const it = started({ size: undefined });
    it.connected();
    it.handle({ kind: "fitted", size: SIZE });
    expect(sent(it.handle({ kind: "tookOver" }))).toEqual(["Resize", "Focus"]);
  });

  it("never types when it only watches", () => {
    const it = started({ readOnly: true });
    it.connected();
    expect(it.type("rm -rf")).toEqual([]);
  });
});

describe("acknowledging", () => {
  it("acknowledges a shown snapshot at once and shown output every so often", () => {
    const it = started();
    it.connected();
    const snapshot = markOf(it.snapshot(7, "screen"));
    expect(sent(it.handle({ kind: "shown", mark: snapshot }))).toEqual(['Ack {"offset":7}']);
    const some = markOf(it.output(7, new Uint8Array(40_000)));
    const more = markOf(it.output(40_007, new Uint8Array(40_000)));
    expect(sent(it.handle({ kind: "shown", mark: some }))).toEqual([]);
    expect(sent(it.handle({ kind: "shown", mark: more }))).toEqual(['Ack {"offset":80007}']);
  });

  it("acknowledges nothing from an earlier connection", () => {
    const it = started();
    it.connected();
    const old = markOf(it.snapshot(500_000, "screen"));
    it.broke();
    it.retry();
    it.connected({ epoch: 2 });
    expect(sent(it.handle({ kind: "shown", mark: old }))).toEqual([]);
  });
});

describe("holes", () => {
  it("are never shown: the page asks the host for the screen, and drops all output until it comes", () => {
    const it = started();
    it.connected();
    it.snapshot(7, "screen");
    const hole = it.output(9, "x");
    expect(shown(hole)).toEqual([]);
    expect(sent(hole)).toEqual(["Redraw"]);
    const next = it.output(10, "y");
    expect([shown(next), sent(next)]).toEqual([[], []]);
    expect(shown(it.snapshot(11, "whole"))).toEqual(["snapshot whole"]);
    expect(shown(it.output(11, "z"))).toEqual(["output z"]);
  });
});

describe("a connection that breaks", () => {
  it("resumes by epoch and offset, and shows nothing twice", () => {
    const it = started();
    it.connected();
    it.snapshot(7, "screen");
    it.output(7, "abc");
    it.pass(60_000);
    const broken = it.broke();
    expect(it.machine.state).toMatchObject({ kind: "reconnecting", attempt: 0, since: 61_000 });
    expect(shown(broken)).toEqual([]);
    expect(timer(broken, "retry")[0]).toBeLessThan(100);
    expect(kinds(it.retry())).toContain("open");
    expect(attach(it.connected())).toMatchObject({ epoch: 1, since: 10, size: SIZE });
    expect(shown(it.output(10, "d"))).toEqual(["output d"]);
    expect(it.machine.state.kind).toBe("live");
  });

  it("ends in a snapshot when the host is another", () => {
    const it = started();
    it.connected();
    it.snapshot(7, "screen");
    it.broke(4001);
    it.retry();
    it.connected({ epoch: 2 });
    expect(sent(it.output(7, "x"))).toEqual(["Redraw"]);
    expect(shown(it.snapshot(7, "adopted"))).toEqual(["snapshot adopted"]);
  });

  it("does not resume by offset when a new size was on its way", () => {
    const it = started();
    it.connected();
    it.snapshot(7, "screen");
    it.hear({ kind: "resized", size: { cols: 100, rows: 30 }, owner: 3 });
    it.broke();
    it.retry();
    expect(attach(it.connected())).not.toHaveProperty("since");
  });

  it("does not take the size from another viewer when it resumes", () => {
    const it = started();
    it.connected();
    it.hear({ kind: "resized", size: { cols: 100, rows: 30 }, owner: 9 });
    it.broke();
    it.retry();
    expect(attach(it.connected())).not.toHaveProperty("size");
  });

  it("is tried again ever more slowly, and at once when the tab wakes", () => {
    const it = started();
    it.connected();
    const waits: (number | undefined)[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      waits.push(timer(it.broke(), "retry")[0]);
      it.retry();
    }
    expect(waits).toEqual([60, 250, 500, 1000]);
    it.broke();
    expect(kinds(it.handle({ kind: "woke" }))).toContain("open");
    it.connected();
    it.pass(4_000);
    expect(timer(it.broke(), "retry"), "one that breaks at once is no success").toEqual([1500]);
    it.retry();
    it.connected();
    it.pass(6_000);
    expect(timer(it.broke(), "retry")).toEqual([60]);
  });

  it("is noticed when it falls silent", () => {
    const it = started();
    it.connected();
    expect(timer(it.type("x"), "silence")).toEqual([10_000]);
    expect(timer(it.type("y"), "silence"), "the first unanswered one counts").toEqual([]);
    expect(kinds(it.hear({ kind: "pong", token: 2 }))).toEqual(["hush"]);
    expect(sent(it.handle({ kind: "rang", timer: "heartbeat" }))).toEqual(['Ping {"token":3}']);
    const silent = it.handle({ kind: "rang", timer: "silence" });
    expect(kinds(silent)).toContain("drop");
    expect(it.machine.state.kind).toBe("reconnecting");
  });

  it("is old from the last thing that was heard on", () => {
    const it = started();
    it.connected();
    it.pass(4_000);
    it.output(7, "x");
    it.pass(9_000);
    it.handle({ kind: "doubted" });
    it.pass(3_000);
    it.handle({ kind: "rang", timer: "silence" });
    expect(it.machine.state).toMatchObject({ kind: "reconnecting", since: 5_000 });
  });

  it.each(["woke", "doubted"] as const)("is tried when the tab %s", (kind) => {
    const it = started();
    it.connected();
    const woken = it.handle({ kind });
    expect(sent(woken)).toHaveLength(1);
    expect(timer(woken, "silence")).toEqual([3_000]);
  });

  it("is given up after bytes that are not a message", () => {
    const it = started();
    it.connected();
    expect(kinds(it.handle({ kind: "garbled", why: "too short" }))).toContain("drop");
    expect(it.machine.state.kind).toBe("reconnecting");
  });
});

describe("typed text", () => {
  it("is followed by a ping, so that the page knows whether it arrived", () => {
    const it = started();
    it.connected();
    expect(sent(it.type("ls"))).toEqual(["Input ls", 'Ping {"token":1}']);
  });

  it("is kept while there is no connection, and sent once", () => {
    const it = started();
    it.type("early ");
    it.handle({ kind: "opened" });
    expect(inputs(it.welcome())).toEqual(["early "]);
    it.hear({ kind: "pong", token: 1 });
    it.broke();
    it.type("a");
    it.type("b");
    it.pass(3_000);
    it.retry();
    it.handle({ kind: "opened" });
    expect(inputs(it.welcome())).toEqual(["ab"]);
    expect(it.notices().at(-1)).toEqual({
      kind: "reconnected",
      afterMs: 3_000,
      sentBytes: 2,
      doubtful: new Uint8Array(0),
      isNewHost: false,
    });
    it.broke();
    it.retry();
    it.handle({ kind: "opened" });
    const again = it.welcome();
    expect(inputs(again), "never twice, confirmed or not").toEqual([]);
    expect(it.notices().at(-1)).toMatchObject({ doubtful: utf8("ab") });
  });

  it("is answered by another host if the one before was killed, and the page tells that", () => {
    const it = started();
    it.connected();
    it.snapshot(7, "screen");
    for (const [epoch, isNewHost] of [
      [1, false],
      [2, true],
    ] as const) {
      it.broke();
      it.retry();
      it.handle({ kind: "opened" });
      it.welcome({ epoch });
      expect(it.notices().at(-1)).toMatchObject({ kind: "reconnected", isNewHost });
    }
  });

  it("is sent again if the browser still had it", () => {
    const it = started();
    it.connected();
    const unsentBytes = it
      .type("x")
      .reduce((sum, effect) => sum + (effect.kind === "send" ? effect.message.length : 0), 0);
    it.broke(1006, unsentBytes);
    it.retry();
    it.handle({ kind: "opened" });
    expect(inputs(it.welcome())).toEqual(["x"]);
    expect(it.notices().at(-1)).toMatchObject({ doubtful: new Uint8Array(0) });
  });

  it("is completed exactly if the host counts it", () => {
    const it = started();
    it.connected({ typed: 40 });
    it.type("abc");
    it.type("def");
    it.broke();
    it.type("ghi");
    it.retry();
    it.handle({ kind: "opened" });
    expect(inputs(it.welcome({ typed: 43 }))).toEqual(["defghi"]);
    expect(it.notices().at(-1)).toMatchObject({ kind: "reconnected", doubtful: new Uint8Array(0) });
  });

  it("is kept up to a bound, and beyond it the page tells the person", () => {
    const it = started();
    it.handle({ kind: "typed", bytes: new Uint8Array(MOST_KEPT_BYTES) });
    it.type("x");
    expect(it.notices()).toEqual([{ kind: "notKept", bytes: 1 }]);
  });

  it("may be refused by the host, and the page says so", () => {
    const it = started();
    it.connected();
    it.type("x");
    it.hear({ kind: "refused", code: "input-full", message: "the child does not read" });
    expect(it.notices()).toEqual([
      { kind: "refused", code: "input-full", message: "the child does not read" },
    ]);
    expect(it.machine.state.kind).toBe("live");
  });
});

describe("older history", () => {
  it("comes with another Attach, while the screen stays as it is", () => {
    const it = started();
    it.connected();
    it.snapshot(7, "screen");
    const wanted = it.handle({ kind: "historyWanted", lines: 1000 });
    expect(kinds(wanted)).toEqual(expect.arrayContaining(["drop", "open"]));
    expect(it.machine.state.kind, "nothing of it is seen").toBe("live");
    it.type("x");
    const opened = it.handle({ kind: "opened" });
    expect(attach(opened)).toMatchObject({ history: 1000, size: SIZE });
    expect(attach(opened)).not.toHaveProperty("since");
    expect(inputs(it.welcome())).toEqual(["x"]);
    expect(shown(it.snapshot(7, "larger"))).toEqual(["snapshot larger"]);
    expect(it.notices()).toEqual([]);
    it.broke();
    it.retry();
    expect(attach(it.connected())).toMatchObject({ history: 1000, since: 7 });
  });

  it("waits until the typed keys have arrived", () => {
    const it = started();
    it.connected();
    it.snapshot(7, "screen");
    it.type("x");
    expect(kinds(it.handle({ kind: "historyWanted", lines: 1000 }))).toEqual([]);
    expect(kinds(it.hear({ kind: "pong", token: 1 }))).toContain("open");
  });

  it("is asked for once", () => {
    const it = started();
    it.connected();
    expect(it.handle({ kind: "historyWanted", lines: 100 })).toEqual([]);
  });
});

describe("the end", () => {
  it("comes with the worker's exit, and nothing is tried after it", () => {
    const it = started();
    it.connected();
    it.snapshot(7, "screen");
    it.hear({ kind: "exited", code: 3, status: { kind: "exited", code: 3 } });
    expect(it.machine.state).toEqual({
      kind: "exited",
      code: 3,
      status: { kind: "exited", code: 3 },
      seen: true,
    });
    expect(it.broke(1000)).toEqual([]);
    expect(it.type("x")).toEqual([]);
    expect(it.handle({ kind: "woke" })).toEqual([]);
  });

  it("may be the only message", () => {
    const it = started();
    it.handle({ kind: "opened" });
    it.hear({ kind: "exited", code: 137, status: { kind: "killed", signal: 9 } });
    expect(it.machine.state).toMatchObject({ kind: "exited", seen: false });
  });

  it.each([
    [1008, "refused"],
    [1009, "refused"],
    [4002, "refused"],
    [4401, "refused"],
    [4403, "refused"],
    [1000, "reconnecting"],
    [1001, "reconnecting"],
    [1006, "reconnecting"],
    [1011, "reconnecting"],
    [1012, "reconnecting"],
    [4001, "reconnecting"],
    [4004, "reconnecting"],
  ])("after a close with %i it is %s", (code, kind) => {
    const it = started();
    it.connected();
    const effects = it.broke(code);
    expect(it.machine.state.kind).toBe(kind);
    expect(kinds(effects).includes("signedOut")).toBe(code === 4401);
  });

  it("is shown in the host's own words when the host refuses", () => {
    const it = started();
    it.handle({ kind: "opened" });
    it.hear({ kind: "refused", code: "version", message: "speak 2" });
    it.broke(4002);
    expect(it.machine.state).toEqual({ kind: "refused", why: "speak 2" });
  });

  it("does not come from a host that is only full", () => {
    const it = started();
    it.handle({ kind: "opened" });
    it.hear({ kind: "refused", code: "full", message: "no room" });
    it.broke(4002);
    expect(it.machine.state.kind).toBe("reconnecting");
  });

  it("ignores messages and closes of a connection that broke already", () => {
    const it = started();
    it.connected();
    it.broke();
    expect(it.welcome()).toEqual([]);
    expect(it.broke(4403), "it broke once already").toEqual([]);
    expect(it.machine.state.kind).toBe("reconnecting");
  });

  it("is quiet when the tab closes", () => {
    const it = started();
    it.connected();
    expect(kinds(it.handle({ kind: "close" }))).toContain("drop");
    expect(it.machine.state.kind).toBe("closed");
    expect(it.retry()).toEqual([]);
  });
});
