/** How well a text matches the typed words: undefined if not at all, and more is better. Every word must be in it. */
export function matching(typed: string, text: string): number | undefined {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const where = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    const found = matchOne(word, where);
    if (found === undefined) return undefined;
    score += found;
  }
  return score;
}

function matchOne(word: string, text: string): number | undefined {
  const at = text.indexOf(word);
  if (at >= 0) return at === 0 ? 4 : /[\s/:_-]/.test(text.charAt(at - 1)) ? 3 : 2;
  // Letters in order, as in `flr` for `fix/login-redirect`; each must begin a word or follow the one before.
  let last = -1;
  for (const letter of word) {
    let next = text.indexOf(letter, last + 1);
    while (next >= 0 && next !== last + 1 && !/[\s/:._-]/.test(text.charAt(next - 1)))
      next = text.indexOf(letter, next + 1);
    if (next < 0) return undefined;
    last = next;
  }
  return 1;
}

/** Those that match, best first; equals stay in the order they had. */
export function best<T>(typed: string, things: readonly T[], textOf: (thing: T) => string): T[] {
  if (typed.trim() === "") return [...things];
  return things
    .map((thing, at) => ({ thing, at, score: matching(typed, textOf(thing)) }))
    .filter((each): each is { thing: T; at: number; score: number } => each.score !== undefined)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .map(({ thing }) => thing);
}
