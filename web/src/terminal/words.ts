/** What happened to an attachment, in words for people. */

import type { Notice } from "../attachment/events";
import { text } from "../protocol/bytes";
import type { ExitStatus, Viewer } from "../protocol/messages";

export interface Remark {
  readonly tone: "calm" | "warn";
  readonly text: string;
}

export function remarkOn(notice: Notice): Remark | undefined {
  switch (notice.kind) {
    case "reconnected": {
      const back = `Reconnected after ${duration(notice.afterMs)}`;
      if (notice.doubtful.length > 0) {
        const keys = visibleKeys(notice.doubtful);
        return { tone: "warn", text: `${back}. Check whether this arrived; it was not sent again: ${keys}` };
      }
      if (notice.sentBytes > 0) return { tone: "calm", text: `${back}, what you typed meanwhile was sent` };
      if (notice.isNewHost)
        return {
          tone: "calm",
          text: `${back}. Another host took over; output of that moment may be missing`,
        };
      return { tone: "calm", text: `${back}, nothing lost` };
    }
    case "notKept":
      return {
        tone: "warn",
        text: "Not connected, and there is no room to keep more: your last keys were not sent",
      };
    case "refused":
      return refusal(notice.code, notice.message);
  }
}

function refusal(code: string, message: string): Remark | undefined {
  switch (code) {
    case "input-full":
      return { tone: "warn", text: "The program does not read its input: your last keys were not sent" };
    case "exited":
      return undefined;
    case "read-only":
      return { tone: "warn", text: "You may only watch this worker" };
    default:
      return { tone: "warn", text: message };
  }
}

export function duration(ms: number): string {
  if (ms < 950) return `${Math.max(0.1, Math.round(ms / 100) / 10)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const NAMED: Record<string, string> = { "\r": "⏎", "\n": "⏎", "\t": "⇥", "\x7f": "⌫", "\x1b": "␛", " ": "␣" };
const MOST_SHOWN = 60;

/** Keys as they can be read; of many, the last. */
export function visibleKeys(bytes: Uint8Array): string {
  const keys = [...text(bytes)].map(
    (key) => NAMED[key] ?? (key < " " ? `^${String.fromCharCode(key.charCodeAt(0) + 64)}` : key),
  );
  return keys.length > MOST_SHOWN ? `…${keys.slice(-MOST_SHOWN).join("")}` : keys.join("");
}

/** The server puts who it is before what a viewer calls itself. */
export function viewerName({ name }: Viewer): string {
  const own = name.replace(/^[^:]*:\s*/, "");
  return own || name || "another viewer";
}

/** The other viewers besides this tab, each name once. */
export function othersInWords(viewers: readonly Viewer[], me: number): string | undefined {
  const names = viewers.filter(({ id }) => id !== me).map(viewerName);
  if (names.length === 0) return undefined;
  const counted = [...new Set(names)].map((name) => {
    const times = names.filter((each) => each === name).length;
    return times > 1 ? `${name} ×${times}` : name;
  });
  return counted.join(", ");
}

export function exitInWords(status: ExitStatus): string {
  switch (status.kind) {
    case "exited":
      return status.code === 0 ? "Exited" : `Exited with code ${status.code}`;
    case "killed":
      return `Ended by signal ${status.signal}`;
    case "unknown":
      return "Ended; exit code unknown";
  }
}

/** What this browser is called in the list of viewers. */
export function browserName(agent: string): string {
  const browser = /Edg\//.test(agent)
    ? "Edge"
    : /Firefox\//.test(agent)
      ? "Firefox"
      : /Chrome\//.test(agent)
        ? "Chrome"
        : /Safari\//.test(agent)
          ? "Safari"
          : "Browser";
  const system = /iPhone|iPad/.test(agent)
    ? "iPhone"
    : /Android/.test(agent)
      ? "Android"
      : /Mac OS/.test(agent)
        ? "macOS"
        : /Windows/.test(agent)
          ? "Windows"
          : /Linux/.test(agent)
            ? "Linux"
            : undefined;
  return system ? `${browser} on ${system}` : browser;
}
