import type { SearchHit } from "../api/client";

let last = $state.raw<SearchHit | undefined>();

/** The hit of a search that was gone to last, so that its line can be shown where it stands. */
export const found = {
  get last(): SearchHit | undefined {
    return last;
  },
  goTo(hit: SearchHit): void {
    last = hit;
  },
  /** The line that was looked for, if this is the moment. */
  lineAt(worker: string, offset: number | undefined): string | undefined {
    return last?.workerId === worker && last.offset === offset ? last.line : undefined;
  },
};

/** The row of a screen that a line stands on; a line that is wider than the screen goes on in the rows below. */
export function rowOf(rows: readonly string[], line: string): number | undefined {
  const text = line.trimEnd();
  if (text === "") return undefined;
  const isThere = (row: string) => row === text || (row !== "" && row.length >= 20 && text.startsWith(row));
  const whole = rows.findLastIndex(isThere);
  const index = whole >= 0 ? whole : rows.findLastIndex((row) => row.includes(text));
  return index >= 0 ? index : undefined;
}
