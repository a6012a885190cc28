import { ApiProblem, api, inWords, type RecordingInfo, type RecordingMarks } from "../api/client";
import { type Command, commandsOf, type Flag, flagsOf, type Mark, readMark } from "./marks";
import { type Extent, Known, type Moment } from "./scale";

/** A stretch of output that a recording has not got, by offsets. */
export interface Gap {
  from: number;
  /** Undefined if the missing amount is unknown. */
  to: number | undefined;
}

/** What is known of a recording as a whole. */
export type Recorded =
  | { kind: "loading" }
  | { kind: "failed"; why: string; isMissing: boolean }
  | { kind: "there"; extent: Extent; gaps: Gap[]; gapCount: number; bytesOnDisk: number };

/** The time line does not wait for all marks, and more would not help a person. */
const MARKS_A_PAGE = 2_000;
const MOST_MARKS = 20_000;

/** A worker's recording: its length and its marks. */
export class Recording {
  recorded = $state.raw<Recorded>({ kind: "loading" });
  flags = $state.raw<readonly Flag[]>([]);
  commands = $state.raw<readonly Command[]>([]);
  /** A newer one whenever something was learnt. */
  known = $state.raw(new Known());
  #marks: Mark[] = [];
  #seen: Moment[] = [];
  #isClosed = false;

  constructor(private readonly worker: string) {}

  async load(): Promise<void> {
    try {
      const info = await api.get<RecordingInfo>(this.#path(""));
      if (this.#isClosed) return;
      const before = this.recorded;
      this.recorded = read(info);
      const isLonger = before.kind !== "there" || before.extent.last.offset !== info.endOffset;
      this.#learn();
      if (isLonger) await this.#loadMarks();
    } catch (thrown) {
      if (this.#isClosed || this.recorded.kind === "there") return;
      const isMissing = thrown instanceof ApiProblem && thrown.code === "not-found";
      this.recorded = { kind: "failed", why: inWords(thrown), isMissing };
    }
  }

  /** A moment that was seen, of which time and offset are both known. */
  saw(moment: Moment): void {
    const known = this.known.with(moment);
    if (known === this.known) return;
    this.known = known;
    this.#seen.push(moment);
    const { recorded } = this;
    if (recorded.kind === "there" && moment.offset > recorded.extent.last.offset) {
      this.recorded = { ...recorded, extent: { ...recorded.extent, last: moment } };
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  async #loadMarks(): Promise<void> {
    const marks: Mark[] = [];
    let after: string | undefined;
    do {
      const asked = { after, limit: MARKS_A_PAGE };
      const page = await api.get<RecordingMarks>(this.#path("/marks"), asked);
      if (this.#isClosed) return;
      marks.push(...page.marks.map(readMark));
      after = page.next ?? undefined;
      if (marks.length < this.#marks.length) continue;
      this.#marks = marks;
      this.flags = flagsOf(marks);
      this.commands = commandsOf(marks);
      this.#learn();
    } while (after !== undefined && marks.length < MOST_MARKS);
  }

  #learn(): void {
    const { recorded } = this;
    const ends = recorded.kind === "there" ? [recorded.extent.first, recorded.extent.last] : [];
    this.known = new Known([...ends, ...this.#marks, ...this.#seen]);
  }

  #path(what: string): string {
    return `/api/workers/${encodeURIComponent(this.worker)}/recording${what}`;
  }
}

function read(info: RecordingInfo): Recorded {
  return {
    kind: "there",
    extent: {
      first: { offset: info.firstOffset, at: Date.parse(info.firstAt) },
      last: { offset: info.endOffset, at: Date.parse(info.lastAt) },
    },
    gaps: info.gaps.map(({ from, to }) => ({ from, to: to ?? undefined })),
    gapCount: info.gapCount,
    bytesOnDisk: info.bytesOnDisk,
  };
}
