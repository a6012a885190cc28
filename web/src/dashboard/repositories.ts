import type { Repository, Session } from "../api/client";

/** The repository that a session is in; a quick session is in one too, when its directory is. */
export function repositoryOf(session: Session, repositories: readonly Repository[]): Repository | undefined {
  if (session.type === "worktree") return repositories.find(({ id }) => id === session.repositoryId);
  return repositories
    .filter(({ path }) => `${session.locationPath}/`.startsWith(`${path}/`))
    .reduce<Repository | undefined>((a, b) => (a && a.path.length > b.path.length ? a : b), undefined);
}
