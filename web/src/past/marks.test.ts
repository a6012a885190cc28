import { describe, expect, it } from "vitest";
import { clustered, commandAt, commandFrom, commandsOf, flagsOf, type Mark, readMark } from "./marks";

const mark = (kind: Mark["kind"], offset: number, text?: string): Mark => ({
  kind,
  offset,
  at: offset,
  text,
});
const marks = [
  mark("resize", 0, "80x24"),
  mark("command", 10, "make test"),
  mark("commandEnd", 100, "2"),
  mark("command", 110, "ls"),
  mark("commandEnd", 150, "0"),
  mark("gap", 160),
  mark("command", 500, "vim"),
  mark("exit", 900, "exit code 0"),
];

describe("commands", () => {
  const commands = commandsOf(marks);
  it("are pairs of marks, the last perhaps without its end", () => {
    expect(commands.map(({ text, code, end }) => [text, code, end?.offset])).toEqual([
      ["make test", 2, 100],
      ["ls", 0, 150],
      ["vim", undefined, undefined],
    ]);
  });
  it("are found from anywhere", () => {
    expect(commandFrom(commands, 110, "next")?.text).toBe("vim");
    expect(commandFrom(commands, 110, "previous")?.text).toBe("make test");
    expect(commandFrom(commands, 10, "previous")).toBeUndefined();
    expect(commandAt(commands, 120)?.text).toBe("ls");
    expect(commandAt(commands, 5)).toBeUndefined();
  });
});

describe("flags", () => {
  it("say what happened", () => {
    expect(flagsOf(marks).map(({ kind, label }) => `${kind}: ${label}`)).toEqual([
      "resize: resized to 80x24",
      "failed: make test (exit code 2)",
      "command: ls",
      "gap: output is missing here",
      "command: vim",
      "exit: ended: exit code 0",
    ]);
  });

  it("in one place are merged, and the most important one is shown", () => {
    const clusters = clustered(flagsOf(marks), (flag) => flag.offset / 10, 80, 8);
    expect(clusters.map(({ pixel, kind, flags }) => [pixel, kind, flags.length])).toEqual([
      [0, "failed", 2],
      [11, "gap", 2],
      [50, "command", 1],
    ]);
  });

  it("are read as the server sends them, unknown ones too", () => {
    const read = readMark({ kind: "newKind", offset: 3, at: "1970-01-01T00:00:01Z", text: null });
    expect(read).toEqual({ kind: "other", offset: 3, at: 1000, text: undefined });
  });
});
