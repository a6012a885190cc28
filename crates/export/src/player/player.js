"use strict";
(async () => {
  const $ = (id) => document.getElementById(id);
  const KEYFRAME = 64; // Moments between two whole screens: a jump plays at most so many.
  const PAUSE = 2000; // A longer pause is skipped,
  const REST = 800; // after so long of it.
  const SPEEDS = [0.5, 1, 2, 4, 8, 16];
  const PLAY = "M8 5.2v13.6a.6.6 0 0 0 .9.5l10.7-6.8a.6.6 0 0 0 0-1L8.9 4.7a.6.6 0 0 0-.9.5z";
  const HALT = "M7 5h3.4v14H7zM13.6 5H17v14h-3.4z";
  const AGAIN = "M12 4.5V1.8L6.8 6 12 10.2V7.4a5.3 5.3 0 1 1-5.3 5.3H3.8A8.2 8.2 0 1 0 12 4.5z";

  // What the records say.
  let head;
  const rows = [[0]];
  const moments = []; // { time, cursor, changes: [row, number, ...], size: [cols, rows] if it is another one }
  const keyframes = []; // The screens after moment 0, KEYFRAME, 2 * KEYFRAME, ...
  const markers = []; // { time, kind, label }
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];

  // What is shown.
  const screen = { index: -1, cols: 0, numbers: [] };
  const painted = { numbers: [], lines: [] };
  let at = 0;
  let total = 0;
  let playing = false;
  let frame = 0;
  let clock = 0;
  let speed = 1;
  let skip = true;
  let hits = [];
  let words = "";

  // Reading.

  async function* records() {
    const text = atob($("records").textContent);
    $("records").remove();
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).pipeThrough(new TextDecoderStream());
    let rest = "";
    const reader = plain.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const lines = (rest + piece.value).split("\n");
      rest = lines.pop();
      for (const line of lines) yield JSON.parse(line);
    }
  }

  async function load() {
    let size = null;
    let styles = 0;
    const whole = { index: -1, cols: 0, numbers: [] };
    for await (const record of records()) {
      if (typeof record === "string") {
        styles += 1;
        sheet.insertRule(`.s${styles}{${record}}`, styles - 1);
      } else if (!Array.isArray(record)) {
        head = record;
        size = [head.cols, head.rows];
      } else if (record[0] === 0) {
        rows.push(record);
      } else if (record[0] === 1) {
        total += record[1];
        moments.push({ time: total, cursor: record[2], changes: record.slice(3), size });
        size = null;
        apply(whole);
        if (whole.index % KEYFRAME === 0) keyframes.push({ ...whole, numbers: whole.numbers.slice() });
      } else if (record[0] === 2) {
        size = [record[1], record[2]];
      } else if (record[0] === 3) {
        markers.push({ time: record[1], kind: record[2], label: record[3] });
      }
    }
    markers.sort((one, other) => one.time - other.time);
  }

  /** Brings a screen to its next moment. */
  function apply(state) {
    state.index += 1;
    const { changes, size } = moments[state.index];
    if (size) {
      state.cols = size[0];
      state.numbers = new Array(size[1]).fill(0);
    }
    for (let i = 0; i < changes.length; i += 2) state.numbers[changes[i]] = changes[i + 1];
  }

  // Moments.

  /** How many of a list's items, in order of time, are not after a time. */
  function count(list, time) {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const momentAt = (time) => Math.max(0, count(moments, time) - 1);

  function go(index) {
    const near = Math.floor(index / KEYFRAME);
    if (index < screen.index || near > Math.floor(screen.index / KEYFRAME)) {
      const { index: start, cols, numbers } = keyframes[near];
      Object.assign(screen, { index: start, cols, numbers: numbers.slice() });
    }
    while (screen.index < index) apply(screen);
    paint();
  }

  function seek(time, keep) {
    at = Math.min(Math.max(time, 0), total);
    $("start").hidden = true;
    go(momentAt(at));
    progress();
    if (!keep) link();
  }

  /** Keeps the address a link to this moment, while nothing plays. */
  function link() {
    if (playing) return;
    try {
      history.replaceState(null, "", `#t=${(at / 1000).toFixed(3).replace(/\.?0+$/, "")}`);
    } catch {
      // Some places of pages may not be changed; then there is no link.
    }
  }

  function linked() {
    const time = /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash);
    if (time) seek(Number(time[1]) * 1000, true);
    return Boolean(time);
  }

  // Drawing.

  function paint() {
    const { cols, numbers } = screen;
    const lines = painted.lines;
    if (painted.cols !== cols || lines.length !== numbers.length) {
      while (lines.length < numbers.length) lines.push($("rows").appendChild(document.createElement("div")));
      while (lines.length > numbers.length) lines.pop().remove();
      painted.numbers = [];
      painted.cols = cols;
      $("size").textContent = `${cols}×${numbers.length}`;
      fit();
    }
    numbers.forEach((number, line) => {
      if (painted.numbers[line] !== number) lines[line].replaceChildren(...row(rows[number]));
      painted.numbers[line] = number;
      lines[line].className = words && text(number).includes(words) ? "hit" : "";
    });
    const cursor = moments[screen.index].cursor;
    $("cursor").hidden = cursor < 0;
    $("cursor").className = `k${cursor >> 20}`;
    $("cursor").style.transform = `translate(${cursor & 1023}ch, calc(${(cursor >> 10) & 1023} * var(--row)))`;
    const passed = markers.slice(0, count(markers, at)).filter((marker) => marker.kind === "command");
    $("now").textContent = passed.length ? `$ ${passed.at(-1).label}` : head.worker;
  }

  function row(record) {
    const parts = [];
    let style = 0;
    for (let i = 1; i < record.length; i += 1) {
      const item = record[i];
      if (typeof item === "string") {
        const width = record[i + 1] < 0 ? -record[i + 1] : 0;
        if (!width && !style) {
          parts.push(item);
          continue;
        }
        const part = document.createElement(width ? "b" : "span");
        if (style) part.className = `s${style}`;
        if (width) part.style.width = `${width}ch`;
        part.textContent = item;
        parts.push(part);
      } else if (item >= 0) {
        style = item;
      }
    }
    return parts;
  }

  /** Makes the screen as large as the window has room for. */
  function fit() {
    const { cols, numbers } = screen;
    const stage = getComputedStyle($("stage"));
    const inner = getComputedStyle($("screen"));
    const size = (style, ...sides) => sides.reduce((sum, side) => sum + parseFloat(style[side]), 0);
    const width = $("stage").clientWidth - size(stage, "paddingLeft", "paddingRight") - size(inner, "marginLeft", "marginRight");
    const bar = document.querySelector(".bar").offsetHeight;
    const height = $("stage").clientHeight - size(stage, "paddingTop", "paddingBottom") - size(inner, "marginTop", "marginBottom") - bar;
    const probe = document.createElement("canvas").getContext("2d");
    probe.font = `100px ${inner.fontFamily}`;
    const { width: advance, fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = probe.measureText("0");
    const tall = Math.max(1.1, (up + down) / 100); // As the font has it, so that drawn lines and blocks meet.
    const most = document.fullscreenElement ? 48 : 22;
    const font = Math.max(3, Math.min(most, (width / cols / advance) * 100, height / numbers.length / tall));
    const line = Math.max(4, Math.min(Math.round(font * tall), Math.floor(height / numbers.length)));
    $("screen").style.setProperty("--font", `${font}px`);
    $("screen").style.setProperty("--row", `${line}px`);
    $("screen").style.width = `${cols}ch`;
    $("screen").style.height = `${line * numbers.length}px`;
  }

  function shown(time) {
    const seconds = Math.floor(time / 1000);
    const two = (number) => String(number).padStart(2, "0");
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  }

  function progress() {
    const part = total ? at / total : 0;
    $("done").style.transform = `scaleX(${part})`;
    $("thumb").style.left = `${part * 100}%`;
    $("at").textContent = shown(at);
    $("line").setAttribute("aria-valuenow", (at / 1000).toFixed(1));
    $("line").setAttribute("aria-valuetext", `${shown(at)} of ${shown(total)}`);
    $("shape").setAttribute("d", playing ? HALT : at >= total ? AGAIN : PLAY);
    $("play").setAttribute("aria-label", playing ? "Pause" : at >= total ? "Play again" : "Play");
  }

  /** When how much happened, along the time line. */
  function activity() {
    const canvas = $("activity");
    const [width, height] = [canvas.clientWidth * devicePixelRatio, canvas.clientHeight * devicePixelRatio];
    Object.assign(canvas, { width, height });
    const bars = new Array(Math.max(1, Math.floor(canvas.clientWidth / 4))).fill(0);
    for (const moment of moments) {
      bars[Math.min(bars.length - 1, Math.floor((moment.time / (total || 1)) * bars.length))] += moment.changes.length / 2 + 0.2;
    }
    const most = Math.max(...bars);
    const context = canvas.getContext("2d");
    context.fillStyle = getComputedStyle(canvas).color;
    const step = width / bars.length;
    bars.forEach((bar, i) => {
      const tall = bar ? Math.max(0.08, Math.sqrt(bar / most)) * height : 0;
      context.fillRect(i * step, height - tall, step * 0.62, tall);
    });
  }

  // Playing.

  function tick(now) {
    if (!playing) return;
    at += Math.min(now - clock, 250) * speed; // Nothing plays while the page is hidden.
    clock = now;
    const index = momentAt(at);
    const next = moments[index + 1];
    const { time } = moments[index];
    if (skip && next && next.time - time > PAUSE && at - time > REST * Math.min(speed, 2)) at = next.time;
    if (at >= total) {
      at = total;
      playing = false;
    }
    const reached = momentAt(at);
    if (reached !== screen.index) go(reached);
    progress();
    if (playing) frame = requestAnimationFrame(tick);
    else link();
  }

  function play(on) {
    if (on === playing) return;
    playing = on;
    $("start").hidden = true;
    cancelAnimationFrame(frame);
    if (on) {
      if (at >= total) seek(0, true);
      clock = performance.now();
      frame = requestAnimationFrame(tick);
    }
    progress();
    link();
  }

  function step(by) {
    play(false);
    const index = Math.min(Math.max(momentAt(at) + by, 0), moments.length - 1);
    seek(moments[index].time);
  }

  function marker(by) {
    const list = [{ time: 0 }, ...markers, { time: total }];
    // While it plays, going back means the marker before the one just passed.
    const back = playing ? 1000 : 0;
    const to = by > 0 ? list.find(({ time }) => time > at) : list.findLast(({ time }) => time < at - back);
    if (to) seek(to.time);
  }

  function faster(by) {
    const place = SPEEDS.indexOf(speed) + by;
    if (!(place in SPEEDS)) return;
    speed = SPEEDS[place];
    $("speed").value = speed;
  }

  function toggleSkip() {
    skip = !skip;
    $("skip").setAttribute("aria-pressed", skip);
  }

  function fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen?.().catch(() => {});
  }

  // Finding.

  const texts = [];

  function text(number) {
    texts[number] ??= rows[number].filter((item) => typeof item === "string").join("").toLowerCase();
    return texts[number];
  }

  /** The moments at which the words come onto the screen. */
  function find() {
    words = $("words").value.trim().toLowerCase();
    hits = [];
    const state = { index: -1, cols: 0, numbers: [] };
    const matches = (number) => number !== undefined && text(number).includes(words);
    for (const moment of words ? moments : []) {
      const before = state.numbers.slice();
      apply(state);
      const { changes } = moment;
      for (let i = 0; i < changes.length; i += 2) {
        const [line, number] = [changes[i], changes[i + 1]];
        if (matches(number) && !matches(before[line]) && !before.includes(number)) {
          hits.push(moment.time);
          break;
        }
      }
    }
    tell();
    paint();
  }

  function tell() {
    const place = hits.lastIndexOf(hits.findLast((time) => time <= at) ?? -1) + 1;
    $("found").textContent = !words ? "" : hits.length ? `${place} / ${hits.length}` : "none";
  }

  function hit(by) {
    if (!hits.length) return;
    const to = by > 0 ? (hits.find((time) => time > at) ?? hits[0]) : (hits.findLast((time) => time < at) ?? hits.at(-1));
    play(false);
    seek(to);
    tell();
  }

  // Hands.

  const timeUnder = (event) => {
    const box = $("line").getBoundingClientRect();
    return (Math.min(Math.max(event.clientX - box.left, 0), box.width) / box.width) * total;
  };

  function tip(event) {
    const box = $("line").getBoundingClientRect();
    const near = (6 / box.width) * total;
    const time = timeUnder(event);
    const on = markers.filter((marker) => Math.abs(marker.time - time) <= near).sort((one, other) => Math.abs(one.time - time) - Math.abs(other.time - time))[0];
    const day = new Date(head.begin + (on?.time ?? time)).toLocaleTimeString();
    const label = document.createElement("code");
    label.textContent = on ? on.label : day;
    $("tip").replaceChildren(shown(on?.time ?? time), label);
    $("tip").hidden = false;
    const half = $("tip").offsetWidth / 2;
    const left = Math.min(Math.max(event.clientX - box.left, half), box.width - half);
    $("tip").style.left = `${left - half}px`;
    return on;
  }

  function hands() {
    const line = $("line");
    line.onpointerdown = (event) => {
      line.setPointerCapture(event.pointerId);
      seek(tip(event)?.time ?? timeUnder(event));
    };
    line.onpointermove = (event) => {
      tip(event);
      if (event.buttons) seek(timeUnder(event));
    };
    line.onpointerleave = line.onpointerup = () => ($("tip").hidden = true);
    $("play").onclick = () => play(!playing);
    $("start").onclick = () => play(true);
    $("screen").onclick = () => getSelection().isCollapsed && play(!playing);
    $("before").onclick = () => marker(-1);
    $("after").onclick = () => marker(1);
    $("skip").onclick = toggleSkip;
    $("full").onclick = fullScreen;
    $("speed").onchange = () => (speed = Number($("speed").value));
    $("words").oninput = find;
    $("find").onsubmit = (event) => {
      event.preventDefault();
      hit(1);
    };
    $("words").onkeydown = (event) => {
      if (event.key === "Enter" && event.shiftKey) {
        event.preventDefault();
        hit(-1);
      } else if (event.key === "Escape") {
        $("words").value = "";
        find();
        $("words").blur();
      }
    };
    const keys = {
      " ": () => play(!playing),
      k: () => play(!playing),
      ArrowLeft: () => seek(at - 5000),
      ArrowRight: () => seek(at + 5000),
      ",": () => step(-1),
      ".": () => step(1),
      "[": () => marker(-1),
      "]": () => marker(1),
      Home: () => seek(0),
      End: () => seek(total),
      "<": () => faster(-1),
      ">": () => faster(1),
      s: toggleSkip,
      f: fullScreen,
      "/": () => $("words").focus(),
    };
    document.onkeydown = (event) => {
      const { target, key } = event;
      const typing = target.matches("input, select");
      const pressing = key === " " && target.matches("button");
      if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey || !keys[key]) return;
      event.preventDefault();
      keys[key]();
    };
    new ResizeObserver(() => {
      fit();
      activity();
    }).observe($("stage"));
    matchMedia("(prefers-color-scheme: dark)").onchange = activity;
    window.onhashchange = linked;
  }

  function marks() {
    const kinds = { command: "Command", failure: "Command failed", resize: "Resized", gap: "Missing", exit: "End" };
    $("markers").append(
      ...markers.map(({ time, kind, label }) => {
        const mark = document.createElement("i");
        mark.className = kind;
        mark.title = `${kinds[kind]}: ${label}`;
        mark.style.left = `${(time / (total || 1)) * 100}%`;
        return mark;
      }),
    );
    $("before").hidden = $("after").hidden = !markers.length;
    $("full").hidden = !document.fullscreenEnabled;
  }

  try {
    await load();
  } catch (error) {
    $("note").textContent = "This recording cannot be played here: it is damaged, or the browser is too old.";
    throw error;
  }
  $("note").hidden = true;
  $("total").textContent = shown(total);
  $("line").setAttribute("aria-valuemax", (total / 1000).toFixed(1));
  marks();
  hands();
  progress();
  if (!linked()) {
    // A visitor sees a screen of the recording behind the button that starts it.
    go(momentAt(total / 2));
    $("start").hidden = false;
  }
})();
