import type { InboxReason } from "../api/client";
import type { Tone } from "../dashboard/standing";

/** Why a worker waits, in words. */
export const REASONS: Record<InboxReason, { word: string; tone: Tone }> = {
  asking: { word: "asking", tone: "asking" },
  finished: { word: "finished", tone: "ok" },
  failed: { word: "failed", tone: "bad" },
  limit: { word: "usage limit", tone: "bad" },
  lost: { word: "lost", tone: "bad" },
  stuck: { word: "stuck", tone: "bad" },
};
