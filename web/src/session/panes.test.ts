import { describe, expect, it } from "vitest";

import {
  closePane,
  dividers,
  keepOnly,
  MOST_PANES,
  neighbour,
  panes,
  parseLayout,
  setShare,
  show,
  single,
  split,
} from "./panes";

/** a | b over c */
const three = () => split(split(single("a"), "p1", "row", "b"), "p2", "column", "c");
const shape = (layout: ReturnType<typeof three>) =>
  panes(layout).map(({ worker, x, y, width, height }) => `${worker} ${x},${y} ${width}×${height}`);

describe("panes", () => {
  it("divide the window", () => {
    expect(shape(single("a"))).toEqual(["a 0,0 1×1"]);
    expect(shape(three())).toEqual(["a 0,0 0.5×1", "b 0.5,0 0.5×0.5", "c 0.5,0.5 0.5×0.5"]);
    expect(
      dividers(three()).map(({ direction, x, y, width, height }) => [direction, x, y, width, height]),
    ).toEqual([
      ["row", 0.5, 0, 0, 1],
      ["column", 0.5, 0.5, 0.5, 0],
    ]);
  });

  it("keep their ids, so that no terminal is made anew when another pane comes or goes", () => {
    expect(panes(three()).map(({ id }) => id)).toEqual(["p1", "p2", "p3"]);
    const closed = closePane(three(), "p2");
    expect(panes(closed).map(({ id }) => id)).toEqual(["p1", "p3"]);
    expect(shape(closed)).toEqual(["a 0,0 0.5×1", "c 0.5,0 0.5×1"]);
    expect(panes(split(closed, "p1", "row", "d")).map(({ id }) => id)).toEqual(["p1", "p2", "p3"]);
  });

  it("are at least one, and at most the limit", () => {
    expect(closePane(single("a"), "p1")).toEqual(single("a"));
    let layout = single("a");
    for (let index = 0; index < 20; index += 1) layout = split(layout, "p1", "row", "a");
    expect(panes(layout)).toHaveLength(MOST_PANES);
  });

  it("show the chosen worker", () => {
    expect(panes(show(three(), "p2", "z")).map(({ worker }) => worker)).toEqual(["a", "z", "c"]);
    expect(panes(setShare(three(), "s1", 0.99))[0]?.width).toBe(0.9);
  });

  it("close when their workers are removed", () => {
    expect(keepOnly(three(), new Set(["a", "c"]))).toEqual(closePane(three(), "p2"));
    expect(keepOnly(three(), new Set())).toBeUndefined();
  });

  it("have neighbours", () => {
    const layout = three();
    expect(neighbour(layout, "p1", "right")).toBe("p2");
    expect(neighbour(layout, "p2", "down")).toBe("p3");
    expect(neighbour(layout, "p3", "left")).toBe("p1");
    expect(neighbour(layout, "p3", "up")).toBe("p2");
    expect(neighbour(layout, "p1", "left")).toBeUndefined();
  });

  it("are restored as they were, unless the stored value is not a layout", () => {
    expect(parseLayout(JSON.stringify(three()))).toEqual(three());
    const bad = [
      null,
      "",
      "{",
      "3",
      '{"kind":"pane"}',
      '{"kind":"split","id":"s1","direction":"row","share":2}',
    ];
    for (const kept of bad) expect(parseLayout(kept)).toBeUndefined();
    const twice = {
      kind: "split",
      id: "s1",
      direction: "row",
      share: 0.5,
      first: single("a"),
      second: single("b"),
    };
    expect(parseLayout(JSON.stringify(twice))).toBeUndefined();
  });
});
