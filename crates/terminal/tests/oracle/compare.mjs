// Compares two states of the oracle, one verdict for each aspect.
const text = (lines) => lines.map((line) => line.text).join("\n");
const attrs = (lines) => lines.map((line) => line.attrs).join("\n");
const wraps = (lines) => lines.map((line) => +line.wrapped).join("");

// Modes the screen form asserts only when the program touched them: what they are by default is the viewer's affair.
const VIEWERS_OWN_MODES = [1007, 1036, 1039, 2048];

/** What a full snapshot promises: everything. */
function fullAspects(state) {
  return {
    text: text(state.text),
    attrs: attrs(state.text),
    cursor: state.cursor,
    wrap: state.wrap,
    modes: state.modes,
    scrollback: text(state.scrollback),
    sbattrs: attrs(state.scrollback),
    wrapflags: [state.scrollback, state.text, state.other].map(wraps).join("|"),
    other: text(state.other) + attrs(state.other),
    pen: state.pen,
    margins: state.margins,
    tabs: state.tabs,
    charset: state.charset,
    saved: state.saved,
    cursorstyle: state.cursorStyle,
    kitty: state.kitty,
    title: state.title,
    palette: state.palette,
    screen: state.screen,
  };
}

/** What the screen form promises: the visible screen and all modes, on whichever screen the viewer shows them. */
function screenAspects(state) {
  const all = fullAspects(state);
  return {
    text: all.text,
    attrs: all.attrs,
    cursor: all.cursor,
    wrap: all.wrap,
    modes: { ...all.modes, extra: all.modes.extra.filter((mode) => !VIEWERS_OWN_MODES.includes(mode)) },
    // The first row may continue a line of the history, which the viewer has not got.
    wrapflags: wraps(state.text.slice(1)),
    pen: all.pen,
    margins: all.margins,
    tabs: all.tabs,
    charset: all.charset,
    saved: state.savedHere,
    cursorstyle: all.cursorstyle,
    kitty: state.kitty.now,
    title: all.title,
    palette: all.palette,
  };
}

/** The lines a person sees when soft wraps are joined, without the blanks that end them. */
function logicalLines(state) {
  const lines = [];
  for (const line of [...state.scrollback, ...(state.screen === "main" ? state.text : state.other)]) {
    if (line.wrapped && lines.length) lines[lines.length - 1] += line.text;
    else lines.push(line.text);
  }
  return { logical: lines.map((line) => line.trimEnd()).join("\n").trimEnd() };
}

const FORMS = { full: fullAspects, screen: screenAspects, logical: logicalLines };

/** Lists the aspects in which two states differ, each with the place where it first does. */
export function differences(form, expected, got, unpromised = new Set()) {
  const a = FORMS[form](expected), b = FORMS[form](got);
  return Object.keys(a)
    .filter((aspect) => !unpromised.has(aspect))
    .map((aspect) => ({ aspect, first: firstDifference(a[aspect], b[aspect]) }))
    .filter((difference) => difference.first !== null);
}

function firstDifference(expected, got) {
  const [a, b] = [expected, got].map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  if (a === b) return null;
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  const line = a.slice(0, at).split("\n").length - 1;
  const from = Math.max(0, a.lastIndexOf("\n", at - 1) + 1, at - 60);
  return `line ${line}: expected ${JSON.stringify(a.slice(from, at + 50))} got ${JSON.stringify(b.slice(from, at + 50))}`;
}
