import { freshBond } from "../api/bonds";

const loaded = new Map<string, Promise<unknown>>();

/**
 * Loads a part of the page's code, once, from a server that has just proved itself. Code of an impostor would run in
 * our origin, as if it were ours.
 */
export function part<T>(name: string, load: () => Promise<T>): Promise<T> {
  const known = loaded.get(name) as Promise<T> | undefined;
  if (known) return known;
  const loading = freshBond().then(load);
  loaded.set(name, loading);
  loading.catch(() => loaded.delete(name));
  return loading;
}
