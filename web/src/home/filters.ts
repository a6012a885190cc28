import type { InboxItem, Repository, Session, Worker } from "../api/client";
import { repositoryOf } from "../dashboard/repositories";
import { type Need, needOf } from "./needs";

/** What Home shows: the workers to which all of these apply. */
export interface Filters {
  /** A repository's id, or `elsewhere`. */
  repository?: string | undefined;
  need?: Need | undefined;
  /** An agent's id, or `terminal`. */
  agent?: string | undefined;
}

/** A worker as the filters see it. */
export interface Listed {
  readonly repository: string;
  readonly need: Need;
  readonly agent: string;
}

export const ELSEWHERE = "elsewhere";
export const TERMINAL = "terminal";

/** The agent that runs in a worker, also one that was started in a plain terminal. */
export function agentOf(worker: Worker): string {
  return worker.type === "agent" ? worker.agentId : (worker.runsAgent ?? TERMINAL);
}

export function listed(
  worker: Worker,
  session: Session,
  repositories: readonly Repository[],
  item: InboxItem | undefined,
): Listed {
  return {
    repository: repositoryOf(session, repositories)?.id ?? ELSEWHERE,
    need: needOf(worker, item),
    agent: agentOf(worker),
  };
}

export function passes(each: Listed, { repository, need, agent }: Filters): boolean {
  return (
    (repository === undefined || repository === each.repository) &&
    (need === undefined || need === each.need) &&
    (agent === undefined || agent === each.agent)
  );
}

export function isFiltering(filters: Filters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** How many workers each choice of one filter would show, the other filters being as they are. */
export function counts<Name extends keyof Filters>(
  all: readonly Listed[],
  filters: Filters,
  name: Name,
): Map<Listed[Name], number> {
  const found = new Map<Listed[Name], number>();
  for (const each of all) {
    if (!passes(each, { ...filters, [name]: undefined })) continue;
    found.set(each[name], (found.get(each[name]) ?? 0) + 1);
  }
  return found;
}
