/**
 * What there is above the lines that a terminal has in memory: nothing, lines that can be loaded, or so many that only the
 * view of the past has them all.
 */
export type Older = "none" | "more" | "recorded";

/** `lines` are there and at most `kept` are kept; what fills that but for a screen has likely lost its beginning. */
export function olderThan(lines: number, kept: number, rows: number, most: number): Older {
  if (lines < kept - rows) return "none";
  return kept >= most ? "recorded" : "more";
}

/** How many lines to keep when the person has scrolled to the top of those that are there. */
export function keptNext(kept: number, most: number): number {
  return Math.min(most, kept * 2);
}
