/**
 * What a key press is to a program: bytes, by the keyboard modes in force.
 *
 * Without the kitty flags it is what xterm sends, with them what https://sw.kovidgoyal.net/kitty/keyboard-protocol says.
 * Pure: a description of the key in, text out.
 */

/** The progressive enhancements of the kitty protocol. */
export const FLAG = { disambiguate: 1, events: 2, alternates: 4, allKeys: 8, text: 16 } as const;

export interface Key {
  /** As in a `KeyboardEvent`. */
  readonly key: string;
  readonly code: string;
  readonly event: "press" | "repeat" | "release";
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
  readonly meta: boolean;
  /** AltGr writes characters; it is no modifier of them. */
  readonly altGraph: boolean;
  readonly capsLock: boolean;
  readonly numLock: boolean;
}

export interface KeyboardModes {
  /** The kitty flags. */
  readonly flags: number;
  /** DECCKM. */
  readonly applicationCursor: boolean;
  /** xterm's own way of telling keys apart, `CSI > 4 ; n m`. */
  readonly modifyOtherKeys: number;
  /** On a Mac, Option writes characters. */
  readonly mac: boolean;
}

export type Typed =
  | { readonly kind: "send"; readonly text: string }
  /** The browser makes text of it, an input method perhaps. */
  | { readonly kind: "text" }
  /** It is nothing to a program. */
  | { readonly kind: "nothing" };

const TEXT: Typed = { kind: "text" };
const NOTHING: Typed = { kind: "nothing" };
const send = (text: string): Typed => ({ kind: "send", text });

const ESC = "\x1b";

/** Keys with a form of their own: a number and `~`, or 1 and a letter. */
const FUNCTIONAL: Record<string, { readonly number: number; readonly final: string }> = {
  ArrowUp: { number: 1, final: "A" },
  ArrowDown: { number: 1, final: "B" },
  ArrowRight: { number: 1, final: "C" },
  ArrowLeft: { number: 1, final: "D" },
  Home: { number: 1, final: "H" },
  End: { number: 1, final: "F" },
  F1: { number: 1, final: "P" },
  F2: { number: 1, final: "Q" },
  F3: { number: 13, final: "~" },
  F4: { number: 1, final: "S" },
  Insert: { number: 2, final: "~" },
  Delete: { number: 3, final: "~" },
  PageUp: { number: 5, final: "~" },
  PageDown: { number: 6, final: "~" },
  F5: { number: 15, final: "~" },
  F6: { number: 17, final: "~" },
  F7: { number: 18, final: "~" },
  F8: { number: 19, final: "~" },
  F9: { number: 20, final: "~" },
  F10: { number: 21, final: "~" },
  F11: { number: 23, final: "~" },
  F12: { number: 24, final: "~" },
};

/** Keys that are a number of the private use area. */
const NUMBERED: Record<string, number> = {
  CapsLock: 57358,
  ScrollLock: 57359,
  NumLock: 57360,
  PrintScreen: 57361,
  Pause: 57362,
  ContextMenu: 57363,
  MediaPlay: 57428,
  MediaPause: 57429,
  MediaPlayPause: 57430,
  MediaStop: 57432,
  MediaTrackNext: 57435,
  MediaTrackPrevious: 57436,
  AudioVolumeDown: 57438,
  AudioVolumeUp: 57439,
  AudioVolumeMute: 57440,
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`F${13 + index}`, 57376 + index])),
};

/** Modifiers by where they are: only said when all keys are. */
const MODIFIERS: Record<string, number> = {
  ShiftLeft: 57441,
  ControlLeft: 57442,
  AltLeft: 57443,
  MetaLeft: 57444,
  ShiftRight: 57447,
  ControlRight: 57448,
  AltRight: 57449,
  MetaRight: 57450,
};

/** Keys of the keypad that write nothing, by what they do. */
const KEYPAD: Record<string, number> = {
  Enter: 57414,
  ArrowLeft: 57417,
  ArrowRight: 57418,
  ArrowUp: 57419,
  ArrowDown: 57420,
  PageUp: 57421,
  PageDown: 57422,
  Home: 57423,
  End: 57424,
  Insert: 57425,
  Delete: 57426,
  Clear: 57427,
};

/** Keys of the keypad that write something, by where they are. */
const KEYPAD_TEXT: Record<string, number> = {
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [`Numpad${digit}`, 57399 + digit])),
  NumpadDecimal: 57409,
  NumpadDivide: 57410,
  NumpadMultiply: 57411,
  NumpadSubtract: 57412,
  NumpadAdd: 57413,
  NumpadEqual: 57415,
  NumpadComma: 57416,
};

/** Keys whose plain form every program knows, so that it stays unless all keys are wanted. */
const PLAIN: Record<string, number> = { Enter: 13, Tab: 9, Backspace: 127, Escape: 27 };

