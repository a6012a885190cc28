import type { Task } from "../api/client";
import { type Column, withPosition } from "./order";

/** What was asked for and is shown already, before the server has said so. */
export interface Wish {
  column?: Column;
  position?: number;
  pinned?: boolean;
}

export type Wishes = ReadonlyMap<string, Wish>;

/** Tasks as they will be if everything that was asked for is granted. */
export function withWishes(tasks: readonly Task[], wishes: Wishes): Task[] {
  let shown = tasks.map((task) => {
    const wish = wishes.get(task.id);
    if (wish === undefined) return task;
    return { ...task, status: wish.column ?? task.status, pinned: wish.pinned ?? task.pinned };
  });
  for (const [id, wish] of wishes) {
    if (wish.position !== undefined) shown = withPosition(shown, id, wish.position);
  }
  return shown;
}

/** Tasks with the positions that were asked for last: a dashboard event tells the moved task alone, not its neighbours. */
export function withPositions(tasks: readonly Task[], positions: ReadonlyMap<string, number>): Task[] {
  return tasks.map((task) => {
    const position = positions.get(task.id);
    return position === undefined || position === task.position ? task : { ...task, position };
  });
}
