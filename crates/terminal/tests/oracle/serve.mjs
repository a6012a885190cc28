// Judges snapshots for tests/oracle.rs. Reads requests on stdin, answers each with one line of JSON on stdout.
//
// A request is a four-byte big-endian length, a JSON header of that length, and the bytes that `parts` counts:
//   { kind: "judge",  cols, rows, scrollback, unicode, dirty, form, parts: [prefix, snapshot, rest] }
//   { kind: "resize", cols, rows, scrollback, unicode, to: [cols, rows], parts: [prefix, snapshot] }
//   { kind: "replay", cols, rows, scrollback, unicode, parts: [bytes] }
import { writeSync } from "node:fs";
import { differences } from "./compare.mjs";
import { Oracle } from "./oracle.mjs";

// What a viewer may have shown, in which modes, before the snapshot came.
const DIRT = [
  "",
  "old text\r\n".repeat(60) +
    "\x1b[1;4;31mpen\x1b[5;9r\x1b[?6h\x1b[?1049h\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[?1h\x1b=" +
    "\x1b[?25l\x1b[4h\x1b[?7l\x1b[3 q\x1b(0\x1b]4;3;#123456\x07\x1b]11;#223344\x07\x1b]2;old title\x07\x1b[3g\x1b[>5u\x1b[?45h",
  // On the main screen, every other mode, charsets and saved cursors astray, and in the middle of a title.
  "wide 漢字 ".repeat(40) +
    "\x1b]8;;https://old.example/\x07\x1b[4:3;58:2::9:8:7;53mlink\x1b)0\x0e\x1b[2;3H\x1b7\x1b[?1049h\x1b[3;2H\x1b7\x1b[?1049l" +
    "\x1b[2;4r\x1b[?6h\x1b[4h\x1b[20h\x1b[?7l\x1b[?2026h\x1b[?2048h\x1b[?2031h\x1b[?1007h\x1b[?1016h\x1b[?9h\x1b[>4;2m" +
    '\x1b[=3u\x1b[1"q\x1b[6 q\x1b]10;#010203\x07\x1b]12;#040506\x07\x1b]2;half a title',
];

async function* requests(input) {
  let pending = Buffer.alloc(0);
  for await (const chunk of input) {
    pending = pending.length ? Buffer.concat([pending, chunk]) : chunk;
    for (;;) {
      if (pending.length < 4) break;
      const bodyAt = 4 + pending.readUInt32BE(0);
      if (pending.length < bodyAt) break;
      const header = JSON.parse(pending.subarray(4, bodyAt));
      const end = bodyAt + header.parts.reduce((sum, length) => sum + length, 0);
      if (pending.length < end) break;
      let at = bodyAt;
      yield { ...header, parts: header.parts.map((length) => pending.subarray(at, (at += length))) };
      pending = pending.subarray(end);
    }
  }
}

function judge({ form, dirty, parts: [prefix, snapshot, rest], ...shape }) {
  const whole = new Oracle(shape).write(prefix);
  const viewer = new Oracle(shape).write(Buffer.from(DIRT[dirty]));
  viewer.replies.length = 0;
  viewer.bells = 0;
  viewer.fault = null;
  try {
    viewer.write(snapshot);
    const noise = viewer.replies.length || viewer.bells ? `${viewer.bells} bells, replies ${JSON.stringify(viewer.replies.join(""))}` : null;
    const stages = [];
    const touched = new Set(whole.touched);
    const compareAt = (stage) => {
      const unpromised = new Set(form === "screen" ? whole.beyondTheScreen : []);
      // A title and colours that the program never set are the viewer's own.
      if (form === "screen") for (const aspect of ["title", "palette"]) if (!touched.has(aspect)) unpromised.add(aspect);
      stages.push({ stage, differences: differences(form, whole.state(), viewer.state(), unpromised) });
    };
    whole.startOver();
    whole.noteStrayedState(form);
    compareAt("cut");
    if (rest.length) {
      whole.write(rest);
      viewer.write(rest);
      if (whole.scrolledSinceSave()) whole.beyondTheScreen.add("saved");
      if (form !== "screen" || !whole.beyondTheScreen.has("everything")) compareAt("rest");
    }
    // A difference proves nothing once xterm.js met one of its own faults.
    const differ = stages.some((stage) => stage.differences.length);
    return { stages, noise, void: differ ? (whole.fault ?? viewer.fault) : null };
  } finally {
    whole.dispose();
    viewer.dispose();
  }
}

function judgeResize({ to: [cols, rows], parts: [prefix, snapshot], ...shape }) {
  const whole = new Oracle(shape).write(prefix);
  const viewer = new Oracle({ ...shape, cols, rows }).write(snapshot);
  try {
    whole.resize(cols, rows);
    const stages = [{ stage: "resize", differences: differences("logical", whole.state(), viewer.state()) }];
    return { stages, noise: null, void: whole.fault };
  } finally {
    whole.dispose();
    viewer.dispose();
  }
}

function replay({ parts: [bytes], ...shape }) {
  const terminal = new Oracle(shape).write(bytes);
  const { text, ...state } = terminal.state();
  terminal.dispose();
  return { text: text.map((line) => line.text), attrs: text.map((line) => line.attrs), ...state, replies: terminal.replies.join(""), void: terminal.fault };
}

// The width of every code point from `first` to `last`, a digit each.
function widths({ first, last, ...shape }) {
  const terminal = new Oracle({ cols: 80, rows: 24, scrollback: 0, ...shape });
  const { unicodeService } = terminal.core;
  let digits = "";
  for (let code = first; code <= last; code++) digits += unicodeService.wcwidth(code);
  terminal.dispose();
  return { digits };
}

const KINDS = { judge, resize: judgeResize, replay, widths };

for await (const request of requests(process.stdin)) {
  const answer = Buffer.from(JSON.stringify(KINDS[request.kind](request)) + "\n");
  for (let at = 0; at < answer.length; ) at += writeSync(1, answer, at);
}