/** A keyboard as it is in the United States: without and with Shift. */
const US: Record<string, string> = {
  Backquote: "`~",
  Minus: "-_",
  Equal: "=+",
  BracketLeft: "[{",
  BracketRight: "]}",
  Backslash: "\\|",
  Semicolon: ";:",
  Quote: "'\"",
  Comma: ",<",
  Period: ".>",
  Slash: "/?",
  Space: "  ",
  ...Object.fromEntries(
    [..."0123456789"].map((digit, index) => [`Digit${digit}`, `${digit}${")!@#$%^&*("[index]}`]),
  ),
  ...Object.fromEntries(
    [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => [
      `Key${letter.toUpperCase()}`,
      letter + letter.toUpperCase(),
    ]),
  ),
};

export function encodeKey(key: Key, modes: KeyboardModes): Typed {
  // Command and Windows keys are the browser's and the system's.
  if (key.meta && !(key.code in MODIFIERS)) return TEXT;
  if (key.key === "Dead" || key.key === "Process" || key.key === "Unidentified") return TEXT;
  const { flags } = modes;
  if (key.event === "release" && !(flags & FLAG.events)) return NOTHING;
  return flags === 0 ? legacy(key, modes) : kitty(key, modes);
}

/** Shift, Alt, Control as programs know them; those that wrote the character are none. */
function modifiers(key: Key, modes: KeyboardModes): number {
  const writes = isText(key) && (key.altGraph || (modes.mac && key.alt && !key.ctrl));
  const held = writes ? (key.shift ? 1 : 0) : (key.shift ? 1 : 0) | (key.alt ? 2 : 0) | (key.ctrl ? 4 : 0);
  return held | (key.meta ? 8 : 0);
}

function isText(key: Key): boolean {
  return [...key.key].length === 1;
}

function legacy(key: Key, modes: KeyboardModes): Typed {
  const held = modifiers(key, modes);
  const other = otherKey(key, held, modes.modifyOtherKeys);
  if (other) return send(other);
  const prefix = held & 2 ? ESC : "";
  const functional = FUNCTIONAL[key.key];
  if (functional) return send(legacyFunctional(key.key, functional, held, modes.applicationCursor));
  switch (key.key) {
    case "Enter":
      return send(`${prefix}\r`);
    case "Tab":
      return send(held & 1 ? `${ESC}[Z` : `${prefix}\t`);
    case "Backspace":
      return send(prefix + (held & 4 ? "\b" : "\x7f"));
    case "Escape":
      return send(prefix + ESC);
    case "ContextMenu":
      return send(`${ESC}[29~`);
  }
  if (!isText(key)) return NOTHING;
  if (held & 4) {
    const control = controlCharacter(key);
    return control === undefined ? NOTHING : send(prefix + control);
  }
  return held & 2 ? send(ESC + key.key) : TEXT;
}

function legacyFunctional(
  name: string,
  { number, final }: { readonly number: number; readonly final: string },
  held: number,
  applicationCursor: boolean,
): string {
  // F3 with a modifier has always been the odd one: it looks like a cursor's position.
  const letter = name === "F3" ? "R" : final;
  if (letter === "~") return held ? `${ESC}[${number};${held + 1}~` : `${ESC}[${number}~`;
  if (held) return `${ESC}[1;${held + 1}${letter}`;
  const single = /^F\d/.test(name) || applicationCursor;
  return single ? `${ESC}O${letter}` : `${ESC}[${letter}`;
}

function otherKey(key: Key, held: number, level: number): string | undefined {
  if (level === 0 || held === 0) return undefined;
  const code = PLAIN[key.key] ?? (isText(key) ? key.key.codePointAt(0) : undefined);
  if (code === undefined || (key.key === "Tab" && held === 1)) return undefined;
  const named = key.key in PLAIN || key.key === " ";
  const modified = named ? true : (held & 6) !== 0;
  // The first level leaves alone what has a form of its own.
  const known = !named && ((held & 4) === 0 || controlCharacter(key) !== undefined);
  if (!modified || (level === 1 && (known || (named && held === 2)))) return undefined;
  return `${ESC}[27;${held + 1};${code}~`;
}

function controlCharacter(key: Key): string | undefined {
  const letter = /^[a-z]$/i.test(key.key)
    ? key.key
    : /^Key[A-Z]$/.test(key.code) && !isAscii(key.key)
      ? key.code[3]
      : undefined;
  if (letter) return String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f);
  const at = " @2[3\\4]5^6_7/?8".indexOf(key.key);
  if (at < 0) return undefined;
  return [
    "\0",
    "\0",
    "\0",
    "\x1b",
    "\x1b",
    "\x1c",
    "\x1c",
    "\x1d",
    "\x1d",
    "\x1e",
    "\x1e",
    "\x1f",
    "\x1f",
    "\x1f",
    "\x7f",
    "\x7f",
  ][at];
}

