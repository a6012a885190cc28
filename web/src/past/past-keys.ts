/** What a key does in a worker's past; a step is a share of what the time line shows. */
export type PastKey =
  | { does: "step"; by: number }
  | { does: "command"; direction: "previous" | "next" }
  | { does: "zoom"; factor: number }
  | { does: "first" | "end" | "all" | "copy" | "axis" | "play" | "search" | "live" };

export interface PressedKey {
  readonly key: string;
  readonly shiftKey: boolean;
  /** Whether a button or a link has the focus, which Space presses. */
  readonly isOnButton: boolean;
}

export function pastKey({ key, shiftKey, isOnButton }: PressedKey): PastKey | undefined {
  const arrow = shiftKey ? 0.1 : 0.01;
  switch (key) {
    case "ArrowLeft":
      return { does: "step", by: -arrow };
    case "ArrowRight":
      return { does: "step", by: arrow };
    case "PageUp":
      return { does: "step", by: -0.1 };
    case "PageDown":
      return { does: "step", by: 0.1 };
    case "ArrowUp":
    case ",":
      return { does: "command", direction: "previous" };
    case "ArrowDown":
    case ".":
      return { does: "command", direction: "next" };
    case "Home":
      return { does: "first" };
    case "End":
      return { does: "end" };
    case "+":
    case "=":
      return { does: "zoom", factor: 0.5 };
    case "-":
      return { does: "zoom", factor: 2 };
    case "0":
      return { does: "all" };
    case "c":
      return { does: "copy" };
    case "t":
      return { does: "axis" };
    case " ":
      return isOnButton ? undefined : { does: "play" };
    case "/":
      return { does: "search" };
    case "l":
    case "L":
    case "Escape":
      return { does: "live" };
    default:
      return undefined;
  }
}
