/** A width and a height in pixels. */
export interface Box {
  width: number;
  height: number;
}

/** How something is drawn so that all of it is seen. */
export interface Fit {
  scale: number;
  left: number;
  top: number;
}

/** Draws the newest rows of a screen at one size, whatever room there is: the last used row stands at the bottom. */
export function newest(inner: Box, outer: Box, usedShare: number, scale: number): Fit {
  return { scale, left: 0, top: Math.min(0, outer.height - inner.height * usedShare * scale) };
}

/**
 * Fits a box into another, in the middle or at the top: whole, unless it would be smaller than `least` times its size,
 * and no larger than `most` times.
 */
export function fitted(inner: Box, outer: Box, least: number, most: number, align: "top" | "middle"): Fit {
  if (inner.width <= 0 || inner.height <= 0) return { scale: 1, left: 0, top: 0 };
  const whole = Math.min(outer.width / inner.width, outer.height / inner.height, most);
  const scale = Math.max(whole, least);
  const left = Math.max(0, (outer.width - inner.width * scale) / 2);
  const top = align === "top" ? 0 : Math.max(0, (outer.height - inner.height * scale) / 2);
  return { scale, left, top };
}
