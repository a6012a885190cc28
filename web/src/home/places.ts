import type { Repository, Session, Worktree } from "../api/client";
import { baseName } from "../shell/paths";

/** A directory that the person may want to work in. */
export interface Place {
  path: string;
  /** The path as people are shown it. */
  shown: string;
  name: string;
  icon: "repository" | "branch" | "folder";
}

/** Where work goes on and where it could: sessions' directories, newest first, then repositories and worktrees. */
export function places(
  sessions: readonly Session[],
  repositories: readonly Repository[],
  worktrees: readonly Worktree[],
): Place[] {
  const names = new Map(repositories.map(({ id, name }) => [id, name]));
  const all: Place[] = [
    ...sessions
      .filter((session) => session.type === "quick" && !session.locationMissing)
      .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
      .map(
        ({ locationPath, shownLocation }): Place => ({
          path: locationPath,
          shown: shownLocation,
          name: baseName(shownLocation),
          icon: "folder",
        }),
      ),
    ...repositories.map(
      ({ path, shownPath, name }): Place => ({ path, shown: shownPath, name, icon: "repository" }),
    ),
    ...worktrees
      .filter(({ state }) => state === "ready" || state === "kept")
      .map(({ path, shownPath, branch, repositoryId }): Place => {
        const repository = names.get(repositoryId);
        return {
          path,
          shown: shownPath,
          name: repository ? `${repository} · ${branch}` : branch,
          icon: "branch",
        };
      }),
  ];
  const seen = new Set<string>();
  return all.filter(({ path }) => !seen.has(path) && seen.add(path));
}

const PLACE = "abide.directory";

/** Where the last session was made in this browser. */
export function remembered(): string | undefined {
  return localStorage.getItem(PLACE) ?? undefined;
}

export function remember(path: string): void {
  localStorage.setItem(PLACE, path);
}
