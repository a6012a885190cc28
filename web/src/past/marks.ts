import type { Schemas } from "../api/client";

export type MarkKind = "command" | "commandEnd" | "resize" | "gap" | "exit" | "notification" | "other";

/** Something to find one's way by. */
export interface Mark {
  kind: MarkKind;
  offset: number;
  /** When, in milliseconds. */
  at: number;
  /** A command's text, a code, a size: foreign text. */
  text: string | undefined;
}

const KINDS = new Set<string>(["command", "commandEnd", "resize", "gap", "exit", "notification"]);

export function readMark(mark: Schemas["RecordingMark"]): Mark {
  return {
    kind: KINDS.has(mark.kind) ? (mark.kind as MarkKind) : "other",
    offset: mark.offset,
    at: Date.parse(mark.at),
    text: mark.text ?? undefined,
  };
}

/** A command, from its start to its end. */
export interface Command {
  start: Mark;
  /** Not there while it runs, or if the shell did not say. */
  end: Mark | undefined;
  text: string | undefined;
  code: number | undefined;
}

/** The commands in a recording, oldest first. */
export function commandsOf(marks: readonly Mark[]): Command[] {
  const commands: Command[] = [];
  let open: Command | undefined;
  for (const mark of marks) {
    if (mark.kind === "command") {
      open = { start: mark, end: undefined, text: mark.text, code: undefined };
      commands.push(open);
    } else if (mark.kind === "commandEnd" && open !== undefined) {
      open.end = mark;
      open.code = mark.text === undefined ? undefined : Number.parseInt(mark.text, 10);
      open = undefined;
    } else if (mark.kind === "exit") {
      open = undefined;
    }
  }
  return commands;
}

/** What a flag on the time line stands for. */
export type FlagKind = "failed" | "gap" | "exit" | "notification" | "command" | "resize" | "other";

/** Something to be shown on the time line. */
export interface Flag {
  kind: FlagKind;
  offset: number;
  at: number;
  /** In words. */
  label: string;
}

/** What counts more is shown when several would stand in one place. */
const WEIGHT: Record<FlagKind, number> = {
  failed: 6,
  gap: 5,
  exit: 4,
  notification: 3,
  command: 2,
  resize: 1,
  other: 0,
};

/** What to put on the time line for marks: a command and its end are one flag. */
export function flagsOf(marks: readonly Mark[]): Flag[] {
  const flags: Flag[] = commandsOf(marks).map((command) => ({
    kind: command.code !== undefined && command.code !== 0 ? "failed" : "command",
    offset: command.start.offset,
    at: command.start.at,
    label: commandLabel(command),
  }));
  for (const mark of marks) {
    const flag = otherFlag(mark);
    if (flag !== undefined) flags.push(flag);
  }
  return flags.sort((a, b) => a.offset - b.offset || a.at - b.at);
}

function commandLabel({ text, code }: Command): string {
  const command = text === undefined || text.trim() === "" ? "a command" : text.trim();
  return code === undefined || code === 0 ? command : `${command} (exit code ${code})`;
}

function otherFlag({ kind, offset, at, text }: Mark): Flag | undefined {
  switch (kind) {
    case "command":
    case "commandEnd":
      return undefined;
    case "resize":
      return { kind, offset, at, label: `resized to ${text ?? "another size"}` };
    case "gap":
      return { kind, offset, at, label: "output is missing here" };
    case "exit":
      return { kind, offset, at, label: `ended: ${text ?? "exit code unknown"}` };
    case "notification":
      return { kind, offset, at, label: text ?? "a notification" };
    case "other":
      return { kind, offset, at, label: text ?? "something happened" };
  }
}

/** Flags that would stand in one place. */
export interface Cluster {
  pixel: number;
  kind: FlagKind;
  flags: Flag[];
}

/** Gathers flags that are nearer to each other than so many pixels; those that are not seen are left out. */
export function clustered(
  flags: readonly Flag[],
  pixelOf: (flag: Flag) => number,
  width: number,
  apart: number,
): Cluster[] {
  const clusters: Cluster[] = [];
  for (const flag of flags) {
    const pixel = pixelOf(flag);
    if (pixel < 0 || pixel > width) continue;
    const last = clusters.at(-1);
    if (last !== undefined && pixel - last.pixel < apart) {
      last.flags.push(flag);
      if (WEIGHT[flag.kind] > WEIGHT[last.kind]) last.kind = flag.kind;
    } else {
      clusters.push({ pixel, kind: flag.kind, flags: [flag] });
    }
  }
  return clusters;
}

/** The command before or after an offset. */
export function commandFrom(
  commands: readonly Command[],
  offset: number,
  direction: "previous" | "next",
): Command | undefined {
  return direction === "next"
    ? commands.find((command) => command.start.offset > offset)
    : commands.findLast((command) => command.start.offset < offset);
}

/** The command that ran at an offset, or had just ended. */
export function commandAt(commands: readonly Command[], offset: number): Command | undefined {
  return commands.findLast((command) => command.start.offset <= offset);
}
