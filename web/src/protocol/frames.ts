/**
 * Frames: a type, a length, a payload. A WebSocket message holds exactly one.
 *
 * See `docs/protocol.md`. Numbers are little-endian.
 */

import { viewOf } from "./bytes";

export const HEADER_BYTES = 5;
export const MAX_PAYLOAD_BYTES = 1024 * 1024;

export interface Frame {
  readonly type: number;
  readonly payload: Uint8Array;
}

export class FrameError extends Error {
  override readonly name = "FrameError";
}

export function encodeFrame(type: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  if (payload.length > MAX_PAYLOAD_BYTES)
    throw new FrameError(`a payload of ${payload.length} bytes is too long`);
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  const view = viewOf(bytes);
  view.setUint8(0, type);
  view.setUint32(1, payload.length, true);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** The one frame that a message is. Anything else is no message of a host's, and ends the connection. */
export function decodeFrame(message: Uint8Array): Frame {
  if (message.length < HEADER_BYTES) throw new FrameError(`${message.length} bytes are no frame`);
  const view = viewOf(message);
  const length = view.getUint32(1, true);
  if (length > MAX_PAYLOAD_BYTES) throw new FrameError(`a payload of ${length} bytes is too long`);
  if (length !== message.length - HEADER_BYTES) {
    throw new FrameError(`a frame of ${length} bytes came in a message of ${message.length}`);
  }
  return { type: view.getUint8(0), payload: message.subarray(HEADER_BYTES) };
}
