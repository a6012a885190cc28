/** What a time line runs along: the clock, or the output, on which hours without any take no room. */
export type Axis = "time" | "output";

/** A moment of a recording whose time and offset are both known. */
export interface Moment {
  /** How much output had come. */
  offset: number;
  /** When, in milliseconds. */
  at: number;
}

/** A recording from end to end. */
export interface Extent {
  first: Moment;
  last: Moment;
}

/** What a time line shows, along its axis: milliseconds or bytes. */
export interface View {
  from: number;
  to: number;
}

/** As near as one can look: a tenth of a second, or a line of output. */
const NEAREST: Record<Axis, number> = { time: 100, output: 80 };

/** Beyond this, a recording has long quiet stretches, and its output tells more than its clock. */
const LONG_MS = 15 * 60_000;

export function usualAxis(extent: Extent): Axis {
  return extent.last.at - extent.first.at > LONG_MS ? "output" : "time";
}

export function along(axis: Axis, moment: Moment): number {
  return axis === "time" ? moment.at : moment.offset;
}

/** Everything. */
export function whole(extent: Extent, axis: Axis): View {
  const from = along(axis, extent.first);
  return { from, to: Math.max(along(axis, extent.last), from + NEAREST[axis]) };
}

export function toPixel(view: View, width: number, value: number): number {
  return ((value - view.from) / (view.to - view.from)) * width;
}

export function toValue(view: View, width: number, pixel: number): number {
  if (width <= 0) return view.from;
  return view.from + (pixel / width) * (view.to - view.from);
}

/** Looks nearer (a factor below 1) or from farther away, with one value staying where it is. */
export function zoomed(view: View, all: View, axis: Axis, factor: number, around: number): View {
  const most = all.to - all.from;
  const span = Math.min(Math.max((view.to - view.from) * factor, Math.min(NEAREST[axis], most)), most);
  const share = (around - view.from) / (view.to - view.from);
  return within({ from: around - share * span, to: around + (1 - share) * span }, all);
}

/** Looks further on or back, as far as there is something. */
export function shifted(view: View, all: View, by: number): View {
  return within({ from: view.from + by, to: view.to + by }, all);
}

/** The same, shifted only if a value would not be seen. */
export function holding(view: View, all: View, value: number): View {
  if (value >= view.from && value <= view.to) return view;
  const half = (view.to - view.from) / 2;
  return within({ from: value - half, to: value + half }, all);
}

function within(view: View, all: View): View {
  const span = Math.min(view.to - view.from, all.to - all.from);
  const from = Math.min(Math.max(view.from, all.from), all.to - span);
  return { from, to: from + span };
}

/** When an output came, in milliseconds: at `at`, as far as that is known, and surely between `from` and `to`. */
export interface When {
  at: number;
  from: number;
  to: number;
}

/** Whether a time, shown as finely as that, could be wrong. */
export function isGuess({ from, to }: When, shownMs: number): boolean {
  return to - from > shownMs;
}

/** What is known of when which output came, from marks and from screens that were seen. Between them it is a guess. */
export class Known {
  #moments: Moment[] = [];

  constructor(moments: readonly Moment[] = []) {
    this.#moments = [...moments].sort((a, b) => a.offset - b.offset || a.at - b.at);
  }

  /** The same, and one moment more. */
  with(moment: Moment): Known {
    const isBefore = (one: Moment) =>
      one.offset < moment.offset || (one.offset === moment.offset && one.at < moment.at);
    const index = this.#after(isBefore);
    const there = this.#moments[index];
    if (there?.offset === moment.offset && there.at === moment.at) return this;
    const known = new Known();
    known.#moments = this.#moments.toSpliced(index, 0, moment);
    return known;
  }

  timeAt(offset: number): number {
    return this.#between((one) => one.offset < offset, offset, "offset", "at");
  }

  /** When an output came. Between two known moments that is a guess, and was between those. */
  whenAt(offset: number): When {
    const index = this.#after((one) => one.offset < offset);
    const next = this.#moments[index];
    const before = this.#moments[index - 1] ?? next;
    const at = this.timeAt(offset);
    if (next === undefined || before === undefined || next.offset === offset) return { at, from: at, to: at };
    return { at, from: before.at, to: next.at };
  }

  offsetAt(at: number): number {
    return Math.round(this.#between((one) => one.at < at, at, "at", "offset"));
  }

  #between(
    isBefore: (one: Moment) => boolean,
    value: number,
    by: keyof Moment,
    wanted: keyof Moment,
  ): number {
    const index = this.#after(isBefore);
    const before = this.#moments[index - 1];
    const next = this.#moments[index];
    if (next === undefined) return before?.[wanted] ?? 0;
    if (before === undefined || next[by] === before[by]) return next[wanted];
    const share = (value - before[by]) / (next[by] - before[by]);
    return before[wanted] + share * (next[wanted] - before[wanted]);
  }

  /** How many moments, which are in order, come before something. */
  #after(isBefore: (one: Moment) => boolean): number {
    let low = 0;
    let high = this.#moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const one = this.#moments[middle];
      if (one !== undefined && isBefore(one)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps that people count in. */
const STEPS = [
  SECOND,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
];

/** A number under the time line. */
export interface Tick extends When {
  pixel: number;
}

/** Ticks about so many pixels apart: at round times along the clock, evenly along the output. */
export function ticks(
  view: View,
  axis: Axis,
  width: number,
  apart: number,
  known: Known,
  zoneMs: number,
): Tick[] {
  const count = Math.max(1, Math.floor(width / apart));
  if (axis === "output") {
    return Array.from({ length: count }, (_, index) => {
      const pixel = ((index + 0.5) * width) / count;
      return { pixel, ...known.whenAt(toValue(view, width, pixel)) };
    });
  }
  const span = view.to - view.from;
  const step = STEPS.find((one) => span / one <= count) ?? Math.ceil(span / count / DAY) * DAY;
  const found: Tick[] = [];
  // Round by the clock on the wall, not by the one in Greenwich.
  let at = Math.ceil((view.from + zoneMs) / step) * step - zoneMs;
  for (; at <= view.to; at += step) {
    found.push({ pixel: toPixel(view, width, at), at, from: at, to: at });
  }
  return found;
}
