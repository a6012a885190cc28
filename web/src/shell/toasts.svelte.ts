import { inWords } from "../api/client";

export interface Toast {
  kind: "info" | "error" | "done";
  text: string;
  action?: { title: string; run(): void };
}

export interface ShownToast extends Toast {
  readonly id: number;
}

/** Long enough to be read; what went wrong stays longer. */
const SHOWN_MS = { info: 5_000, done: 4_000, error: 10_000 };
const MOST_AT_ONCE = 4;

let last = 0;
let shown = $state.raw<readonly ShownToast[]>([]);

export const toasts = {
  get shown(): readonly ShownToast[] {
    return shown;
  },
  dismiss(id: number): void {
    shown = shown.filter((each) => each.id !== id);
  },
};

/** Says something in passing, without taking the focus. */
export function toast(given: Toast): void {
  last += 1;
  const id = last;
  // The same thing said twice is said once, later.
  const others = shown.filter(({ kind, text }) => kind !== given.kind || text !== given.text);
  shown = [...others, { ...given, id }].slice(-MOST_AT_ONCE);
  setTimeout(() => toasts.dismiss(id), SHOWN_MS[given.kind]);
}

/** Does something, and says in plain words when it did not work. Answers whether it did. */
export async function attempt(doing: () => Promise<unknown>): Promise<boolean> {
  try {
    await doing();
    return true;
  } catch (thrown) {
    toast({ kind: "error", text: inWords(thrown) });
    return false;
  }
}
