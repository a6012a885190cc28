/**
 * Keeps an emulator from speaking for itself.
 *
 * The host answers programs, once, with or without viewers. A viewer that answered too would type its answer into the
 * program. So we remove questions where the emulator reads them, and send on only what a person did, not what the
 * emulator says by itself. Output never reaches the clipboard.
 */

import type { IParser } from "@xterm/xterm";

/** Questions and wishes that nothing here may follow. */
export function silence(parser: IParser): void {
  const swallow = () => true;
  for (const id of [
    { final: "c" },
    { prefix: ">", final: "c" },
    { prefix: "=", final: "c" },
    { final: "n" },
    { prefix: "?", final: "n" },
    { final: "x" },
    { intermediates: "$", final: "p" },
    { prefix: "?", intermediates: "$", final: "p" },
    { prefix: ">", final: "q" },
    { prefix: "?", final: "u" },
  ]) {
    parser.registerCsiHandler(id, swallow);
  }
  // Reports of the window; the stacks of titles (22, 23) concern only the emulator.
  parser.registerCsiHandler({ final: "t" }, ([first]) => first !== 22 && first !== 23);
  parser.registerEscHandler({ final: "Z" }, swallow);
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, swallow);
  parser.registerDcsHandler({ intermediates: "+", final: "q" }, swallow);
  for (const color of [4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]) {
    parser.registerOscHandler(color, (data) => data.split(";").includes("?"));
  }
  parser.registerOscHandler(52, swallow);
}

/** What of an emulator's own words a person did: text, the mouse, the wheel where it stands for arrow keys. */
export function isPersonal(data: string): boolean {
  return !data.includes("\x1b") || MOUSE.test(data) || WHEEL.test(data);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a report begins with
const MOUSE = /^\x1b\[<\d+;\d+;\d+[Mm]$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: and an arrow key
const WHEEL = /^(\x1b[[O][AB])+$/;
