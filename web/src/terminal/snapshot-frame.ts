/**
 * A snapshot made into one frame for the eye.
 *
 * It begins with a reset and draws thousands of lines; an emulator that painted in between would flicker. Synchronized
 * output (mode 2026) holds the painting back. The mode is set behind the reset, which would end it, and taken back at the
 * end: but before an unfinished sequence or character that the snapshot may end with, since the rest of that is what
 * comes next.
 */

import { concat, text, utf8 } from "../protocol/bytes";

const RESET = "\x18\x1bc";
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";

/** Small enough to be drawn without a frame being missed. */
const CHUNK_BYTES = 32 * 1024;

/** The snapshot in pieces to be written one after the other. */
export function asOneFrame(snapshot: Uint8Array): Uint8Array[] {
  if (text(snapshot.subarray(0, RESET.length)) !== RESET) return chunks(snapshot);
  const rest = snapshot.subarray(RESET.length);
  const tail = unfinishedFrom(rest);
  // A program that is within a frame of its own ends that itself.
  const within = text(rest.subarray(Math.max(0, tail - 4096), tail)).lastIndexOf(BEGIN) >= 0;
  const end = within ? "" : END;
  return chunks(concat([utf8(RESET + BEGIN), rest.subarray(0, tail), utf8(end), rest.subarray(tail)]));
}

function chunks(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) pieces.push(bytes.subarray(at, at + CHUNK_BYTES));
  return pieces;
}

type State = "ground" | "escape" | "control" | "string" | "ending";

/** Where the sequence or character begins that the bytes end within; their length if they end within none. */
export function unfinishedFrom(bytes: Uint8Array): number {
  let state: State = "ground";
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x18 || byte === 0x1a) {
      state = "ground";
    } else if (byte === 0x1b) {
      // Within a string it may be the first half of its end.
      if (state === "string") {
        state = "ending";
        continue;
      }
      state = "escape";
      from = at;
    } else {
      if (state === "ending" && byte !== 0x5c) from = at - 1;
      state = after(state, byte);
    }
  }
  return state === "ground" ? unfinishedCharacter(bytes) : from;
}

function after(state: State, byte: number): State {
  switch (state) {
    case "ground":
      return "ground";
    case "string":
      return byte === 0x07 ? "ground" : "string";
    case "control":
      return byte >= 0x40 && byte <= 0x7e ? "ground" : "control";
    case "ending":
      if (byte === 0x5c) return "ground";
      return after("escape", byte);
    case "escape":
      if (byte === 0x5b) return "control";
      // OSC, DCS, SOS, PM, APC
      if ([0x5d, 0x50, 0x58, 0x5e, 0x5f].includes(byte)) return "string";
      return byte >= 0x30 && byte <= 0x7e ? "ground" : "escape";
  }
}

function unfinishedCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (length > 0) return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
