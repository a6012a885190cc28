/** What is looked for in everything that was ever printed. */
export interface Query {
  /** A text, or a regular expression. */
  pattern: string;
  isExpression: boolean;
  /** In one worker's recording alone. */
  worker?: string;
  /** No older than this: `15m`, `2h`, `7d`. */
  age?: string;
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGE = /^(\d{1,4})([mhd])$/;

/** Shorter ones would find nearly every line. */
export const SHORTEST = 2;

/** Reads what is typed: `in:WORKER` and `last:2h` narrow it, `/…/` is a regular expression, the rest is a text. */
export function readQuery(typed: string): Query {
  let rest = typed;
  let worker: string | undefined;
  let age: string | undefined;
  for (;;) {
    const word = /^\s*(in|last):(\S+)(\s+|$)/.exec(rest);
    const value = word?.[2];
    if (word === null || value === undefined) break;
    if (word[1] === "in") worker = value;
    else if (AGE.test(value)) age = value;
    else break;
    rest = rest.slice(word[0].length);
  }
  const expression = /^\/(.+)\/$/.exec(rest.trim())?.[1];
  return {
    pattern: expression ?? rest.trim(),
    isExpression: expression !== undefined,
    ...(worker !== undefined && { worker }),
    ...(age !== undefined && { age }),
  };
}

/** The other way round. */
export function writeQuery({ pattern, isExpression, worker, age }: Query): string {
  const words = [worker && `in:${worker}`, age && `last:${age}`, isExpression ? `/${pattern}/` : pattern];
  return words.filter(Boolean).join(" ");
}

/** What to ask the server for. */
export function parameters(query: Query, now: number): Record<string, string | number | boolean | undefined> {
  const [, count, unit] = AGE.exec(query.age ?? "") ?? [];
  const ageMs = Number(count) * (UNITS[unit ?? ""] ?? Number.NaN);
  return {
    pattern: query.pattern,
    text: !query.isExpression,
    worker: query.worker,
    since: Number.isFinite(ageMs) ? new Date(now - ageMs).toISOString() : undefined,
  };
}

/** Whether there is enough of it to search for. */
export function isWorthAsking(query: Query): boolean {
  return query.pattern.length >= SHORTEST;
}
