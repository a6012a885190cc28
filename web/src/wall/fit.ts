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

/** Fits a box into another, whole, no larger than so many times its size, in the middle or at the top. */
export function fitted(inner: Box, outer: Box, most: number, align: "top" | "middle"): Fit {
  if (inner.width <= 0 || inner.height <= 0) return { scale: 1, left: 0, top: 0 };
  const scale = Math.min(outer.width / inner.width, outer.height / inner.height, most);
  const left = Math.max(0, (outer.width - inner.width * scale) / 2);
  const top = align === "top" ? 0 : Math.max(0, (outer.height - inner.height * scale) / 2);
  return { scale, left, top };
}
