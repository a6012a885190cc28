import type { ScreenKey } from "./screen";

/** Modifiers of the key bar: they hold for the next key, there or on the phone's own keyboard. */
export interface Held {
  readonly ctrl: boolean;
  readonly alt: boolean;
}

export const NONE_HELD: Held = { ctrl: false, alt: false };

/** A key that phones' keyboards lack. */
export interface BarKey {
  readonly label: string;
  /** What a screen reader says. */
  readonly name: string;
  readonly key: ScreenKey;
}

export interface BarModifier {
  readonly label: string;
  readonly name: string;
  readonly modifier: keyof Held;
}

/** In the order of the bar: what agents and shells need most is in sight, the rest a swipe away. */
export const BAR: readonly (BarKey | BarModifier)[] = [
  { label: "Esc", name: "Esc", key: { key: "Escape", code: "Escape" } },
  { label: "Tab", name: "Tab", key: { key: "Tab", code: "Tab" } },
  { label: "⇧Tab", name: "Shift+Tab", key: { key: "Tab", code: "Tab", shift: true } },
  { label: "^C", name: "Ctrl+C", key: { key: "c", code: "KeyC", ctrl: true } },
  { label: "Ctrl", name: "Ctrl, for the next key", modifier: "ctrl" },
  { label: "Alt", name: "Alt, for the next key", modifier: "alt" },
  { label: "↑", name: "Up", key: { key: "ArrowUp", code: "ArrowUp" } },
  { label: "↓", name: "Down", key: { key: "ArrowDown", code: "ArrowDown" } },
  { label: "←", name: "Left", key: { key: "ArrowLeft", code: "ArrowLeft" } },
  { label: "→", name: "Right", key: { key: "ArrowRight", code: "ArrowRight" } },
  { label: "⏎", name: "Enter", key: { key: "Enter", code: "Enter" } },
  { label: "/", name: "Slash", key: { key: "/", code: "Slash" } },
  { label: "|", name: "Bar", key: { key: "|", code: "Backslash" } },
  { label: "-", name: "Dash", key: { key: "-", code: "Minus" } },
  { label: "~", name: "Tilde", key: { key: "~", code: "Backquote" } },
  { label: "Home", name: "Home", key: { key: "Home", code: "Home" } },
  { label: "End", name: "End", key: { key: "End", code: "End" } },
  { label: "PgUp", name: "Page up", key: { key: "PageUp", code: "PageUp" } },
  { label: "PgDn", name: "Page down", key: { key: "PageDown", code: "PageDown" } },
];

/** A key with the modifiers that hold for it. */
export function held(key: ScreenKey, { ctrl, alt }: Held): ScreenKey {
  return { ...key, ...(ctrl && { ctrl }), ...(alt && { alt }) };
}

/** The key that typed text is while a modifier holds; undefined if it is no single character of ASCII. */
export function typedKey(bytes: Uint8Array, modifiers: Held): ScreenKey | undefined {
  if (!modifiers.ctrl && !modifiers.alt) return undefined;
  const letter = bytes.length === 1 ? String.fromCharCode(bytes[0] ?? 0) : "";
  if (letter <= " " || letter >= "\x7f") return undefined;
  const key = modifiers.ctrl ? letter.toLowerCase() : letter;
  return held({ key, code: "", shift: key !== key.toLowerCase() }, modifiers);
}
