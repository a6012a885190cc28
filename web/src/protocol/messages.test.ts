import { describe, expect, it } from "vitest";

import { concat, text, utf8 } from "./bytes";
import { decodeFrame, encodeFrame, FrameError, MAX_PAYLOAD_BYTES } from "./frames";
import { decodeHostMessage, encode } from "./messages";

const hex = (digits: string) =>
  Uint8Array.from(digits.replace(/\s/g, "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const told = (type: number, value: unknown) =>
  decodeHostMessage(encodeFrame(type, utf8(JSON.stringify(value))));

describe("frames", () => {
  it("are a type, a length and a payload", () => {
    // type, length (little-endian), payload
    expect(encodeFrame(0x10, utf8("bye\r"))).toEqual(hex("10 04000000 6279650d"));
    expect(decodeFrame(hex("10 04000000 6279650d"))).toEqual({ type: 0x10, payload: utf8("bye\r") });
  });

  it("are refused when the length does not match the bytes", () => {
    for (const bad of ["", "10 0400", "10 04000000 627965", "10 04000000 6279650d0a"]) {
      expect(() => decodeFrame(hex(bad))).toThrow(FrameError);
    }
    expect(() => decodeFrame(hex("10 01001000"))).toThrow(/too long/);
    expect(() => encodeFrame(0x10, new Uint8Array(MAX_PAYLOAD_BYTES + 1))).toThrow(/too long/);
    expect(encodeFrame(0x10, new Uint8Array(MAX_PAYLOAD_BYTES))).toHaveLength(MAX_PAYLOAD_BYTES + 5);
  });
});

describe("a host message", () => {
  it("is read byte by byte where it is binary", () => {
    expect(decodeHostMessage(hex("02 0d000000 0700000000000000 6279650d0a"))).toEqual({
      kind: "output",
      at: 7,
      bytes: utf8("bye\r\n"),
    });
    expect(decodeHostMessage(hex("01 0a000000 0700000000000000 01 18"))).toEqual({
      kind: "snapshot",
      at: 7,
      last: true,
      bytes: hex("18"),
    });
    const exited = concat([hex("03 2b000000 03000000"), utf8('{"status":{"kind":"exited","code":3}} ')]);
    exited[1] = exited.length - 5;
    expect(decodeHostMessage(exited)).toEqual({
      kind: "exited",
      code: 3,
      status: { kind: "exited", code: 3 },
    });
  });

  it("is read from JSON where that is its form, and unknown fields are ignored", () => {
    const size = { cols: 40, rows: 4 };
    const welcome = {
      version: 1,
      worker: "13zzzn7m",
      name: "demo",
      epoch: 1,
      offset: 7,
      size,
      viewer: 1,
      news: [],
    };
    expect(told(0x04, { ...welcome, state: { kind: "live" } })).toEqual({
      kind: "welcome",
      version: 1,
      epoch: 1,
      offset: 7,
      size,
      viewer: 1,
      typed: undefined,
    });
    expect(told(0x04, { ...welcome, typed: 12 })).toMatchObject({ typed: 12 });
    expect(told(0x05, { size, owner: null })).toEqual({ kind: "resized", size, owner: undefined });
    expect(told(0x05, { size, owner: 3 })).toEqual({ kind: "resized", size, owner: 3 });
    expect(told(0x08, { code: "read-only", message: "no" })).toEqual({
      kind: "refused",
      code: "read-only",
      message: "no",
    });
    expect(told(0x09, { token: 7 })).toEqual({ kind: "pong", token: 7 });
    const me = {
      id: 3,
      name: "a tab",
      readOnly: false,
      ownsSize: true,
      since: "…",
      behindBytes: 0,
      resyncs: 0,
    };
    expect(told(0x07, { viewers: [me] })).toEqual({
      kind: "viewers",
      viewers: [{ id: 3, name: "a tab", readOnly: false, ownsSize: true, size: undefined }],
    });
  });

  it("is skipped when its type is unknown", () => {
    expect(decodeHostMessage(hex("7f 02000000 ffff"))).toEqual({ kind: "other", type: 0x7f });
    expect(told(0x0a, { version: 1 })).toEqual({ kind: "other", type: 0x0a });
  });

  it("is an error when a known message has the wrong form", () => {
    const bad = [
      () => decodeHostMessage(hex("02 07000000 07000000000000")),
      () => decodeHostMessage(hex("01 08000000 0700000000000000")),
      () => decodeHostMessage(hex("02 08000000 ffffffffffffffff")),
      () => decodeHostMessage(hex("03 03000000 000000")),
      () => decodeHostMessage(encodeFrame(0x04, utf8("{"))),
      () => told(0x04, null),
      () => told(0x04, { version: 1 }),
      () => told(0x05, { size: { cols: 0, rows: 4 }, owner: null }),
      () => told(0x07, { viewers: 3 }),
      () => told(0x09, { token: -1 }),
    ];
    for (const read of bad) expect(read).toThrow(FrameError);
  });
});

describe("a viewer message", () => {
  it("is written as the protocol says", () => {
    expect(encode.input(utf8("bye\r"))).toEqual(hex("10 04000000 6279650d"));
    expect(encode.resize({ cols: 100, rows: 258 })).toEqual(hex("11 04000000 6400 0201"));
    expect(encode.focus()).toEqual(hex("15 00000000"));
    expect(encode.redraw()).toEqual(hex("18 00000000"));
    expect(said(encode.ack(259))).toEqual([0x14, { offset: 259 }]);
    expect(said(encode.ping(7))).toEqual([0x17, { token: 7 }]);
    const attach = {
      epoch: 1,
      since: 256,
      history: 5,
      readOnly: false,
      size: { cols: 100, rows: 30 },
      name: "a tab",
    };
    expect(said(encode.attach(attach))).toEqual([
      0x13,
      { version: 1, form: "full", ack: true, events: true, ...attach },
    ]);
  });
});

function said(message: Uint8Array): [number, unknown] {
  const { type, payload } = decodeFrame(message);
  return [type, JSON.parse(text(payload))];
}
