import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";

/** The workers that the person can see in the view, and in how many places. */
const places = new SvelteMap<string, number>();

/** What is in sight needs no message over it. */
export const sight = {
  has(worker: string): boolean {
    return places.has(worker);
  },
  /** For as long as a place shows the worker and its state. */
  add(worker: string): () => void {
    untrack(() => places.set(worker, (places.get(worker) ?? 0) + 1));
    return () => {
      const left = untrack(() => places.get(worker) ?? 1) - 1;
      if (left > 0) places.set(worker, left);
      else places.delete(worker);
    };
  },
};

/** For an element that shows a worker: it counts while it is scrolled into sight. */
export function inSight(worker: string): (element: Element) => () => void {
  return (element) => {
    let stop: (() => void) | undefined;
    const observer = new IntersectionObserver(([entry]) => {
      stop?.();
      stop = entry?.isIntersecting ? sight.add(worker) : undefined;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      stop?.();
    };
  };
}
