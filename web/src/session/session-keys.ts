/**
 * The keys of a session.
 *
 * Terminals have no byte of their own for letters with Ctrl and Shift, and next to nothing uses those with Alt and
 * Shift, so nothing is taken from what runs in one. The position of a key counts: with Alt it may write anything.
 */

export type SessionKey =
  | "find"
  | "nextTab"
  | "previousTab"
  | "moveRight"
  | "moveLeft"
  | "newTerminal"
  | "splitRight"
  | "splitDown"
  | "closePane"
  | "paneLeft"
  | "paneRight"
  | "paneUp"
  | "paneDown"
  | "rename"
  | "end"
  | "restart"
  | "takeOver"
  | "past"
  | "prompt"
  | "larger"
  | "smaller"
  | "usual"
  | `tab${number}`;

interface Pressed {
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

const WITH_ALT_SHIFT: Record<string, SessionKey> = {
  ArrowRight: "nextTab",
  ArrowLeft: "previousTab",
  PageDown: "moveRight",
  PageUp: "moveLeft",
  KeyT: "newTerminal",
  KeyD: "splitRight",
  KeyE: "splitDown",
  KeyX: "closePane",
  KeyH: "paneLeft",
  KeyL: "paneRight",
  KeyK: "paneUp",
  KeyJ: "paneDown",
  KeyR: "rename",
  KeyW: "end",
  KeyS: "takeOver",
  KeyB: "past",
  KeyP: "prompt",
  Equal: "larger",
  Minus: "smaller",
  Digit0: "usual",
};

export function sessionKey({ code, ctrlKey, altKey, shiftKey, metaKey }: Pressed): SessionKey | undefined {
  if (metaKey || !shiftKey) return undefined;
  if (ctrlKey && !altKey) return code === "KeyF" ? "find" : undefined;
  if (!altKey || ctrlKey) return undefined;
  const digit = /^Digit([1-9])$/.exec(code)?.[1];
  return digit ? `tab${Number(digit)}` : WITH_ALT_SHIFT[code];
}

/** How a key is written where people read it. */
export function keysOf(key: SessionKey): string | undefined {
  if (key === "find") return "Ctrl+Shift+F";
  const code = Object.keys(WITH_ALT_SHIFT).find((each) => WITH_ALT_SHIFT[each] === key);
  if (!code) return undefined;
  const names: Record<string, string> = { ArrowRight: "→", ArrowLeft: "←", Equal: "+", Minus: "−" };
  return `Alt+Shift+${names[code] ?? code.replace(/^(Key|Digit)/, "")}`;
}

/** All of them, for people to read. */
export function sessionKeyHelp(): { does: string; keys: string[] }[] {
  const keys = (...all: SessionKey[]) => all.flatMap((key) => keysOf(key) ?? []);
  return [
    { does: "Copy, paste", keys: ["Ctrl+Shift+C", "Ctrl+Shift+V"] },
    { does: "Find in the terminal", keys: keys("find") },
    {
      does: "Scroll by a page, to the oldest, to the newest",
      keys: ["Shift+PageUp", "Shift+Home", "Shift+End"],
    },
    { does: "Previous tab, next tab", keys: keys("previousTab", "nextTab") },
    { does: "The first tab, the second …", keys: ["Alt+Shift+1", "Alt+Shift+2"] },
    { does: "Move the tab", keys: keys("moveLeft", "moveRight") },
    { does: "New terminal", keys: keys("newTerminal") },
    { does: "Split to the right, downwards", keys: keys("splitRight", "splitDown") },
    {
      does: "To the pane on the left, below, above, on the right",
      keys: keys("paneLeft", "paneDown", "paneUp", "paneRight"),
    },
    { does: "Close the pane", keys: keys("closePane") },
    { does: "Rename, end the worker", keys: keys("rename", "end") },
    { does: "Take over the size", keys: keys("takeOver") },
    { does: "Its past", keys: keys("past") },
    { does: "Send a prompt to its agent", keys: keys("prompt") },
    { does: "Larger, smaller, usual letters", keys: keys("larger", "smaller", "usual") },
  ];
}
