/** Everything that a key does outside of what has the focus. */
export type Shortcut =
  | "palette"
  | "nextAsking"
  | "home"
  | "inbox"
  | "wall"
  | "board"
  | "search"
  | "usage"
  | "settings"
  | "new"
  | "filter"
  | "sideBar"
  | "help";

import { sessionKeyHelp } from "../session/session-keys";

/** Where the key was pressed: a terminal keeps its keys, a text field keeps those that write. */
export type Place = "terminal" | "text" | "elsewhere";

export interface Key {
  key: string;
  ctrl: boolean;
  shift: boolean;
  alt: boolean;
  meta: boolean;
}

export interface ShortcutHelp {
  does: string;
  keys: string[];
}

/**
 * With Ctrl+Shift (⌘ on a Mac) a key means the same everywhere. Terminals have no byte for these, and other terminal
 * programs use them for themselves too, so nothing is taken from what runs in one.
 */
const EVERYWHERE: Record<string, Shortcut> = {
  p: "palette",
  " ": "palette",
  a: "nextAsking",
  h: "home",
  l: "sideBar",
};

const ALONE: Record<string, Shortcut> = { n: "new", "/": "filter", "?": "help", a: "nextAsking" };

/** After `g`, as in "go to". */
const AFTER_G: Record<string, Shortcut> = {
  h: "home",
  i: "inbox",
  w: "wall",
  b: "board",
  s: "search",
  u: "usage",
  ",": "settings",
};

/** How long `g` waits for the key that says where. */
const PATIENCE_MS = 1_200;

/** Reads keys one after the other, as some shortcuts are two. */
export class Shortcuts {
  readonly #mac: boolean;
  #goingSince = Number.NEGATIVE_INFINITY;

  constructor(mac: boolean) {
    this.#mac = mac;
  }

  /** Whether the next key says where to go, even if it means something else in a view. */
  waits(now: number): boolean {
    return now - this.#goingSince < PATIENCE_MS;
  }

  /** What a key means, if it is ours. */
  press(key: Key, place: Place, now: number): Shortcut | undefined {
    const going = this.waits(now);
    this.#goingSince = Number.NEGATIVE_INFINITY;
    const everywhere = this.#everywhere(key, place);
    if (everywhere) return everywhere;
    if (place !== "elsewhere" || key.ctrl || key.alt || key.meta) return undefined;
    const name = key.key.toLowerCase();
    if (going) return AFTER_G[name];
    if (name === "g" && !key.shift) this.#goingSince = now;
    return ALONE[name];
  }

  #everywhere(key: Key, place: Place): Shortcut | undefined {
    const name = key.key.toLowerCase();
    if (key.alt) return undefined;
    if (key.ctrl && key.shift && !key.meta) return EVERYWHERE[name];
    if (this.#mac && key.meta && !key.ctrl)
      return key.shift ? EVERYWHERE[name] : name === "k" ? "palette" : undefined;
    // Ctrl+K alone deletes to the end of the line in a shell, so there it is the shell's.
    const plainCtrl = key.ctrl && !key.shift && !key.meta;
    return plainCtrl && name === "k" && place !== "terminal" ? "palette" : undefined;
  }
}

/** All of them, for people to read. */
export function shortcutHelp(mac: boolean): { group: string; shortcuts: ShortcutHelp[] }[] {
  const both = mac ? "⌘⇧" : "Ctrl+Shift+";
  return [
    {
      group: "Everywhere, in a terminal too",
      shortcuts: [
        { does: "Command palette", keys: mac ? ["⌘K", "⌘⇧P"] : [`${both}P`, `${both}Space`] },
        { does: "Next agent that asks", keys: [`${both}A`] },
        { does: "Home", keys: [`${both}H`] },
        { does: "Show or hide the side bar", keys: [`${both}L`] },
      ],
    },
    {
      group: "Outside of terminals and text",
      shortcuts: [
        { does: "Command palette", keys: [mac ? "⌘K" : "Ctrl+K"] },
        { does: "New session", keys: ["N"] },
        { does: "Next agent that asks", keys: ["A"] },
        { does: "Filter, or search all output", keys: ["/"] },
        { does: "Go home · to the inbox · to the wall", keys: ["G H", "G I", "G W"] },
        {
          does: "Go to the board · to search · to usage · to the settings",
          keys: ["G B", "G S", "G U", "G ,"],
        },
        { does: "These shortcuts", keys: ["?"] },
      ],
    },
    {
      group: "In the inbox",
      shortcuts: [
        { does: "Next entry, previous entry", keys: ["↓ J", "↑ K"] },
        { does: "Choose by number", keys: ["1 … 9"] },
        { does: "Yes, always, deny", keys: ["Y", "Shift+Y", "D"] },
        { does: "Reply with words", keys: ["R"] },
        { does: "Read, set aside for 15 minutes", keys: ["E", "Z"] },
        { does: "Send a prompt", keys: ["P"] },
        { does: "How abide knows", keys: ["I"] },
        { does: "Open", keys: ["Enter"] },
      ],
    },
    {
      group: "On a row of Home",
      shortcuts: [
        { does: "Next row, previous row", keys: ["↓ J", "↑ K"] },
        { does: "Open", keys: ["Enter"] },
        { does: "Send a prompt, how abide knows", keys: ["P", "I"] },
        { does: "Rename", keys: ["R"] },
        { does: "Restart or continue", keys: ["S"] },
        { does: "End, or remove an ended worker", keys: ["Del"] },
      ],
    },
    { group: "In a session", shortcuts: sessionKeyHelp() },
    {
      group: "On the board",
      shortcuts: [
        { does: "Next card, another column", keys: ["↓ ↑", "→ ←"] },
        { does: "Move the card", keys: ["Shift+↓ ↑", "Shift+→ ←"] },
        { does: "New task; create and start it", keys: ["N", "Ctrl+Enter"] },
        { does: "Open the task, its session", keys: ["Enter", "O"] },
        { does: "Start, cancel the start", keys: ["S", "C"] },
        { does: "Retry, done", keys: ["R", "D"] },
        { does: "Pin, delete", keys: ["P", "Del"] },
      ],
    },
    {
      group: "In a worker's past",
      shortcuts: [
        { does: "Earlier, later", keys: ["←", "→"] },
        { does: "Previous command, next command", keys: [",", "."] },
        { does: "Play or pause", keys: ["Space"] },
        { does: "Back to live", keys: ["L", "Esc"] },
      ],
    },
  ];
}

/** Where a key press happened. */
export function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof Element)) return "elsewhere";
  if (target.closest('.xterm, [data-keys="terminal"]')) return "terminal";
  if (target.closest("input, textarea, select, [contenteditable]")) return "text";
  return "elsewhere";
}

export const onMac = /Mac|iPhone|iPad/.test(navigator.platform);
