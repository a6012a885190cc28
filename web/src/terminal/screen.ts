/**
 * A terminal's screen in the page. All that the rest of the page knows of the emulator, so that it can be another one.
 */

import type { Sink } from "../attachment/attachment";
import type { Size } from "../protocol/messages";
import type { ThemeName } from "./themes";

export interface ScreenOptions {
  readonly fontSize: number;
  readonly theme: ThemeName;
  readonly screenReader?: boolean;
  /** Lines above the screen that are kept. */
  readonly scrollback: number;
  /** Whether a person can type; without it there is no cursor to blink and nothing to focus. */
  readonly interactive?: boolean;
  /** Whether it may draw with the graphics card. Browsers allow few such terminals at once. */
  readonly webgl?: boolean;
}

/** Where in the scrollback a person looks. */
export interface ScrollPosition {
  /** Lines above the screen. */
  readonly lines: number;
  /** How many of them are below the top of what is in sight: 0 when it shows the newest. */
  readonly fromBottom: number;
  /** The cursor's row on the screen, from 0 on. */
  readonly cursorRow: number;
  /** Whether the program draws on the alternate screen, which has no scrollback. */
  readonly alternate: boolean;
}

export interface FindOptions {
  readonly caseSensitive: boolean;
  readonly regex: boolean;
}

/** Which match is shown, from 0 on, and how many there are. */
export interface Found {
  readonly index: number;
  readonly count: number;
}

export interface Screen {
  readonly size: Size;
  open(element: HTMLElement): void;
  /** Shows output. `done` is called when it has been taken in. */
  write(bytes: Uint8Array, done: () => void): void;
  /** Shows a whole terminal anew, in one frame; what a person has scrolled to stays in sight. */
  snapshot(bytes: Uint8Array, size: Size, done: () => void): void;
  resize(size: Size): void;
  reset(): void;
  /** What a person typed, clicked or composed, encoded for the program. */
  onInput(listener: (bytes: Uint8Array) => void): () => void;
  /** A key goes to these listeners first. One that returns true has taken the key. */
  onKey(listener: (event: KeyboardEvent) => boolean): () => void;
  onScroll(listener: (position: ScrollPosition) => void): () => void;
  onFound(listener: (found: Found) => void): () => void;
  /** The target of the link under the pointer. */
  onLink(listener: (target: string | undefined) => void): () => void;
  /** A link was clicked with Ctrl or Command held. */
  onFollow(listener: (target: string) => void): () => void;
  /** Presses a key as if it were on the keyboard. */
  press(key: ScreenKey): void;
  /** Types text as it is pasted: in brackets if the program wants that. */
  paste(text: string): void;
  readonly bracketedPaste: boolean;
  readonly position: ScrollPosition;
  /** Lines above the screen, also while the alternate screen is shown. */
  readonly history: number;
  /** How many of those are kept. */
  keep(lines: number): void;
  scrollToLine(line: number): void;
  scrollLines(lines: number): void;
  scrollToBottom(): void;
  /** How many rows from the top have something on them, with the cursor's. */
  readonly usedRows: number;
  /** How high a line is, in pixels. */
  readonly lineHeight: number;
  /** Whether scrolling is for the program: it wants the mouse, or draws on the alternate screen. */
  readonly wantsWheel: boolean;
  /** Turns the wheel there, and clicks there: for fingers, which have neither. */
  wheel(lines: number, clientX: number, clientY: number): void;
  click(clientX: number, clientY: number): void;
  find(query: string, direction: "next" | "previous", options: FindOptions): void;
  endFind(): void;
  readonly selection: string;
  clearSelection(): void;
  selectAll(): void;
  focus(): void;
  /** How many cells fit into so many pixels with the letters at their proper size. */
  fit(width: number, height: number): Size | undefined;
  /** Draws letters smaller until the whole screen fits; answers by how much. */
  shrinkTo(width: number, height: number): number;
  setTheme(theme: ThemeName): void;
  setFontSize(size: number): void;
  setScreenReader(on: boolean): void;
  /** What is in sight as plain text; a line that was only broken for want of room is whole. */
  text(): string;
  /** The target of the link there: for fingers, which point at nothing before they press. */
  linkAt(clientX: number, clientY: number): string | undefined;
  dispose(): void;
}

export interface ScreenKey {
  readonly key: string;
  readonly code: string;
  readonly ctrl?: boolean;
  readonly alt?: boolean;
  readonly shift?: boolean;
}

/** A screen as the place where an attachment shows output. */
export function screenSink(screen: Screen): Sink {
  return {
    snapshot: (bytes, size, shown) => screen.snapshot(bytes, size, shown),
    output: (bytes, shown) => screen.write(bytes, shown),
  };
}
