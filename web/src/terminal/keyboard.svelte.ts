/**
 * How much of the page the keyboard of a phone covers.
 *
 * The page itself keeps its size while the keyboard is there (`interactive-widget=resizes-visual`), so no terminal is
 * ever resized by it; what must stay in sight moves up by this much.
 */

/** Less is the browser's own bars coming and going. */
const LEAST_KEYBOARD = 120;

let height = $state(0);

function measure(): void {
  const view = window.visualViewport;
  // A person who has zoomed in sees less of the page too.
  const covered = view && view.scale < 1.05 ? window.innerHeight - view.height - view.offsetTop : 0;
  height = covered > LEAST_KEYBOARD ? Math.round(covered) : 0;
}

window.visualViewport?.addEventListener("resize", measure);
window.visualViewport?.addEventListener("scroll", measure);

export const keyboard = {
  get height(): number {
    return height;
  },
};
