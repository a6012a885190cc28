import type { Task } from "../api/client";
import { type Column, withPosition } from "./order";

/** Changes that are requested and already shown, before the server has confirmed them. */
export interface Wish {
  readonly id: string;
  readonly column?: Column;
  readonly position?: number;
  readonly pinned?: boolean;
}

/** In the order in which they were made: of two that contradict each other, the later one is shown. */
export type Wishes = readonly Wish[];

/** Tasks as they will be if everything that was asked for is granted. */
export function withWishes(tasks: readonly Task[], wishes: Wishes): Task[] {
  let shown = [...tasks];
  for (const { id, column, pinned } of wishes) {
    shown = shown.map((task) =>
      task.id === id ? { ...task, status: column ?? task.status, pinned: pinned ?? task.pinned } : task,
    );
  }
  for (const { id, position } of wishes) {
    if (position !== undefined) shown = withPosition(shown, id, position);
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
