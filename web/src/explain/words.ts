import type { Activity, Explanation } from "../api/client";

/** How abide knows, in plain words. */

const SOURCES: Record<string, string> = {
  programStatus: "the program itself (OSC 7501)",
  hook: "its hooks",
  title: "the title of its window",
  progress: "its progress indicator (OSC 9;4)",
  notification: "its notifications",
  promptMark: "the shell’s prompt marks (OSC 133)",
  screen: "its screen",
};

export function sourceInWords(source: string): string {
  return SOURCES[source] ?? source;
}

const DOES: Record<Activity, string> = {
  active: "it works",
  idle: "it is done, and waits for your next prompt",
  asking: "it asks, and waits for your answer",
  unknown: "nothing that abide understands",
};

export function activityInWords(activity: Activity): string {
  return DOES[activity];
}

const KINDS: Record<string, string> = {
  permission: "for a permission",
  question: "a question",
  trust: "whether it may work in this directory",
  "api-key": "for an API key",
  auth: "for a login",
  limit: "what to do about a usage limit",
  conflict: "what to do, since another program has the conversation open",
};

export function kindInWords(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** How it is known which program it is. */
export function knownInWords({ agentId, knownBy }: Explanation, name: string): string {
  switch (knownBy) {
    case "agent":
      return `It was started as ${name}.`;
    case "command":
      return `Its command is that of ${name}.`;
    case "title":
      return `Its title is that of ${name}.`;
    default:
      return agentId === "generic"
        ? "abide does not know this program. It judges it by rules that fit most programs."
        : `It is judged as ${name}.`;
  }
}

const TURNS: Record<string, string> = {
  finished: "finished",
  interrupted: "was interrupted",
  refused: "ended when you refused",
  failed: "failed",
  limit: "ended at a usage limit",
};

export function turnInWords(how: string): string {
  return TURNS[how] ?? how;
}
