/** A picture that stands longer than this is taken for the truth. */
const MOST_VEILED_MS = 1_500;

interface Picture {
  /** Snapshots whose rows are not drawn yet. */
  undrawn: number;
  readonly lift: () => void;
}

/**
 * A still picture of a terminal's rows, laid over them until the new ones are drawn.
 *
 * Synchronized output is not enough where xterm draws with elements of the page: a reset empties them at once, and
 * scrolling draws them all the same.
 */
export class Veil {
  #picture: Picture | undefined;

  /** Covers the rows. Call the returned function when the new rows were written. */
  lay(rows: HTMLElement | null, background: string): () => void {
    if (!rows) return () => {};
    this.#picture ??= this.#pictureOf(rows, background);
    const picture = this.#picture;
    picture.undrawn += 1;
    return () =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          picture.undrawn -= 1;
          // The next snapshot may have begun meanwhile, and its rows are not drawn yet.
          if (picture.undrawn === 0) picture.lift();
        }),
      );
  }

  #pictureOf(rows: HTMLElement, background: string): Picture {
    const copy = rows.cloneNode(true) as HTMLElement;
    copy.dataset["veil"] = "";
    copy.setAttribute("aria-hidden", "true");
    Object.assign(copy.style, { background, inset: "0", position: "absolute", zIndex: "1" });
    rows.after(copy);
    const picture: Picture = {
      undrawn: 0,
      lift: () => {
        clearTimeout(late);
        copy.remove();
        if (this.#picture === picture) this.#picture = undefined;
      },
    };
    const late = setTimeout(picture.lift, MOST_VEILED_MS);
    return picture;
  }
}
