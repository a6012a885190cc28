/** A path as people write it: their own directory is `~`. */
export function shortPath(path: string): string {
  return path.replace(/^(\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/|$)/, "~");
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").pop() || "/";
}

/** `path` as seen from `place`; undefined when it is the place itself. */
export function seenFrom(place: string, path: string): string | undefined {
  if (path === place) return undefined;
  return path.startsWith(`${place}/`) ? `./${path.slice(place.length + 1)}` : shortPath(path);
}

/** What `~` stands for, as far as it can be told from paths that are known. */
export function homeIn(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = /^(\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/|$)/.exec(path);
    if (found?.[1]) return found[1];
  }
  return undefined;
}
