/** How a session's window is divided. Pure: a layout in, a layout out. */

export type Direction = "row" | "column";

export type Layout =
  | { readonly kind: "pane"; readonly id: string; readonly worker: string }
  | {
      readonly kind: "split";
      readonly id: string;
      /** `row`: side by side. */
      readonly direction: Direction;
      /** How much of it the first half has. */
      readonly share: number;
      readonly first: Layout;
      readonly second: Layout;
    };

/** In parts of the whole, from 0 to 1. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Pane extends Rect {
  readonly id: string;
  readonly worker: string;
}

export interface Divider extends Rect {
  readonly id: string;
  readonly direction: Direction;
  readonly share: number;
  /** What the split takes up as a whole. */
  readonly whole: Rect;
}

export const MOST_PANES = 8;
const LEAST_SHARE = 0.1;
const WHOLE: Rect = { x: 0, y: 0, width: 1, height: 1 };

export function single(worker: string): Layout {
  return { kind: "pane", id: "p1", worker };
}

export function panes(layout: Layout, within: Rect = WHOLE): Pane[] {
  if (layout.kind === "pane") return [{ id: layout.id, worker: layout.worker, ...within }];
  const [first, second] = halves(layout, within);
  return [...panes(layout.first, first), ...panes(layout.second, second)];
}

export function dividers(layout: Layout, within: Rect = WHOLE): Divider[] {
  if (layout.kind === "pane") return [];
  const [first, second] = halves(layout, within);
  const { id, direction, share } = layout;
  const line = direction === "row" ? { ...second, width: 0 } : { ...second, height: 0 };
  return [
    { id, direction, share, whole: within, ...line },
    ...dividers(layout.first, first),
    ...dividers(layout.second, second),
  ];
}

function halves(
  { direction, share }: Layout & { kind: "split" },
  { x, y, width, height }: Rect,
): [Rect, Rect] {
  return direction === "row"
    ? [
        { x, y, width: width * share, height },
        { x: x + width * share, y, width: width * (1 - share), height },
      ]
    : [
        { x, y, width, height: height * share },
        { x, y: y + height * share, width, height: height * (1 - share) },
      ];
}

/** Puts a worker beside a pane, or below it. */
export function split(layout: Layout, pane: string, direction: Direction, worker: string): Layout {
  if (panes(layout).length >= MOST_PANES) return layout;
  const [paneId, splitId] = [freshId(layout, "p"), freshId(layout, "s")];
  return change(layout, pane, (found) => ({
    kind: "split",
    id: splitId,
    direction,
    share: 0.5,
    first: found,
    second: { kind: "pane", id: paneId, worker },
  }));
}

/** Removes a pane; its neighbour gets its space. The last one stays. */
export function closePane(layout: Layout, pane: string): Layout {
  return without(layout, (each) => each.id === pane) ?? layout;
}

/** Shows another worker in a pane. */
export function show(layout: Layout, pane: string, worker: string): Layout {
  return change(layout, pane, (found) => ({ ...found, worker }));
}

export function setShare(layout: Layout, id: string, share: number): Layout {
  if (layout.kind === "pane") return layout;
  if (layout.id === id) return { ...layout, share: Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share)) };
  return { ...layout, first: setShare(layout.first, id, share), second: setShare(layout.second, id, share) };
}

/** Leaves out workers that are gone; undefined if none of them is left. */
export function keepOnly(layout: Layout, workers: ReadonlySet<string>): Layout | undefined {
  return without(layout, (each) => !workers.has(each.worker));
}

/** The pane that lies next to another, where the arrow points. */
export function neighbour(
  layout: Layout,
  pane: string,
  towards: "left" | "right" | "up" | "down",
): string | undefined {
  const all = panes(layout);
  const from = all.find((each) => each.id === pane);
  if (!from) return undefined;
  const middle = (rect: Rect) => ({ x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 });
  const { x, y } = middle(from);
  const tiny = 1e-6;
  const there = all.filter((each) => {
    const across = towards === "left" || towards === "right";
    const overlaps = across
      ? each.y < from.y + from.height - tiny && from.y < each.y + each.height - tiny
      : each.x < from.x + from.width - tiny && from.x < each.x + each.width - tiny;
    if (!overlaps || each.id === pane) return false;
    const to = middle(each);
    return { left: to.x < x, right: to.x > x, up: to.y < y, down: to.y > y }[towards];
  });
  const distance = (rect: Rect) => Math.hypot(middle(rect).x - x, middle(rect).y - y);
  return there.sort((a, b) => distance(a) - distance(b))[0]?.id;
}

/** The layout that is stored in the browser, if it is still valid. */
export function parseLayout(kept: string | null): Layout | undefined {
  try {
    const layout = checked(JSON.parse(kept ?? "null"));
    const ids = layout ? idsOf(layout) : [];
    return layout && new Set(ids).size === ids.length && panes(layout).length <= MOST_PANES
      ? layout
      : undefined;
  } catch {
    return undefined;
  }
}

function checked(value: unknown, depth = 0): Layout | undefined {
  if (typeof value !== "object" || value === null || depth > MOST_PANES) return undefined;
  const { kind, id, worker, direction, share, first, second } = value as Record<string, unknown>;
  if (typeof id !== "string") return undefined;
  if (kind === "pane") return typeof worker === "string" ? { kind, id, worker } : undefined;
  const [one, other] = [checked(first, depth + 1), checked(second, depth + 1)];
  if (kind !== "split" || !one || !other || typeof share !== "number" || !(share > 0 && share < 1))
    return undefined;
  if (direction !== "row" && direction !== "column") return undefined;
  return { kind, id, direction, share, first: one, second: other };
}

function change(layout: Layout, pane: string, how: (found: Layout & { kind: "pane" }) => Layout): Layout {
  if (layout.kind === "pane") return layout.id === pane ? how(layout) : layout;
  return { ...layout, first: change(layout.first, pane, how), second: change(layout.second, pane, how) };
}

function without(layout: Layout, gone: (pane: Layout & { kind: "pane" }) => boolean): Layout | undefined {
  if (layout.kind === "pane") return gone(layout) ? undefined : layout;
  const [first, second] = [without(layout.first, gone), without(layout.second, gone)];
  return first && second ? { ...layout, first, second } : (first ?? second);
}

function idsOf(layout: Layout): string[] {
  return layout.kind === "pane" ? [layout.id] : [layout.id, ...idsOf(layout.first), ...idsOf(layout.second)];
}

function freshId(layout: Layout, prefix: string): string {
  const taken = new Set(idsOf(layout));
  let number = 1;
  while (taken.has(`${prefix}${number}`)) number += 1;
  return `${prefix}${number}`;
}
