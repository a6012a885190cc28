/**
 * Reasons to doubt that the server can still be reached. A connection can die without a word, for example when the network
 * goes away or the machine sleeps. One that hears of a doubt asks the server for a sign of life.
 */

const listeners = new Set<() => void>();

export function doubt(): void {
  for (const listener of listeners) listener();
}

/** Calls `listener` at each doubt, until the returned function is called. */
export function onDoubt(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
