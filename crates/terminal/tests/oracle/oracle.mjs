// The oracle: xterm.js headless, fed synchronously, its whole state read out as plain data.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { Terminal } = require("@xterm/headless");
const { Unicode11Addon } = require("@xterm/addon-unicode11");
const { UnicodeGraphemesAddon } = require("@xterm/addon-unicode-graphemes");

// Private modes that xterm.js ignores, or keeps no flag for, while a program can tell the difference.
const SHADOWED_MODES = [1007, 1016, 1036, 1039, 2031, 2048, 8452];
const ALTERNATE_SCREEN_MODES = [47, 1047, 1049];
const KITTY_STACK_LIMIT = 33;
const WRITE_BYTES = 65536;
const PATIENCE = 20000;
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const BOLD = 1, DIM = 2, ITALIC = 4, UNDERLINE = 8, BLINK = 16, INVERSE = 32, HIDDEN = 64, STRIKE = 128, OVERLINE = 256;
const SHOWS_ON_A_BLANK = UNDERLINE | INVERSE | STRIKE | OVERLINE;

export class Oracle {
  constructor({ cols, rows, scrollback, unicode }) {
    this.cols = cols;
    this.rows = rows;
    this.term = new Terminal({
      cols,
      rows,
      scrollback,
      allowProposedApi: true,
      logLevel: "off",
      logger: SILENT,
      windowOptions: { pushTitle: true, popTitle: true },
    });
    if (unicode === "11") {
      this.term.loadAddon(new Unicode11Addon());
      this.term.unicode.activeVersion = "11";
    } else if (unicode === "graphemes") {
      this.term.loadAddon(new UnicodeGraphemesAddon());
    }
    this.core = this.term._core;
    this.replies = [];
    this.bells = 0;
    this.term.onData((data) => this.replies.push(data));
    this.term.onBinary((data) => this.replies.push(data));
    this.term.onBell(() => this.bells++);
    /** What the program ever changed of what is a person's own: "title", "palette". */
    this.touched = new Set();
    this.term.onTitleChange((title) => title && this.touched.add("title"));
    this.core._inputHandler.onColor((events) => {
      if (events.some((event) => event.type === 1)) this.touched.add("palette");
    });
    /** Why this run of xterm.js cannot be trusted, if it met one of its own faults. */
    this.fault = null;
    this.startOver();
    this.#shadowColours();
    this.#shadowKeyboard();
    this.#shadowModes();
    this.#noteRecycledRow();
    this.#shadowLinks();
    this.#watchForFaults();
    this.#watchBeyondTheScreen();
  }

