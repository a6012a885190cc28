import type { Task } from "../api/client";

/** Where a task is in its life is the column it stands in. */
export type Column = Task["status"];

export const COLUMNS: readonly Column[] = ["backlog", "active", "done"];

/** The cards of each column, from top to bottom. */
export type Columns = Record<Column, Task[]>;

/**
 * Puts tasks into their columns: pinned ones first, then repository by repository, each in its own order. A task's
 * position counts within its repository alone, so tasks of two repositories are never mixed.
 */
export function inColumns(tasks: readonly Task[], repositories: readonly { id: string }[]): Columns {
  const rank = new Map(repositories.map((repository, index) => [repository.id, index]));
  const rankOf = (task: Task) => rank.get(task.projectId) ?? repositories.length;
  const sorted = [...tasks].sort(
    (a, b) =>
      Number(b.pinned) - Number(a.pinned) ||
      rankOf(a) - rankOf(b) ||
      a.position - b.position ||
      a.createdAt.localeCompare(b.createdAt),
  );
  const columns: Columns = { backlog: [], active: [], done: [] };
  for (const task of sorted) columns[task.status].push(task);
  return columns;
}

/** Whether two cards may stand above or below each other by choice. */
function areOneGroup(a: Task, b: Task): boolean {
  return a.projectId === b.projectId && a.pinned === b.pinned;
}

/** The tasks of a repository in its order, in any column. */
function listOf(tasks: readonly Task[], repository: string): Task[] {
  return tasks.filter((task) => task.projectId === repository).sort((a, b) => a.position - b.position);
}

/**
 * The position to ask for so that a task stands at `index` among the other cards of a column; nothing if it has no
 * neighbours there to be above or below of, or stands so already.
 */
export function positionAt(
  tasks: readonly Task[],
  task: Task,
  others: readonly Task[],
  index: number,
): number | undefined {
  const below = others.slice(index).find((other) => areOneGroup(other, task));
  const above = others.slice(0, index).findLast((other) => areOneGroup(other, task));
  const list = listOf(tasks, task.projectId);
  const rest = list.filter((other) => other.id !== task.id);
  const place = (other: Task) => rest.findIndex((one) => one.id === other.id);
  const isBetween = (position: number) =>
    (above === undefined || place(above) < position) && (below === undefined || position <= place(below));
  const now = list.findIndex((one) => one.id === task.id);
  if ((above === undefined && below === undefined) || isBetween(now)) return undefined;
  return below === undefined ? place(above as Task) + 1 : place(below);
}

/** Tasks as they are once one of them has got a position: the server puts it there and moves the others up. */
export function withPosition(tasks: readonly Task[], id: string, position: number): Task[] {
  const task = tasks.find((one) => one.id === id);
  if (task === undefined) return [...tasks];
  const list = listOf(tasks, task.projectId).filter((one) => one.id !== id);
  list.splice(Math.min(position, list.length), 0, task);
  const places = new Map(list.map((one, index) => [one.id, index]));
  return tasks.map((one) => {
    const place = places.get(one.id);
    return place === undefined || place === one.position ? one : { ...one, position: place };
  });
}

/** The tasks that a person wants to see. */
export function shownTasks(tasks: readonly Task[], repository: string | undefined, words: string): Task[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return tasks.filter((task) => {
    if (repository !== undefined && task.projectId !== repository) return false;
    const text = `${task.title}\n${task.description ?? ""}\n${task.branch ?? ""}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export type Direction = "up" | "down" | "left" | "right";

/** The card that an arrow key goes to; the same one where there is no other. */
export function neighbour(columns: Columns, id: string, direction: Direction): string {
  const column = COLUMNS.findIndex((name) => columns[name].some((task) => task.id === id));
  const here = COLUMNS[column];
  if (here === undefined) return id;
  const row = columns[here].findIndex((task) => task.id === id);
  if (direction === "up" || direction === "down") {
    return columns[here][row + (direction === "up" ? -1 : 1)]?.id ?? id;
  }
  const beyond = direction === "left" ? COLUMNS.slice(0, column).reverse() : COLUMNS.slice(column + 1);
  for (const name of beyond) {
    const cards = columns[name];
    const next = cards[Math.min(row, cards.length - 1)];
    if (next !== undefined) return next.id;
  }
  return id;
}
