import { onDestroy } from "svelte";

/**
 * Call it while a component begins. The returned function says whether the component is still on the page.
 *
 * An answer can come after the person has left the view. Then the component's properties and derived values are not kept
 * up to date any more, and its elements are gone: after an `await`, ask first.
 */
export function presence(): () => boolean {
  let isHere = true;
  onDestroy(() => {
    isHere = false;
  });
  return () => isHere;
}
