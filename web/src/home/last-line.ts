/** The last thing on a screen that says something: frames, rules and empty prompts are passed over. */
export function lastLine(rows: readonly string[]): string | undefined {
  const written = rows.map((row) => row.trim()).filter(Boolean);
  return written.findLast((row) => (row.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2) ?? written.at(-1);
}
