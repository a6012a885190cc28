/** What a host and a viewer say to each other, as far as a browser has a part in it. See `docs/protocol.md`. */

import { readOffset, text, utf8, viewOf } from "./bytes";
import { decodeFrame, encodeFrame, FrameError } from "./frames";

export const VERSION = 1;

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export type ExitStatus =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: number }
  | { readonly kind: "unknown" };

/** A viewer. It chose its name itself. */
export interface Viewer {
  readonly id: number;
  readonly name: string;
  readonly readOnly: boolean;
  readonly ownsSize: boolean;
  readonly size: Size | undefined;
}

export type HostMessage =
  /** A part of what draws the terminal as it is after the first `at` bytes of output. */
  | { readonly kind: "snapshot"; readonly at: number; readonly last: boolean; readonly bytes: Uint8Array }
  /** What the child printed, from byte `at` on. */
  | { readonly kind: "output"; readonly at: number; readonly bytes: Uint8Array }
  /** The child is gone, and everything it printed was sent. */
  | { readonly kind: "exited"; readonly code: number; readonly status: ExitStatus }
  /** The first answer to Attach. */
  | {
      readonly kind: "welcome";
      readonly version: number;
      readonly epoch: number;
      readonly offset: number;
      readonly size: Size;
      readonly viewer: number;
      /** How many bytes of this typist's input the host has dealt with, if it counts them. */
      readonly typed: number | undefined;
    }
  /** The terminal has another size; a snapshot follows. */
  | { readonly kind: "resized"; readonly size: Size; readonly owner: number | undefined }
  | { readonly kind: "viewers"; readonly viewers: readonly Viewer[] }
  /** Something was not done. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "pong"; readonly token: number }
  /** The program said something through its terminal. */
  | { readonly kind: "signal"; readonly signal: string }
  /** Words of a newer host, or of no use to a browser. */
  | { readonly kind: "other"; readonly type: number };

const HOST = {
  snapshot: 0x01,
  output: 0x02,
  exited: 0x03,
  welcome: 0x04,
  resized: 0x05,
  signal: 0x06,
  viewers: 0x07,
  refused: 0x08,
  pong: 0x09,
} as const;

const VIEWER = {
  input: 0x10,
  resize: 0x11,
  attach: 0x13,
  ack: 0x14,
  focus: 0x15,
  ping: 0x17,
  redraw: 0x18,
} as const;

export function decodeHostMessage(message: Uint8Array): HostMessage {
  const { type, payload } = decodeFrame(message);
  switch (type) {
    case HOST.snapshot:
      return {
        kind: "snapshot",
        at: offsetIn(payload, 9),
        last: (viewOf(payload).getUint8(8) & 1) === 1,
        bytes: payload.subarray(9),
      };
    case HOST.output:
      return { kind: "output", at: offsetIn(payload, 8), bytes: payload.subarray(8) };
    case HOST.exited: {
      if (payload.length < 4) throw new FrameError("Exited is too short");
      const fields = json(payload.subarray(4));
      return {
        kind: "exited",
        code: viewOf(payload).getInt32(0, true),
        status: exitStatus(fields["status"]),
      };
    }
    case HOST.welcome: {
      const fields = json(payload);
      return {
        kind: "welcome",
        version: count(fields["version"]),
        epoch: count(fields["epoch"]),
        offset: count(fields["offset"]),
        size: size(fields["size"]),
        viewer: count(fields["viewer"]),
        typed: fields["typed"] === undefined || fields["typed"] === null ? undefined : count(fields["typed"]),
      };
    }
    case HOST.resized: {
      const fields = json(payload);
      const owner = fields["owner"];
      return {
        kind: "resized",
        size: size(fields["size"]),
        owner: owner === null || owner === undefined ? undefined : count(owner),
      };
    }
    case HOST.viewers: {
      const listed = json(payload)["viewers"];
      if (!Array.isArray(listed)) throw new FrameError("Viewers has no list");
      return { kind: "viewers", viewers: listed.map(viewer) };
    }
    case HOST.refused: {
      const fields = json(payload);
      return { kind: "refused", code: string(fields["code"]), message: string(fields["message"]) };
    }
    case HOST.pong:
      return { kind: "pong", token: count(json(payload)["token"]) };
    case HOST.signal:
      return { kind: "signal", signal: string(json(payload)["kind"]) };
    default:
      return { kind: "other", type };
  }
}

export interface Attach {
  readonly epoch?: number;
  readonly since?: number;
  readonly history: number;
  readonly readOnly: boolean;
  readonly size?: Size;
  readonly name: string;
  /** Names the typist across connections, so that the host can say how many typed bytes arrived. */
  readonly typist?: string;
}

export const encode = {
  /** The fields are in the order of the Rust side, so that both write the same bytes. */
  attach: ({ epoch, since, history, readOnly, size, typist, name }: Attach) =>
    withJson(VIEWER.attach, {
      version: VERSION,
      epoch,
      since,
      history,
      form: "full",
      readOnly,
      size,
      ack: true,
      events: true,
      typist,
      name,
    }),
  input: (bytes: Uint8Array) => encodeFrame(VIEWER.input, bytes),
  resize: ({ cols, rows }: Size) => {
    const payload = new Uint8Array(4);
    viewOf(payload).setUint16(0, cols, true);
    viewOf(payload).setUint16(2, rows, true);
    return encodeFrame(VIEWER.resize, payload);
  },
  ack: (offset: number) => withJson(VIEWER.ack, { offset }),
  focus: () => encodeFrame(VIEWER.focus, new Uint8Array(0)),
  ping: (token: number) => withJson(VIEWER.ping, { token }),
  redraw: () => encodeFrame(VIEWER.redraw, new Uint8Array(0)),
};

function withJson(type: number, value: unknown): Uint8Array<ArrayBuffer> {
  return encodeFrame(type, utf8(JSON.stringify(value)));
}

type Fields = Readonly<Record<string, unknown>>;

function json(payload: Uint8Array): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text(payload));
  } catch {
    throw new FrameError("a payload is not JSON");
  }
  return object(value);
}

function object(value: unknown): Fields {
  if (typeof value !== "object" || value === null) throw new FrameError("a field is not an object");
  return value as Fields;
}

function string(value: unknown): string {
  if (typeof value !== "string") throw new FrameError("a field is not a text");
  return value;
}

function count(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new FrameError("a field is not a number");
  return value;
}

function size(value: unknown): Size {
  const fields = object(value);
  const [cols, rows] = [count(fields["cols"]), count(fields["rows"])];
  if (cols < 1 || rows < 1 || cols > 1000 || rows > 1000) throw new FrameError("no terminal has that size");
  return { cols, rows };
}

function viewer(value: unknown): Viewer {
  const fields = object(value);
  return {
    id: count(fields["id"]),
    name: string(fields["name"]),
    readOnly: fields["readOnly"] === true,
    ownsSize: fields["ownsSize"] === true,
    size: fields["size"] ? size(fields["size"]) : undefined,
  };
}

function exitStatus(value: unknown): ExitStatus {
  const fields = object(value);
  switch (fields["kind"]) {
    case "exited":
      return { kind: "exited", code: count(fields["code"]) };
    case "killed":
      return { kind: "killed", signal: count(fields["signal"]) };
    default:
      return { kind: "unknown" };
  }
}

function offsetIn(payload: Uint8Array, least: number): number {
  if (payload.length < least) throw new FrameError("a frame of output is too short");
  const at = readOffset(payload, 0);
  if (at === undefined) throw new FrameError("an offset is out of reach");
  return at;
}
