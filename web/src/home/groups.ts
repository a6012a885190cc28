import type { Repository, Session } from "../api/client";
import { repositoryOf } from "../dashboard/repositories";

/** Sessions that belong together on Home. */
export interface Group {
  id: string;
  repository: Repository | undefined;
  sessions: Session[];
}

/**
 * A group for each repository, in the order of their names, with those without sessions at the end; then what is
 * elsewhere. Inside, sessions stand as they were made: a list that moves while one reads it cannot be read.
 */
export function grouped(sessions: readonly Session[], repositories: readonly Repository[]): Group[] {
  const groups = [...repositories]
    .sort((a, b) => a.name.localeCompare(b.name) || a.path.localeCompare(b.path))
    .map(
      (repository): Group => ({
        id: repository.id,
        repository,
        sessions: ordered(sessions.filter((each) => repositoryOf(each, repositories)?.id === repository.id)),
      }),
    );
  const elsewhere = ordered(sessions.filter((each) => repositoryOf(each, repositories) === undefined));
  return [
    ...groups.filter(({ sessions }) => sessions.length > 0),
    ...(elsewhere.length > 0 ? [{ id: "elsewhere", repository: undefined, sessions: elsewhere }] : []),
    ...groups.filter(({ sessions }) => sessions.length === 0),
  ];
}

function ordered(sessions: readonly Session[]): Session[] {
  return [...sessions].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}
