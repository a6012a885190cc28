/** The screen, drawn by xterm.js. */

import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { WebglAddon } from "@xterm/addon-webgl";
import { type IDisposable, type ITheme, Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";

import { utf8 } from "../protocol/bytes";
import type { Size } from "../protocol/messages";
import { onMac } from "../shell/shortcuts";
import { mendInverse } from "./inverse";
import { KeyboardStack } from "./keyboard-stack";
import { encodeKey, type Key } from "./kitty-keys";
import { pasted } from "./paste";
import { isPersonal, silence } from "./quiet";
import type { FindOptions, Found, Screen, ScreenKey, ScreenOptions, ScrollPosition } from "./screen";
import { asOneFrame } from "./snapshot-frame";
import { matchColors, type ThemeName, terminalTheme } from "./themes";
import { Veil } from "./veil";

const FONTS = 'ui-monospace, "SF Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Smaller letters than this are a picture of text. */
const LEAST_FONT = 2;

export function createScreen(options: ScreenOptions): Screen {
  return new XtermScreen(options);
}

class XtermScreen implements Screen {
  readonly #terminal: Terminal;
  readonly #search = new SearchAddon({ highlightLimit: 2000 });
  readonly #interactive: boolean;
  readonly #wantsWebgl: boolean;
  readonly #keyboards = { normal: new KeyboardStack(), alternate: new KeyboardStack() };
  #modifyOtherKeys = 0;
  #fontSize: number;
  #theme: ThemeName;
  /** A cell at the proper size of letters, once it was measured. */
  #cell: { readonly width: number; readonly height: number } | undefined;
  #webgl: WebglAddon | undefined;
  readonly #veil = new Veil();
  #telling = false;
  #disposed = false;
  /** How was looked for something last. */
  #foundHow = "";

  readonly #input = new Listeners<Uint8Array>();
  readonly #scrolled = new Listeners<ScrollPosition>();
  readonly #found = new Listeners<Found>();
  readonly #link = new Listeners<string | undefined>();
  readonly #follow = new Listeners<string>();
  readonly #keys = new Set<(event: KeyboardEvent) => boolean>();

  constructor(options: ScreenOptions) {
    this.#interactive = options.interactive ?? true;
    this.#wantsWebgl = options.webgl ?? true;
    this.#fontSize = options.fontSize;
    this.#theme = options.theme;
    const follow = (event: MouseEvent, target: string) => {
      if (event.ctrlKey || event.metaKey) this.#follow.tell(target);
    };
    const hover = {
      hover: (_event: MouseEvent, target: string) => this.#link.tell(target),
      leave: () => this.#link.tell(undefined),
    };
    this.#terminal = new Terminal({
      allowProposedApi: true,
      allowTransparency: false,
      altClickMovesCursor: false,
      cursorBlink: this.#interactive && !matchMedia("(prefers-reduced-motion: reduce)").matches,
      cursorInactiveStyle: this.#interactive ? "outline" : "none",
      customGlyphs: true,
      disableStdin: !this.#interactive,
      drawBoldTextInBrightColors: false,
      fontFamily: FONTS,
      fontSize: options.fontSize,
      lineHeight: 1.15,
      linkHandler: this.#interactive ? { activate: follow, ...hover, allowNonHttpProtocols: true } : null,
      macOptionClickForcesSelection: true,
      minimumContrastRatio: options.theme === "light" ? 4.5 : 1,
      overviewRuler: { width: 10 },
      rescaleOverlappingGlyphs: true,
      screenReaderMode: options.screenReader ?? false,
      scrollback: options.scrollback,
      smoothScrollDuration: 0,
      theme: terminalTheme(options.theme),
    });
    this.#terminal.loadAddon(new Unicode11Addon());
    this.#terminal.unicode.activeVersion = "11";
    this.#quieten();
    if (!this.#interactive) return;
    // Until it was focused once, or was on its alternate screen, xterm draws no cursor; there may be several panes.
    this.#terminal.write("\x1b[?1049h\x1b[?1049l");
    this.#terminal.loadAddon(new WebLinksAddon(follow, hover));
    this.#terminal.loadAddon(this.#search);
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      this.#found.tell({ index: resultIndex, count: resultCount }),
    );
    this.#terminal.onData((data) => {
      if (isPersonal(data)) this.#input.tell(utf8(data));
    });
    this.#terminal.onBinary((data) => this.#input.tell(Uint8Array.from(data, (each) => each.charCodeAt(0))));
    this.#terminal.onScroll(() => this.#tellPosition());
    this.#terminal.attachCustomKeyEventHandler((event) => this.#key(event));
  }

  get size(): Size {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  open(element: HTMLElement): void {
    this.#terminal.open(element);
    mendInverse(this.#terminal);
    if (this.#wantsWebgl) this.#useWebgl();
    const { textarea } = this.#terminal;
    if (!this.#interactive || !textarea) return;
    // What the emulator itself reports at odd times, such as when a program asks to be told, is left out by `isPersonal`.
    textarea.addEventListener("focus", () => this.#focused("I"));
    textarea.addEventListener("blur", () => this.#focused("O"));
    // Wheel and keys scroll without `onScroll` being told of it.
    element.addEventListener("wheel", () => this.#tellPosition(), { passive: true });
    element.addEventListener("pointermove", ({ buttons }) => buttons > 0 && this.#tellPosition(), {
      passive: true,
    });
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#write(bytes, done);
  }

  snapshot(bytes: Uint8Array, size: Size, done: () => void): void {
    let fromBottom = 0;
    let unveil = () => {};
    // The emulator first takes in the bytes written before, at their own size.
    this.#write("", () => {
      fromBottom = this.position.fromBottom;
      const rows = this.#terminal.element?.querySelector<HTMLElement>(".xterm-rows") ?? null;
      unveil = this.#veil.lay(rows, terminalTheme(this.#theme).background ?? "");
      this.resize(size);
    });
    for (const piece of asOneFrame(bytes)) this.#terminal.write(piece);
    this.#write("", () => {
      if (fromBottom > 0) this.#terminal.scrollToLine(this.#terminal.buffer.active.baseY - fromBottom);
      this.#tellPosition();
      unveil();
      done();
    });
  }

  resize({ cols, rows }: Size): void {
    if (cols !== this.#terminal.cols || rows !== this.#terminal.rows) this.#terminal.resize(cols, rows);
  }

  reset(): void {
    this.#terminal.reset();
    this.#resetKeyboard();
  }

  onInput(listener: (bytes: Uint8Array) => void): () => void {
    return this.#input.add(listener);
  }

  onKey(listener: (event: KeyboardEvent) => boolean): () => void {
    this.#keys.add(listener);
    return () => this.#keys.delete(listener);
  }

  onScroll(listener: (position: ScrollPosition) => void): () => void {
    return this.#scrolled.add(listener);
  }

  onFound(listener: (found: Found) => void): () => void {
    return this.#found.add(listener);
  }

  onLink(listener: (target: string | undefined) => void): () => void {
    return this.#link.add(listener);
  }

  onFollow(listener: (target: string) => void): () => void {
    return this.#follow.add(listener);
  }

  press({ key, code, ctrl = false, alt = false, shift = false }: ScreenKey): void {
    const held = { ctrl, alt, shift, meta: false, altGraph: false, capsLock: false, numLock: false };
    // Alt of these keys writes no other characters, as Option of a Mac's keyboard does.
    const modes = { ...this.#keyboardModes(), mac: false };
    const typed = encodeKey({ key, code, event: "press", ...held }, modes);
    if (typed.kind === "send") this.#type(typed.text);
    else if (typed.kind === "text") this.#type(key);
  }

  paste(text: string): void {
    this.#type(pasted(text, this.bracketedPaste));
  }

  get bracketedPaste(): boolean {
    return this.#terminal.modes.bracketedPasteMode;
  }

  get position(): ScrollPosition {
    const { baseY, viewportY, cursorY, type } = this.#terminal.buffer.active;
    return {
      lines: baseY,
      fromBottom: baseY - viewportY,
      cursorRow: cursorY,
      alternate: type === "alternate",
    };
  }

  get usedRows(): number {
    const { active } = this.#terminal.buffer;
    let row = this.#terminal.rows - 1;
    while (
      row > active.cursorY &&
      !active
        .getLine(active.baseY + row)
        ?.translateToString(true)
        .trim()
    )
      row -= 1;
    return row + 1;
  }

  get history(): number {
    return this.#terminal.buffer.normal.baseY;
  }

  keep(lines: number): void {
    this.#terminal.options.scrollback = lines;
  }

  scrollToLine(line: number): void {
    this.#terminal.scrollToLine(line);
    this.#tellPosition();
  }

  scrollLines(lines: number): void {
    this.#terminal.scrollLines(lines);
    this.#tellPosition();
  }

  scrollToBottom(): void {
    this.#terminal.scrollToBottom();
    this.#tellPosition();
  }

  get lineHeight(): number {
    return this.#measured()?.height ?? this.#fontSize * 1.15;
  }

  get wantsWheel(): boolean {
    return (
      this.#terminal.buffer.active.type === "alternate" || this.#terminal.modes.mouseTrackingMode !== "none"
    );
  }

  wheel(lines: number, clientX: number, clientY: number): void {
    const at = { bubbles: true, cancelable: true, clientX, clientY, deltaMode: WheelEvent.DOM_DELTA_LINE };
    const screen = this.#screenElement();
    // A program that wants the mouse is told of one turn for each event.
    for (let line = 0; line < Math.abs(lines); line += 1) {
      screen?.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: Math.sign(lines) }));
    }
  }

  click(clientX: number, clientY: number): void {
    if (this.#terminal.modes.mouseTrackingMode === "none") return;
    const at = { bubbles: true, cancelable: true, clientX, clientY, button: 0 };
    const screen = this.#screenElement();
    screen?.dispatchEvent(new MouseEvent("mousedown", { ...at, buttons: 1 }));
    screen?.ownerDocument.dispatchEvent(new MouseEvent("mouseup", at));
  }

  find(query: string, direction: "next" | "previous", { caseSensitive, regex }: FindOptions): void {
    const { match, active } = matchColors(this.#theme);
    // The match that is shown is also selected, and a selection's colour covers that of a match.
    this.#colour({ selectionBackground: active, selectionInactiveBackground: active });
    const given = {
      caseSensitive,
      regex,
      incremental: false,
      decorations: {
        matchBackground: match,
        activeMatchBackground: active,
        matchOverviewRuler: match,
        activeMatchColorOverviewRuler: active,
      },
    };
    // The addon counts anew when the text is another one, not when it is to be read in another way.
    const how = `${caseSensitive} ${regex}`;
    if (how !== this.#foundHow) this.#search.clearDecorations();
    this.#foundHow = how;
    try {
      if (direction === "next") this.#search.findNext(query, given);
      else this.#search.findPrevious(query, given);
    } catch {
      // An expression that is not finished yet finds nothing.
      this.#found.tell({ index: -1, count: 0 });
    }
    this.#tellPosition();
  }

  endFind(): void {
    this.#search.clearDecorations();
    this.#colour({});
    this.#terminal.clearSelection();
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  clearSelection(): void {
    this.#terminal.clearSelection();
  }

  selectAll(): void {
    this.#terminal.selectAll();
  }

  focus(): void {
    this.#terminal.focus();
  }

  fit(width: number, height: number): Size | undefined {
    this.#cell ??= this.#measured();
    if (!this.#cell) return undefined;
    const cols = Math.floor(width / this.#cell.width);
    const rows = Math.floor(height / this.#cell.height);
    return cols < 2 || rows < 1 ? undefined : { cols: Math.min(cols, 1000), rows: Math.min(rows, 1000) };
  }

  shrinkTo(width: number, height: number): number {
    this.#cell ??= this.#measured();
    if (!this.#cell) return 1;
    const { cols, rows } = this.#terminal;
    const scale = Math.min(1, width / (cols * this.#cell.width), height / (rows * this.#cell.height));
    let font =
      scale === 1 ? this.#fontSize : Math.max(LEAST_FONT, Math.floor(this.#fontSize * scale * 4) / 4);
    this.#terminal.options.fontSize = font;
    // Cells are whole pixels, so a little more may have to go.
    for (let tries = 0; tries < 8 && scale < 1 && font > LEAST_FONT; tries += 1) {
      const cell = this.#measured();
      if (!cell || (cell.width * cols <= width && cell.height * rows <= height)) break;
      font -= 0.25;
      this.#terminal.options.fontSize = font;
    }
    return font / this.#fontSize;
  }

  setTheme(theme: ThemeName): void {
    this.#theme = theme;
    this.#terminal.options.theme = terminalTheme(theme);
    this.#terminal.options.minimumContrastRatio = theme === "light" ? 4.5 : 1;
    mendInverse(this.#terminal);
  }

  setFontSize(size: number): void {
    if (size === this.#fontSize) return;
    this.#fontSize = size;
    this.#terminal.options.fontSize = size;
    this.#spaceLetters();
    this.#cell = this.#measured();
  }

  setScreenReader(on: boolean): void {
    this.#terminal.options.screenReaderMode = on;
  }

  text(): string {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let row = 0; row < this.#terminal.rows; row += 1) {
      const line = active.getLine(active.viewportY + row);
      const text = line?.translateToString(true) ?? "";
      if (line?.isWrapped && lines.length > 0) lines.push((lines.pop() ?? "") + text);
      else lines.push(text);
    }
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd();
  }

  linkAt(clientX: number, clientY: number): string | undefined {
    const screen = this.#screenElement();
    let found: string | undefined;
    const forget = this.#link.add((target) => {
      found = target;
    });
    // Links are looked for where the mouse moves to, line by line: so it comes from another one. That does not go
    // further than the screen, where a program that wants the mouse would be told.
    for (const y of [clientY - this.lineHeight, clientY + this.lineHeight, clientY]) {
      screen?.dispatchEvent(new MouseEvent("mousemove", { clientX, clientY: y }));
    }
    forget();
    screen?.dispatchEvent(new MouseEvent("mouseleave"));
    return found;
  }

  dispose(): void {
    this.#disposed = true;
    this.#webgl?.dispose();
    this.#terminal.dispose();
  }

  /** The emulator takes in its bytes even after it is disposed of. Then no listener is told any more. */
  #write(data: string | Uint8Array, done: () => void): void {
    this.#terminal.write(data, () => {
      if (!this.#disposed) done();
    });
  }

  #colour(instead: ITheme): void {
    this.#terminal.options.theme = { ...terminalTheme(this.#theme), ...instead };
    mendInverse(this.#terminal);
  }

  #quieten(): void {
    const { parser, buffer } = this.#terminal;
    silence(parser);
    const keyboard = () => this.#keyboards[buffer.active.type];
    const first = (params: (number | number[])[], otherwise: number) => {
      const [value] = params;
      return typeof value === "number" && value > 0 ? value : otherwise;
    };
    const track = (prefix: string, change: (params: (number | number[])[]) => void): IDisposable =>
      parser.registerCsiHandler({ prefix, final: "u" }, (params) => {
        change(params);
        return true;
      });
    track(">", (params) => keyboard().push(first(params, 0)));
    track("<", (params) => keyboard().pop(first(params, 1)));
    track("=", ([flags, how]) =>
      keyboard().set(typeof flags === "number" ? flags : 0, typeof how === "number" && how > 0 ? how : 1),
    );
    parser.registerCsiHandler({ prefix: ">", final: "m" }, ([resource, value]) => {
      if (resource === 4) this.#modifyOtherKeys = typeof value === "number" ? value : 0;
      return true;
    });
    parser.registerEscHandler({ final: "c" }, () => {
      this.#resetKeyboard();
      return false;
    });
  }

  #resetKeyboard(): void {
    this.#keyboards.normal.reset();
    this.#keyboards.alternate.reset();
    this.#modifyOtherKeys = 0;
  }

  #keyboardModes() {
    return {
      flags: this.#keyboards[this.#terminal.buffer.active.type].flags,
      applicationCursor: this.#terminal.modes.applicationCursorKeysMode,
      modifyOtherKeys: this.#modifyOtherKeys,
      mac: onMac,
    };
  }

  /** Whether the emulator shall deal with a key: only with what the browser makes text of. */
  #key(event: KeyboardEvent): boolean {
    // An input method is at work: its keys are not for the program.
    if (event.isComposing || event.keyCode === 229) return true;
    if (event.type === "keypress") return true;
    for (const listener of this.#keys) {
      if (listener(event)) return false;
    }
    const typed = encodeKey(describe(event), this.#keyboardModes());
    switch (typed.kind) {
      case "text":
        // Command and Windows keys are left to the browser: the emulator would make something of them.
        return !event.metaKey || event.type === "keyup";
      case "nothing":
        return event.type === "keyup";
      case "send":
        event.preventDefault();
        event.stopPropagation();
        this.#type(typed.text);
        return false;
    }
  }

  #type(text: string): void {
    if (this.position.fromBottom > 0) this.scrollToBottom();
    this.#input.tell(utf8(text));
  }

  /** Once a frame: a program that prints scrolls a hundred thousand times a second. */
  #tellPosition(): void {
    if (this.#telling) return;
    this.#telling = true;
    requestAnimationFrame(() => {
      this.#telling = false;
      if (!this.#disposed) this.#scrolled.tell(this.position);
    });
  }

  #focused(which: "I" | "O"): void {
    if (this.#terminal.modes.sendFocusMode) this.#input.tell(utf8(`\x1b[${which}`));
  }

  #screenElement(): HTMLElement | null {
    return this.#terminal.element?.querySelector<HTMLElement>(".xterm-screen") ?? null;
  }

  #measured(): { readonly width: number; readonly height: number } | undefined {
    const screen = this.#screenElement();
    // Styles, not boxes: they are exact however the page scales what it shows.
    const width = Number.parseFloat(screen?.style.width ?? "") / this.#terminal.cols;
    const height = Number.parseFloat(screen?.style.height ?? "") / this.#terminal.rows;
    return width > 0 && height > 0 ? { width, height } : undefined;
  }

  #useWebgl(): void {
    if (!hasGraphicsCard()) return;
    try {
      const webgl = new WebglAddon();
      // The browser took the graphics card back: xterm draws with elements of the page from then on.
      webgl.onContextLoss(() => {
        webgl.dispose();
        this.#webgl = undefined;
        this.#spaceLetters();
      });
      this.#terminal.loadAddon(webgl);
      this.#webgl = webgl;
    } catch {
      this.#webgl = undefined;
    }
    this.#spaceLetters();
  }

  /** With the graphics card a cell is cut to whole pixels; where most of one is cut off, letters would touch. */
  #spaceLetters(): void {
    const { fontSize } = this.#terminal.options;
    const context = this.#webgl && document.createElement("canvas").getContext("2d");
    if (context) context.font = `${fontSize}px ${FONTS}`;
    const width = (context?.measureText("W").width ?? 0) * devicePixelRatio;
    this.#terminal.options.letterSpacing = width % 1 >= 0.5 ? 1 : 0;
  }
}

let graphicsCard: boolean | undefined;

/** A browser without one draws WebGL with the processor, slower than it draws elements of the page. */
function hasGraphicsCard(): boolean {
  graphicsCard ??= (() => {
    const context = document.createElement("canvas").getContext("webgl2");
    const about = context?.getExtension("WEBGL_debug_renderer_info");
    const renderer = about ? String(context?.getParameter(about.UNMASKED_RENDERER_WEBGL)) : "";
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return context !== null && !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
  })();
  return graphicsCard;
}

function describe(event: KeyboardEvent): Key {
  return {
    key: event.key,
    code: event.code,
    event: event.type === "keyup" ? "release" : event.repeat ? "repeat" : "press",
    shift: event.shiftKey,
    alt: event.altKey,
    ctrl: event.ctrlKey,
    meta: event.metaKey,
    altGraph: event.getModifierState("AltGraph"),
    capsLock: event.getModifierState("CapsLock"),
    numLock: event.getModifierState("NumLock"),
  };
}

class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  add(listener: (value: T) => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  tell(value: T): void {
    for (const listener of this.#all) listener(value);
  }
}
