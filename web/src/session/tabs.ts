/** The order of tabs. The server keeps it; this says what it should become. */

/** Moves one so that it stands before another, or last. */
export function placeBefore(order: readonly string[], moved: string, before: string | undefined): string[] {
  if (moved === before) return [...order];
  const others = order.filter((id) => id !== moved);
  const at = before === undefined ? -1 : others.indexOf(before);
  return at < 0 ? [...others, moved] : [...others.slice(0, at), moved, ...others.slice(at)];
}

/** Moves one by so many places, as far as there are any. */
export function moveBy(order: readonly string[], moved: string, by: number): string[] {
  const from = order.indexOf(moved);
  if (from < 0) return [...order];
  const to = Math.min(order.length - 1, Math.max(0, from + by));
  const others = order.filter((id) => id !== moved);
  return [...others.slice(0, to), moved, ...others.slice(to)];
}

/** The one so many places on, around the ends. */
export function stepFrom(order: readonly string[], from: string | undefined, by: number): string | undefined {
  if (order.length === 0) return undefined;
  const at = from === undefined ? -1 : order.indexOf(from);
  if (at < 0) return order[0];
  return order[(((at + by) % order.length) + order.length) % order.length];
}

/** The one to show when another goes: its right neighbour, or its left. */
export function successor(order: readonly string[], gone: string): string | undefined {
  const at = order.indexOf(gone);
  return order[at + 1] ?? order[at - 1];
}
