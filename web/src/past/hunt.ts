/** How many screens before a found line's moment are looked at for the line. */
const MOST_TRIES = 40;

/** Where the page looks for the line that the person came for, and how often it was not there. */
export interface Hunt {
  readonly offset: number;
  readonly tries: number;
}

/**
 * Where to look for a line that a screen has not got; nothing if it was looked for long enough. A line counts as
 * printed for good when it leaves the screen at the top, and when that was is known to a piece of output only: a
 * little before, it can be seen.
 */
export function huntedFurther({ offset, tries }: Hunt, rows: readonly string[]): Hunt | undefined {
  if (offset === 0 || tries === MOST_TRIES) return undefined;
  // Less than a screenful, so that the line is not passed over.
  const printed = rows.reduce((sum, row) => sum + row.length + 1, 0);
  const back = tries === 0 ? 1 : Math.max(32, Math.floor(printed * 0.7));
  return { offset: Math.max(0, offset - back), tries: tries + 1 };
}
