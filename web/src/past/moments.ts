import { api, type RecordedScreen } from "../api/client";

/** What is asked for: the screen when so much had come, at a time, or the last one. */
export type Wanted = { by: "offset"; offset: number } | { by: "time"; at: number } | { by: "end" };

/** The same name for the same screen; the last screen of what runs is another one each time. */
export function nameOf(wanted: Wanted): string {
  switch (wanted.by) {
    case "end":
      return `end ${Date.now()}`;
    case "time":
      return `time ${wanted.at}`;
    case "offset":
      return `offset ${wanted.offset}`;
  }
}

export function loadScreen(worker: string, wanted: Wanted): Promise<RecordedScreen> {
  const path = `/api/workers/${encodeURIComponent(worker)}/recording/screen`;
  switch (wanted.by) {
    case "end":
      return api.get<RecordedScreen>(path);
    case "time":
      return api.get<RecordedScreen>(path, { at: new Date(wanted.at).toISOString() });
    case "offset":
      return api.get<RecordedScreen>(path, { offset: wanted.offset });
  }
}