  #onCsi(id, handler) {
    this.term.parser.registerCsiHandler(id, handler);
  }

  #shadowColours() {
    this.palette = new Map();
    const special = { 256: "fg", 257: "bg", 258: "cursor" };
    const SET = 1, RESTORE = 2;
    this.core._inputHandler.onColor((events) => {
      for (const { type, index, color } of events) {
        const name = special[index] ?? index;
        if (type === SET) this.palette.set(name, color.join(","));
        else if (type === RESTORE && index !== undefined) this.palette.delete(name);
        else if (type === RESTORE) {
          for (const key of [...this.palette.keys()]) if (typeof key === "number") this.palette.delete(key);
        }
      }
    });
  }

  #shadowKeyboard() {
    this.kitty = { main: [0], alt: [0] };
    this.modifyOtherKeys = 0;
    const stack = () => this.kitty[this.onAlternateScreen() ? "alt" : "main"];
    const param = (params, i, absent) => {
      const value = Array.isArray(params[i]) ? params[i][0] : params[i];
      return value === undefined || value === -1 ? absent : value;
    };
    this.#onCsi({ prefix: ">", final: "u" }, (params) => {
      stack().push(param(params, 0, 0));
      if (stack().length > KITTY_STACK_LIMIT) stack().splice(1, 1);
      return true;
    });
    this.#onCsi({ prefix: "<", final: "u" }, (params) => {
      let count = Math.max(1, param(params, 0, 1));
      while (count-- > 0 && stack().length > 1) stack().pop();
      if (count >= 0) stack()[0] = 0;
      return true;
    });
    this.#onCsi({ prefix: "=", final: "u" }, (params) => {
      const flags = param(params, 0, 0), how = param(params, 1, 1) || 1;
      const now = stack().pop();
      stack().push(how === 1 ? flags : how === 2 ? now | flags : now & ~flags);
      return true;
    });
    this.#onCsi({ prefix: "?", final: "u" }, () => true);
    this.#onCsi({ prefix: ">", final: "m" }, (params) => {
      if (param(params, 0, 0) === 4) this.modifyOtherKeys = param(params, 1, 0);
      return true;
    });
    this.#onCsi({ prefix: ">", final: "n" }, (params) => {
      if (param(params, 0, 0) === 4) this.modifyOtherKeys = 0;
      return true;
    });
  }

  #shadowModes() {
    this.extraModes = new Set();
    this.#onCsi({ prefix: "?", final: "h" }, (params) => {
      for (const mode of params) if (SHADOWED_MODES.includes(mode)) this.extraModes.add(mode);
      if (params.some((mode) => ALTERNATE_SCREEN_MODES.includes(mode))) this.beyondTheScreen.add("everything");
      return false;
    });
    this.#onCsi({ prefix: "?", final: "l" }, (params) => {
      for (const mode of params) if (SHADOWED_MODES.includes(mode)) this.extraModes.delete(mode);
      if (params.some((mode) => ALTERNATE_SCREEN_MODES.includes(mode))) this.beyondTheScreen.add("everything");
      return false;
    });
    this.term.parser.registerEscHandler({ final: "c" }, () => {
      this.kitty = { main: [0], alt: [0] };
      this.modifyOtherKeys = 0;
      this.extraModes.clear();
      this.palette.clear();
      this.core._inputHandler.setTitle("");
      return false;
    });
  }

  /**
   * States that xterm.js reaches only by an accident of DECRC, which brings back half of what it should, or by marks
   * piled up behind the last column. No sequence leads there from outside; docs/terminal.md names them.
   */
  noteStrayedState(form) {
    const UNDERLINE = 0x10000000; // in fg
    const EXTENDED = 0x10000000; // in bg
    const { buffers, _charsetService: charsets, _inputHandler: input } = this.core;
    const { active, alt } = buffers;
    if (active.x > this.cols) this.fault ??= "a mark beyond the last column";
    const pen = input._curAttrData;
    const shape = (pen.extended._ext >> 26) & 7;
    const extended = shape !== 0 || pen.extended._urlId !== 0;
    const underlined = (pen.fg & UNDERLINE) !== 0;
    if ((shape !== 0) !== underlined || extended !== ((pen.bg & EXTENDED) !== 0)) this.fault ??= "half a pen";
    for (const { savedCurAttrData: saved } of [buffers.normal, alt]) {
      if (saved.fg & UNDERLINE && !(saved.bg & EXTENDED)) this.fault ??= "half a pen, saved";
    }
    const strayed = charsets.charset !== charsets._charsets[charsets.glevel];
    const fromHidden = form === "full" && active !== alt && alt.savedCharset === charsets.charset;
    if (strayed && active.savedCharset !== charsets.charset && !fromHidden) this.fault ??= "half a character set";
  }

  // Where there is nothing to scroll into, xterm.js recycles the one row there is, and then writes into it what
  // belongs at the end of the row that went.
  #noteRecycledRow() {
    const service = this.core._bufferService;
    const scroll = service.scroll.bind(service);
    service.scroll = (attributes, wrapped) => {
      if (wrapped && service.buffer.lines.maxLength === 1) this.fault ??= "a wrap on a single recycled row";
      scroll(attributes, wrapped);
    };
  }

  // xterm.js forgets a link's address when the line that first showed it is gone, though cells still carry the link.
  #shadowLinks() {
    this.links = new Map();
    const service = this.core._oscLinkService;
    const register = service.registerLink.bind(service);
    service.registerLink = (data) => {
      const id = register(data);
      this.links.set(id, data.uri);
      return id;
    };
  }

  /** Forgets which state beyond the screen form was used so far. */
  startOver() {
    /** Aspects that since then depend on the other screen, the history or a stack; "everything" for all. */
    this.beyondTheScreen = new Set();
    this.historyAtSave = this.core.buffers.normal.ybase;
  }

  /**
   * Whether the saved cursor of the main screen has moved since it was saved: xterm.js counts its row from the top
   * of the history. On the alternate screen, where the screen form is shown, it stays.
   */
  scrolledSinceSave() {
    return !this.onAlternateScreen() && this.core.buffers.normal.ybase !== this.historyAtSave;
  }

  #watchBeyondTheScreen() {
    const save = () => {
      this.historyAtSave = this.core.buffers.normal.ybase;
      return false;
    };
    const restore = () => {
      if (this.scrolledSinceSave()) this.beyondTheScreen.add("everything");
      return false;
    };
    this.term.parser.registerEscHandler({ final: "7" }, save);
    this.term.parser.registerEscHandler({ final: "8" }, restore);
    this.#onCsi({ final: "s" }, save);
    this.#onCsi({ final: "u" }, restore);
    this.#onCsi({ prefix: "?", final: "h" }, (params) => (params.includes(1048) ? save() : false));
    this.#onCsi({ prefix: "?", final: "l" }, (params) => (params.includes(1048) ? restore() : false));
    this.#onCsi({ prefix: "<", final: "u" }, () => {
      this.beyondTheScreen.add("kitty");
      return false;
    });
    this.#onCsi({ final: "t" }, (params) => {
      if (params[0] === 23) this.beyondTheScreen.add("title");
      return false;
    });
  }

  #watchForFaults() {
    // ED 1 in the last column clears the wrap flag of a line counted from the top of the history instead of
    // from the top of the screen, and throws where there is no such line.
    const eraseAbove = (params) => {
      const buffer = this.core.buffers.active;
      if (params[0] === 1 && buffer.x + 1 >= this.cols) this.fault ??= "ED 1 in the last column";
      return false;
    };
    this.#onCsi({ final: "J" }, eraseAbove);
    this.#onCsi({ prefix: "?", final: "J" }, eraseAbove);
    // DECALN under origin mode starts at the top margin and runs on below the screen, where the list of lines
    // comes round to its beginning: to the oldest line of the history, or to the top of the alternate screen.
    this.term.parser.registerEscHandler({ intermediates: "#", final: "8" }, () => {
      const { origin } = this.core.coreService.decPrivateModes;
      if (origin && this.core.buffers.active.scrollTop > 0) this.fault ??= "DECALN below a margin in origin mode";
      return false;
    });
    // xterm.js takes every count as it is, and works for minutes on one of a billion.
    for (const final of ["I", "L", "M", "S", "T", "Z", "b"]) {
      this.#onCsi({ final }, (params) => {
        if (!(params[0] > PATIENCE)) return false;
        this.fault ??= `CSI ${params[0]} ${final}`;
        return true;
      });
    }
  }

  onAlternateScreen() {
    return this.core.buffers.active === this.core.buffers.alt;
  }

  /** Feeds bytes, never splitting a character between two writes: xterm.js may lose a split one. */
  write(bytes) {
    for (let start = 0; start < bytes.length; ) {
      let end = Math.min(start + WRITE_BYTES, bytes.length);
      while (end < bytes.length && (bytes[end] & 0xc0) === 0x80 && end - start > WRITE_BYTES - 4) end--;
      try {
        this.core._writeBuffer.writeSync(bytes.subarray(start, end));
      } catch (error) {
        this.fault ??= `xterm.js threw: ${error.message}`;
        return this;
      }
      start = end;
    }
    return this;
  }

  resize(cols, rows) {
    this.term.resize(cols, rows);
    this.cols = cols;
    this.rows = rows;
  }

  dispose() {
    this.term.dispose();
  }

  #newCell() {
    return new (this.core.buffers.normal.getNullCell().constructor)();
  }

  #look(cell) {
    const RGB = 0x3000000;
    const colour = (mode, value) => {
      if (mode === 0) return "d";
      return mode === RGB ? "#" + (value & 0xffffff).toString(16).padStart(6, "0") : String(value & 0xff);
    };
    let flags = 0;
    if (cell.isBold()) flags |= BOLD;
    if (cell.isDim()) flags |= DIM;
    if (cell.isItalic()) flags |= ITALIC;
    if (cell.isUnderline()) flags |= UNDERLINE;
    if (cell.isBlink()) flags |= BLINK;
    if (cell.isInverse()) flags |= INVERSE;
    if (cell.isInvisible()) flags |= HIDDEN;
    if (cell.isStrikethrough()) flags |= STRIKE;
    if (cell.isOverline()) flags |= OVERLINE;
    const look = { fg: colour(cell.getFgColorMode(), cell.fg), bg: colour(cell.getBgColorMode(), cell.bg), flags };
    if (flags & UNDERLINE) {
      look.underline = cell.extended?.underlineStyle || 1;
      look.underlineColour = cell.isUnderlineColorDefault()
        ? "d"
        : colour(cell.getUnderlineColorMode(), cell.getUnderlineColor());
      if (look.underlineColour === look.fg) look.underlineColour = "d";
    }
    if (cell.hasExtendedAttrs() && cell.extended.urlId) look.link = this.links.get(cell.extended.urlId) ?? "?";
    return look;
  }

  #lookKey(cell, blank) {
    const look = this.#look(cell);
    // A blank shows its background alone, unless a line or the swapped colours make the rest visible.
    if (blank && !(look.flags & SHOWS_ON_A_BLANK)) {
      look.fg = "d";
      look.flags = 0;
    }
    let key = `${look.fg},${look.bg},${look.flags}`;
    if (look.underline) key += `,u${look.underline}:${look.underlineColour}`;
    if (look.link) key += `,L${look.link}`;
    return key;
  }

  // Some edits of xterm.js tear wide characters apart. No output but the same edits could bring a viewer there.
  #line(line, cell) {
    const EXTENDED = 0x10000000;
    let text = "", attrs = "", run = 0, key = null;
    let seen = null, expectsRightHalf = false;
    const plain = new cell.extended.constructor();
    for (let x = 0; x < Math.min(line.length, this.cols); x++) {
      // A cell without extended attributes leaves those of the cell loaded before it in place.
      cell.extended = plain;
      line.loadCell(x, cell);
      const width = cell.getWidth(), rightHalf = width === 0 && cell.getChars() === "";
      if (rightHalf !== expectsRightHalf) this.fault ??= "half a wide character";
      expectsRightHalf = width === 2;
      if (width === 0 && x > 0) {
        run++;
        continue;
      }
      const char = cell.getChars() || " ";
      text += char;
      const blank = char === " ";
      const same =
        seen && seen.fg === cell.fg && seen.bg === cell.bg && seen.blank === blank && !(cell.bg & EXTENDED);
      if (!same) {
        const next = this.#lookKey(cell, blank);
        seen = { fg: cell.fg, bg: cell.bg, blank };
        if (next !== key) {
          if (key !== null) attrs += `${run}*${key} `;
          key = next;
          run = 0;
        }
      }
      run++;
    }
    if (key !== null) attrs += `${run}*${key}`;
    return { text: text.replace(/ +$/, ""), attrs, wrapped: !!line.isWrapped };
  }

  #lines(buffer, from) {
    const cell = this.#newCell(), lines = [];
    for (let y = from; y < Math.min(buffer.ybase + this.rows, buffer.lines.length); y++) {
      const line = buffer.lines.get(y);
      lines.push(line ? this.#line(line, cell) : { text: "", attrs: "", wrapped: false });
    }
    return lines;
  }

  #pen(attributes) {
    const cell = this.#newCell();
    cell.fg = attributes.fg;
    cell.bg = attributes.bg;
    if (attributes.extended) cell.extended = attributes.extended.clone();
    return JSON.stringify(this.#look(cell));
  }

  /** Everything a program or a person could tell from this terminal, as plain data. */
  state() {
    const { buffers, coreService, coreMouseService, _inputHandler, _charsetService, optionsService } = this.core;
    const active = buffers.active, alternate = this.onAlternateScreen(), modes = coreService.decPrivateModes;
    const main = this.#lines(buffers.normal, 0), history = buffers.normal.ybase;
    const saved = (buffer) => ({
      x: Math.min(buffer.savedX, this.cols),
      y: buffer.savedY,
      pen: this.#pen(buffer.savedCurAttrData),
    });
    const kitty = this.kitty[alternate ? "alt" : "main"];
    return {
      screen: alternate ? "alt" : "main",
      text: alternate ? this.#lines(buffers.alt, buffers.alt.ybase) : main.slice(history),
      scrollback: main.slice(0, history),
      other: alternate ? main.slice(history) : [],
      cursor: { x: Math.min(active.x, this.cols - 1), y: active.y },
      wrap: active.x >= this.cols,
      pen: this.#pen(_inputHandler._curAttrData),
      modes: {
        hidden: !!coreService.isCursorHidden,
        appCursor: modes.applicationCursorKeys,
        appKeypad: modes.applicationKeypad,
        paste: modes.bracketedPasteMode,
        origin: modes.origin,
        autowrap: modes.wraparound,
        reverseWrap: modes.reverseWraparound,
        focus: modes.sendFocus,
        sync: !!modes.synchronizedOutput,
        insert: coreService.modes.insertMode,
        newLine: !!optionsService.rawOptions.convertEol,
        mouse: coreMouseService.activeProtocol,
        mouseEncoding: coreMouseService.activeEncoding,
        extra: [...this.extraModes].sort((a, b) => a - b),
        modifyOtherKeys: this.modifyOtherKeys,
      },
      cursorStyle: { style: modes.cursorStyle ?? "default", blink: modes.cursorBlink ?? "default" },
      kitty: { now: kitty.at(-1), main: this.kitty.main, alt: this.kitty.alt },
      margins: [active.scrollTop, active.scrollBottom],
      // Column 0 is a stop no tab can reach.
      tabs: Array.from({ length: this.cols }, (_, i) => i).filter((i) => i > 0 && active.tabs[i]),
      charset: { gl: _charsetService.glevel, g: [0, 1, 2, 3].map((i) => charsetName(_charsetService._charsets[i])).join("") },
      saved: { main: saved(buffers.normal), alt: alternate ? saved(buffers.alt) : null },
      savedHere: { ...saved(active), y: Math.min(Math.max(active.savedY - active.ybase, 0), this.rows - 1) },
      title: _inputHandler._windowTitle || "",
      palette: [...this.palette].map(([name, value]) => `${name}=${value}`).sort().join(" "),
    };
  }
}

function charsetName(charset) {
  const keys = Object.keys(charset ?? {});
  if (keys.length === 0) return "B";
  if (charset["`"] !== undefined || charset.q !== undefined) return "0";
  return keys.length === 1 ? "A" : `x${keys.length}`;
}
