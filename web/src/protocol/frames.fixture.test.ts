/**
 * The Rust side writes every message of the protocol into a fixture, with its exact bytes and its fields. Here the same
 * bytes are read and written: a field that changes on one side alone fails a test.
 */

import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { type Attach, decodeHostMessage, encode } from "./messages";

interface Entry {
  readonly kind: string;
  readonly frame: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const fixture = JSON.parse(readFileSync("../crates/protocol/fixtures/frames.json", "utf8")) as {
  readonly host: readonly Entry[];
  readonly viewer: readonly Entry[];
};

const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hex = (data: Uint8Array) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Messages that a browser has no use for. */
const UNREAD = new Set(["status", "leased", "returned", "rows", "printed"]);

/** Fields of the others that a browser does not read. A new field is read, or named here. */
const UNREAD_FIELDS: Readonly<Record<string, readonly string[]>> = {
  exited: ["at"],
  welcome: ["worker", "name", "state"],
  viewers: ["since", "behindBytes", "resyncs"],
  signal: ["text", "mark", "code", "state", "percent", "title", "id", "blocked", "message"],
};

/** Messages that a browser does not send. */
const UNSENT = new Set(["shutdown", "status", "kill", "lease", "upgrade", "withdraw", "rows"]);

/** What a browser should make of the fields of a message. */
function read(kind: string, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const unread = UNREAD_FIELDS[kind] ?? [];
  const known = Object.entries(fields).filter(([name]) => !unread.includes(name));
  return Object.fromEntries(
    known.map(([name, value]) => {
      if (name === "bytes") return [name, bytes(value as string)];
      if (name === "viewers") return [name, (value as Entry["fields"][]).map((each) => read(kind, each))];
      return [name, value ?? undefined];
    }),
  );
}

/** The names of the fields that a value has, however deep. */
function names(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(names);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  return Object.entries(value).flatMap(([name, field]) => [name, ...names(field)]);
}

describe("the frames of a host", () => {
  for (const [number, { kind, frame, fields }] of fixture.host.entries()) {
    it(`are read as the Rust side writes them: ${number}, ${kind}`, () => {
      const message = decodeHostMessage(bytes(frame));
      if (UNREAD.has(kind)) {
        expect(message.kind).toBe("other");
        return;
      }
      expect(message).toEqual({ kind, ...read(kind, fields) });
    });
  }

  it("have every field that is read here", () => {
    const told = fixture.host.filter(({ kind }) => !UNREAD.has(kind));
    for (const kind of new Set(told.map((entry) => entry.kind))) {
      const entries = told.filter((entry) => entry.kind === kind);
      const written = new Set(["kind", ...entries.flatMap(({ fields }) => names(fields))]);
      const known = entries.flatMap(({ frame }) => names(decodeHostMessage(bytes(frame))));
      expect(
        known.filter((name) => !written.has(name)),
        kind,
      ).toEqual([]);
    }
  });
});

/** How a browser says a message. */
const SENT: Readonly<Record<string, (fields: Entry["fields"]) => Uint8Array>> = {
  input: (fields) => encode.input(bytes(fields["bytes"] as string)),
  resize: (fields) => encode.resize(fields as unknown as { cols: number; rows: number }),
  attach: (fields) => encode.attach(fields as unknown as Attach),
  ack: (fields) => encode.ack(fields["offset"] as number),
  focus: () => encode.focus(),
  ping: (fields) => encode.ping(fields["token"] as number),
  redraw: () => encode.redraw(),
};

describe("the frames of a viewer", () => {
  for (const [number, { kind, frame, fields }] of fixture.viewer.entries()) {
    it(`are written as the Rust side reads them: ${number}, ${kind}`, () => {
      const say = SENT[kind];
      expect(say === undefined).toBe(UNSENT.has(kind));
      if (say) expect(hex(say(fields))).toBe(frame);
    });
  }

  it("are all there", () => {
    const sent = new Set(fixture.viewer.map(({ kind }) => kind));
    expect(Object.keys(encode).filter((kind) => !sent.has(kind))).toEqual([]);
  });
});