function isAscii(text: string): boolean {
  return (text.codePointAt(0) ?? 0) < 0x80;
}

function kitty(key: Key, modes: KeyboardModes): Typed {
  const { flags } = modes;
  const all = (flags & FLAG.allKeys) !== 0;
  const held = modifiers(key, modes);

  if (key.code in MODIFIERS && /^(Shift|Control|Alt|Meta|AltGraph)$/.test(key.key)) {
    const number = MODIFIERS[key.code];
    return all && number
      ? send(sequence({ key, modes, held: whileItself(key, held), code: `${number}`, final: "u" }))
      : NOTHING;
  }
  const keypad = key.code.startsWith("Numpad") ? KEYPAD[key.key] : undefined;
  if (keypad) return send(sequence({ key, modes, held, code: `${keypad}`, final: "u" }));
  const functional = FUNCTIONAL[key.key];
  if (functional)
    return send(sequence({ key, modes, held, code: `${functional.number}`, final: functional.final }));
  const numbered = NUMBERED[key.key];
  if (numbered) return send(sequence({ key, modes, held, code: `${numbered}`, final: "u" }));
  const plain = PLAIN[key.key];
  if (plain) return plainKey(key, modes, held, plain);
  if (!isText(key)) return NOTHING;

  // Shift alone writes text too.
  const writes = (held & ~1) === 0;
  if (writes && !all && key.event !== "release") return TEXT;
  // A control key is always said in full, or it could not be told from the character it once was.
  if (!(flags & FLAG.disambiguate) && !all && key.event !== "release") return legacy(key, modes);
  return send(sequence({ key, modes, held, code: textKey(key, modes), final: "u", writes }));
}

function plainKey(key: Key, modes: KeyboardModes, held: number, code: number): Typed {
  const { flags } = modes;
  const full = send(sequence({ key, modes, held, code: `${code}`, final: "u" }));
  if (flags & FLAG.allKeys) return full;
  // So that a shell can still be used after a program has died with the flags set.
  if (key.key !== "Escape" && held === 0) return key.event === "release" ? NOTHING : legacy(key, modes);
  if (key.key !== "Escape" && key.event === "release") return NOTHING;
  return flags & FLAG.disambiguate ? full : legacy(key, modes);
}

/** A modifier that is pressed counts as held, and one that is let go does not. */
function whileItself(key: Key, held: number): number {
  const own = { Shift: 1, Alt: 2, AltGraph: 2, Control: 4, Meta: 8 }[key.key] ?? 0;
  return key.event === "release" ? held & ~own : held | own;
}

/** The number of a key that writes: what it writes without Shift, and its other numbers where they are wanted. */
function textKey(key: Key, { flags }: KeyboardModes): string {
  const keypad = KEYPAD_TEXT[key.code];
  if (keypad) return `${keypad}`;
  const us = US[key.code];
  const typed = key.key;
  // A browser does not say what a key writes without Shift. Where it writes what it would in the United States, the
  // rest is known; a letter has its small form; anything else stands for itself.
  const base = us && typed === us[1] ? (us[0] ?? typed) : small(typed);
  const number = base.codePointAt(0) ?? 0;
  if (!(flags & FLAG.alternates)) return `${number}`;
  const shifted = key.shift && typed !== base ? `${typed.codePointAt(0)}` : "";
  const there = us?.[0];
  const position = there && there !== base ? `:${there.codePointAt(0)}` : "";
  return shifted || position ? `${number}:${shifted}${position}` : `${number}`;
}

function small(typed: string): string {
  const lower = typed.toLowerCase();
  return [...lower].length === 1 ? lower : typed;
}

interface Sequence {
  readonly key: Key;
  readonly modes: KeyboardModes;
  readonly held: number;
  readonly code: string;
  readonly final: string;
  readonly writes?: boolean;
}

function sequence({ key, modes, held, code, final, writes }: Sequence): string {
  const { flags } = modes;
  // Locks would turn a plain arrow into a modified one. Programs that want all keys are prepared for that.
  const locks = flags & FLAG.allKeys ? (key.capsLock ? 64 : 0) | (key.numLock ? 128 : 0) : 0;
  const value = 1 + (held | locks);
  const event = flags & FLAG.events && key.event !== "press" ? (key.event === "repeat" ? ":2" : ":3") : "";
  const text =
    writes && flags & FLAG.text && flags & FLAG.allKeys && key.event !== "release"
      ? `${key.key.codePointAt(0)}`
      : "";
  const second = value > 1 || event ? `${value}${event}` : "";
  const fields = text ? `${code};${second};${text}` : second ? `${code};${second}` : code;
  return `${ESC}[${fields === "1" && final !== "u" ? "" : fields}${final}`;
}
