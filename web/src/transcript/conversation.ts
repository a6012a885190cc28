import type { TranscriptEntry } from "../api/client";

interface Words {
  readonly text: string;
  readonly cut: boolean;
}

/** What a conversation is shown as. A tool's result is with its call. */
export type Item =
  | (Words & {
      readonly kind: "prompt" | "answer" | "thinking" | "error" | "limit" | "note";
      readonly key: string;
      readonly at: string | undefined;
    })
  | (Words & {
      readonly kind: "tool";
      readonly key: string;
      readonly tool: string;
      readonly result: (Words & { readonly failed: boolean }) | undefined;
    });

/** Puts pages of a conversation together: entries that came again take the place of the earlier ones. */
export function joined(
  before: readonly TranscriptEntry[],
  more: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const all = [...before];
  const places = new Map<string, number>();
  for (const [at, { id }] of all.entries()) if (id) places.set(id, at);
  for (const entry of more) {
    const place = entry.id ? places.get(entry.id) : undefined;
    if (place !== undefined) all[place] = entry;
    else {
      if (entry.id) places.set(entry.id, all.length);
      all.push(entry);
    }
  }
  return all;
}

/** The entries as they are shown. */
export function items(entries: readonly TranscriptEntry[]): readonly Item[] {
  const shown: Item[] = [];
  const calls = new Map<string, number>();
  for (const [place, entry] of entries.entries()) {
    const key = String(place);
    switch (entry.kind) {
      case "prompt":
      case "answer":
      case "thinking":
      case "error":
      case "limit":
      case "note":
        shown.push({ kind: entry.kind, key, text: entry.text, cut: entry.cut, at: entry.at ?? undefined });
        break;
      case "call":
        calls.set(entry.callId, shown.length);
        shown.push({
          kind: "tool",
          key,
          tool: entry.tool,
          text: entry.text,
          cut: entry.cut,
          result: undefined,
        });
        break;
      case "result": {
        const result = { text: entry.text, cut: entry.cut, failed: entry.failed };
        const at = calls.get(entry.callId);
        const call = at === undefined ? undefined : shown[at];
        if (at !== undefined && call?.kind === "tool") shown[at] = { ...call, result };
        else shown.push({ kind: "tool", key, tool: "result", text: "", cut: false, result });
        break;
      }
      case "tooLong":
        shown.push({
          kind: "note",
          key,
          text: "A record is too long to be shown.",
          cut: false,
          at: entry.at ?? undefined,
        });
        break;
      default:
        break;
    }
  }
  return shown;
}

/** The first line of a text, for what is folded. */
export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
