import type { SearchHit } from "../api/client";

/** A piece of a line: a match, or the text between matches. */
export interface Piece {
  text: string;
  isMatch: boolean;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Cuts a line where the matches are, which the server counts in bytes. */
export function pieces(line: string, matches: readonly (readonly number[])[]): Piece[] {
  const bytes = encoder.encode(line);
  const found: Piece[] = [];
  const push = (from: number, to: number, isMatch: boolean) => {
    if (to > from) found.push({ text: decoder.decode(bytes.subarray(from, to)), isMatch });
  };
  let at = 0;
  for (const [from = 0, to = 0] of matches) {
    if (from < at || to > bytes.length) continue;
    push(at, from, false);
    push(from, to, true);
    at = to;
  }
  push(at, bytes.length, false);
  return found;
}

/** The hits of one worker. */
export interface Group {
  worker: string;
  hits: SearchHit[];
}

/** Hits by worker, the one with the newest first. */
export function grouped(hits: readonly SearchHit[]): Group[] {
  const groups = new Map<string, Group>();
  for (const hit of hits) {
    const group = groups.get(hit.workerId);
    if (group === undefined) groups.set(hit.workerId, { worker: hit.workerId, hits: [hit] });
    else group.hits.push(hit);
  }
  return [...groups.values()];
}
