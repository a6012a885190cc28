import type { UsageReport, UsageRow } from "../api/client";

type Sum = UsageReport["total"];

/** A count in few characters: `950`, `12k`, `3.4M`. */
export function short(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 1_000_000) return `${Math.floor(count / 1000)}k`;
  return `${(Math.floor(count / 100_000) / 10).toFixed(1)}M`;
}

/** What the agents say that it cost; a `+` if they do not say it of every request. */
export function cost({ costUsd, unpriced }: Pick<Sum, "costUsd" | "unpriced">): string {
  if (costUsd === null || costUsd === undefined) return "–";
  return `$${costUsd.toFixed(2)}${unpriced > 0 ? "+" : ""}`;
}

/** What is left of the context, in per cent. */
export function contextLeft({ context }: Pick<UsageRow, "context">): number | undefined {
  if (!context?.window) return undefined;
  return Math.round(((context.left ?? 0) * 100) / context.window);
}

/** All tokens of a sum. */
export function tokens({ input, output, cacheRead, cacheWrite }: Sum): number {
  return input + output + cacheRead + cacheWrite;
}

/** The days between the first and the last one, at most so many, with those on which nothing was used. */
export function days(rows: readonly UsageRow[], most: number): { day: string; row: UsageRow | undefined }[] {
  const known = new Map(rows.flatMap((row) => (row.key ? [[row.key, row] as const] : [])));
  const keys = [...known.keys()].sort();
  const last = keys.at(-1);
  const first = keys[0];
  if (!first || !last) return [];
  const all: { day: string; row: UsageRow | undefined }[] = [];
  for (let at = Date.parse(last); all.length < most && at >= Date.parse(first); at -= 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.unshift({ day, row: known.get(day) });
  }
  return all;
}
