import { api, type RecordedLines } from "../api/client";
import type { Replay } from "./replay.svelte";

const FRAME_MS = 100;
/** Quiet that is longer than this is not sat through. */
const QUIET_MS = 2_500;
/** How long before the next line it goes on. */
const BEFORE_LINE_MS = 300;

/** Plays by the clock, however long each screen takes to load. Call the returned function to stop. */
export function play(replay: Replay): () => void {
  let last = performance.now();
  let isPassing = false;

  function frame() {
    const now = performance.now();
    const next = replay.shownAt + (now - last) * replay.speed;
    last = now;
    if (replay.recorded.kind !== "there" || next >= replay.recorded.extent.last.at) {
      replay.isPlaying = false;
      replay.look({ by: "end" });
    } else {
      replay.look({ by: "time", at: Math.round(next) });
      void passQuiet(next);
    }
  }

  /** While nothing is printed, goes on to shortly before the next line. */
  async function passQuiet(at: number) {
    if (isPassing || replay.shown === undefined || at - Date.parse(replay.shown.at) < QUIET_MS) return;
    isPassing = true;
    try {
      const path = `/api/workers/${encodeURIComponent(replay.worker)}/recording/lines`;
      const { lines } = await api.get<RecordedLines>(path, { since: new Date(at).toISOString(), limit: 1 });
      const next = lines[0] ? Date.parse(lines[0].at) : undefined;
      if (replay.isPlaying && next === undefined) {
        replay.isPlaying = false;
        replay.look({ by: "end" });
      } else if (replay.isPlaying && next !== undefined && next - replay.shownAt > QUIET_MS) {
        replay.look({ by: "time", at: next - BEFORE_LINE_MS });
      }
    } catch {
      // It is sat through, then.
    } finally {
      isPassing = false;
    }
  }

  const timer = setInterval(frame, FRAME_MS);
  return () => clearInterval(timer);
}
