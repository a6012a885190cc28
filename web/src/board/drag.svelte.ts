import type { Task } from "../api/client";
import type { Column } from "./order";

/** Where a card would be put. */
export interface Place {
  column: Column;
  index: number;
}

/** A card that the person drags. */
export interface Dragged {
  task: Task;
  /** Where the card is drawn, and how wide. */
  left: number;
  top: number;
  width: number;
  place: Place | undefined;
}

/** A mouse that moves less than this only clicks. */
const CLICK_PIXELS = 5;

/** A finger that stays as long as this wants to drag, not to scroll. */
const HOLD_MS = 280;

/**
 * Drags cards by mouse, pen and finger. Columns are known by `data-column` and cards by `data-task`; the head of a
 * column that is not shown takes cards too.
 */
export class Drag {
  dragged = $state.raw<Dragged | undefined>();
  #end: (() => void) | undefined;

  constructor(
    private readonly taskOf: (id: string) => Task | undefined,
    private readonly drop: (task: Task, place: Place) => void,
  ) {}

  /** Begins to watch a pointer that went down on a card. */
  begin(event: PointerEvent): void {
    const card = (event.target as Element).closest<HTMLElement>("[data-task]");
    const isOnButton = (event.target as Element).closest("button, select, input") !== null;
    const task = card === null ? undefined : this.taskOf(card.dataset["task"] ?? "");
    if (event.button !== 0 || card === null || isOnButton || task === undefined) return;
    this.cancel();
    const at = card.getBoundingClientRect();
    const from = { x: event.clientX, y: event.clientY };
    const isFinger = event.pointerType === "touch";
    const lift = (x: number, y: number) => {
      this.dragged = {
        task,
        left: at.left + x - from.x,
        top: at.top + y - from.y,
        width: at.width,
        place: placeAt(x, y, task.id),
      };
    };
    const move = (moved: PointerEvent) => {
      if (moved.pointerId !== event.pointerId) return;
      const far = Math.hypot(moved.clientX - from.x, moved.clientY - from.y) > CLICK_PIXELS;
      if (this.dragged === undefined && isFinger && far) this.cancel();
      else if (this.dragged !== undefined || (far && !isFinger)) lift(moved.clientX, moved.clientY);
    };
    const up = (ended: PointerEvent) => {
      if (ended.pointerId !== event.pointerId) return;
      const { dragged } = this;
      this.cancel();
      if (dragged === undefined) return;
      // What follows is no click on the card.
      addEventListener("click", swallow, true);
      setTimeout(() => removeEventListener("click", swallow, true), 0);
      if (dragged.place !== undefined) this.drop(task, dragged.place);
    };
    const stay = (touch: TouchEvent) => {
      if (this.dragged !== undefined) touch.preventDefault();
    };
    const putBack = (key: KeyboardEvent) => {
      if (key.key !== "Escape" || this.dragged === undefined) return;
      key.stopPropagation();
      this.cancel();
    };
    // A long press would open the browser's menu for a link.
    const noMenu = (menu: Event) => {
      if (this.dragged !== undefined) menu.preventDefault();
    };
    const hold = isFinger ? setTimeout(() => lift(from.x, from.y), HOLD_MS) : undefined;
    const cancel = () => this.cancel();
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", cancel);
    addEventListener("keydown", putBack, true);
    addEventListener("contextmenu", noMenu);
    addEventListener("touchmove", stay, { passive: false });
    this.#end = () => {
      clearTimeout(hold);
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", cancel);
      removeEventListener("keydown", putBack, true);
      removeEventListener("contextmenu", noMenu);
      removeEventListener("touchmove", stay);
    };
  }

  cancel(): void {
    this.#end?.();
    this.#end = undefined;
    this.dragged = undefined;
  }
}

function swallow(click: MouseEvent): void {
  click.preventDefault();
  click.stopPropagation();
}

function placeAt(x: number, y: number, dragged: string): Place | undefined {
  for (const element of document.querySelectorAll<HTMLElement>("[data-column]")) {
    const box = element.getBoundingClientRect();
    if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
    const column = element.dataset["column"] as Column;
    const cards = [...element.querySelectorAll<HTMLElement>("[data-task]")];
    const others = cards.filter((card) => card.dataset["task"] !== dragged);
    const above = others.filter((card) => {
      const one = card.getBoundingClientRect();
      return one.top + one.height / 2 < y;
    });
    return { column, index: above.length };
  }
  return undefined;
}
