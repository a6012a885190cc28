import { describe, expect, it } from "vitest";
import { inColumns, neighbour, positionAt, shownTasks, withPosition } from "./order";
import { task } from "./testing";

const repositories = [{ id: "one" }, { id: "two" }];
const ids = (tasks: readonly { id: string }[]) => tasks.map(({ id }) => id).join(" ");

describe("columns", () => {
  it("have pinned cards first, then each repository in its order", () => {
    const tasks = [
      task("d", { projectId: "two", position: 0 }),
      task("b", { position: 1 }),
      task("a", { position: 0 }),
      task("p", { projectId: "two", position: 1, pinned: true }),
      task("x", { position: 2, status: "active" }),
    ];
    const columns = inColumns(tasks, repositories);
    expect(ids(columns.backlog)).toBe("p a b d");
    expect(ids(columns.active)).toBe("x");
  });

  it("show the cards whose title, description or branch match the search", () => {
    const tasks = [
      task("a", { title: "Fix the Login" }),
      task("b", { description: "see login page" }),
      task("c", { projectId: "two", title: "login" }),
    ];
    expect(ids(shownTasks(tasks, undefined, "LOGIN"))).toBe("a b c");
    expect(ids(shownTasks(tasks, "one", "login fix"))).toBe("a");
  });
});

describe("a card's position", () => {
  const tasks = [
    task("a", { position: 0 }),
    task("x", { position: 1, status: "active" }),
    task("b", { position: 2 }),
    task("c", { position: 3 }),
    task("z", { projectId: "two", position: 0 }),
  ];
  const backlog = inColumns(tasks, repositories).backlog;
  const moved = (id: string, index: number) => {
    const card = tasks.find((one) => one.id === id);
    if (card === undefined) throw new Error(id);
    const others = backlog.filter((one) => one.id !== id);
    const position = positionAt(tasks, card, others, index);
    if (position === undefined) return undefined;
    return ids(inColumns(withPosition(tasks, id, position), repositories).backlog);
  };

  it("puts it where it is dropped, past cards of other columns", () => {
    expect(moved("c", 0)).toBe("c a b z");
    expect(moved("c", 1)).toBe("a c b z");
    expect(moved("a", 1)).toBe("b a c z");
    expect(moved("a", 2)).toBe("b c a z");
  });

  it("stays when it stands there already, and never leaves its repository's cards", () => {
    expect(moved("b", 1)).toBeUndefined();
    expect(moved("a", 3)).toBe("b c a z");
    expect(moved("z", 0)).toBeUndefined();
  });

  it("is counted as the server does", () => {
    const list = withPosition(tasks, "c", 0).filter((one) => one.projectId === "one");
    expect(list.map((one) => `${one.id}${one.position}`).join(" ")).toBe("a1 x2 b3 c0");
  });
});

describe("arrow keys", () => {
  const columns = inColumns(
    [task("a"), task("b", { position: 1 }), task("c", { position: 2 }), task("d", { status: "done" })],
    repositories,
  );
  it("go up and down, and over empty columns", () => {
    expect(neighbour(columns, "a", "down")).toBe("b");
    expect(neighbour(columns, "a", "up")).toBe("a");
    expect(neighbour(columns, "c", "right")).toBe("d");
    expect(neighbour(columns, "d", "left")).toBe("a");
    expect(neighbour(columns, "d", "right")).toBe("d");
  });
});
