import { inWords, type RecordedScreen } from "../api/client";
import { found, rowOf } from "./found.svelte";
import { type Hunt, huntedFurther } from "./hunt";
import { commandAt, commandFrom } from "./marks";
import { loadScreen, nameOf, type Wanted } from "./moments";
import { Newest } from "./newest";
import { Recording } from "./recording.svelte";
import { type Axis, along, holding, usualAxis, type View, whole, zoomed } from "./scale";

/** Screens of some kilobytes each: the ones passed while dragging are there at once on the way back. */
const SCREENS_KEPT = 300;
const PATIENCE_MS = 1_000;

/** A worker's recording, and the moment of it that the person looks at. */
export class Replay {
  readonly worker: string;
  readonly recording: Recording;
  readonly #screens: Newest<Wanted, RecordedScreen>;
  shown = $state.raw<RecordedScreen>();
  problem = $state<string>();
  isPlaying = $state(false);
  speed = $state(1);
  #wanted = $state.raw<Wanted>({ by: "end" });
  #axis = $state<Axis>();
  #view = $state.raw<View>();
  /** The line that the person came for, the offset of its hit, and where the page looks for it. */
  #line = $state<string>();
  #asked: number | undefined;
  #hunt: Hunt | undefined;

  readonly recorded = $derived.by(() => this.recording.recorded);
  readonly axis = $derived.by(
    () => this.#axis ?? (this.recorded.kind === "there" ? usualAxis(this.recorded.extent) : "time"),
  );
  /** The whole time line, and its visible part. */
  readonly all = $derived.by(() =>
    this.recorded.kind === "there" ? whole(this.recorded.extent, this.axis) : undefined,
  );
  readonly view = $derived(this.#view ?? this.all);
  readonly isAtEnd = $derived(this.#wanted.by === "end");
  /** Where on the time line the wanted moment is. */
  readonly cursor = $derived.by(() => {
    const { recorded, axis } = this;
    const { known } = this.recording;
    const wanted = this.#wanted;
    if (recorded.kind !== "there") return 0;
    switch (wanted.by) {
      case "end":
        return along(axis, recorded.extent.last);
      case "offset":
        return axis === "output" ? wanted.offset : known.timeAt(wanted.offset);
      case "time":
        return axis === "time" ? wanted.at : known.offsetAt(wanted.at);
    }
  });
  /** The time of the shown screen. */
  readonly shownAt = $derived.by(() => {
    if (this.#wanted.by === "time") return this.#wanted.at;
    if (this.shown !== undefined) return Date.parse(this.shown.at);
    return this.recorded.kind === "there" ? this.recorded.extent.last.at : Date.now();
  });
  /** The command that runs at the shown moment. */
  readonly command = $derived.by(() => this.shown && commandAt(this.recording.commands, this.shown.offset));
  /** Where the line stands that the person came for. */
  readonly row = $derived(this.shown && this.#line ? rowOf(this.shown.text, this.#line) : undefined);
  /** What is missing at the moment that is shown. */
  readonly gap = $derived.by(() => {
    const { recorded, shown } = this;
    if (recorded.kind !== "there" || shown === undefined) return undefined;
    return recorded.gaps.find(({ from, to }) => from <= shown.offset && shown.offset <= (to ?? from));
  });

  constructor(worker: string) {
    this.worker = worker;
    this.recording = new Recording(worker);
    this.#screens = new Newest({
      load: (wanted) => loadScreen(worker, wanted),
      nameOf,
      answers: {
        shown: (_wanted, screen) => {
          this.problem = undefined;
          this.#show(screen);
        },
        failed: (_wanted, error) => {
          this.problem = inWords(error);
          this.isPlaying = false;
        },
      },
      most: SCREENS_KEPT,
      patienceMs: PATIENCE_MS,
    });
  }

  /** Goes to the moment that the address names; the last one, if it names none. */
  goTo(offset: number | undefined): void {
    this.#asked = offset;
    if (offset !== undefined && offset === this.shown?.offset) return;
    this.#line = found.lineAt(this.worker, offset);
    this.#hunt = this.#line === undefined || offset === undefined ? undefined : { offset, tries: 0 };
    this.look(offset === undefined ? { by: "end" } : { by: "offset", offset });
  }

  look(wanted: Wanted): void {
    this.#wanted = wanted;
    this.#screens.want(wanted);
    if (this.#view && this.all) this.#view = holding(this.#view, this.all, this.cursor);
  }

  /** Looks at what has been recorded since. */
  async lookAgain(): Promise<void> {
    await this.recording.load();
    if (this.#wanted.by === "end") this.#screens.want(this.#wanted);
  }

  /** Looks at a place on the time line. */
  seek(value: number): void {
    this.isPlaying = false;
    if (this.all && value >= this.all.to) this.look({ by: "end" });
    else if (this.axis === "time") this.look({ by: "time", at: Math.round(value) });
    else this.look({ by: "offset", offset: Math.round(value) });
  }

  step(share: number): void {
    const { view, all } = this;
    if (view && all)
      this.seek(Math.min(Math.max(this.cursor + share * (view.to - view.from), all.from), all.to));
  }

  jump(offset: number): void {
    this.isPlaying = false;
    this.look({ by: "offset", offset });
  }

  jumpCommand(direction: "previous" | "next"): void {
    const to = commandFrom(this.recording.commands, this.shown?.offset ?? 0, direction);
    if (to) this.look({ by: "offset", offset: to.start.offset });
    else if (direction === "next") this.look({ by: "end" });
    this.isPlaying = false;
  }

  /** Plays or pauses. At the end, it plays from the beginning. */
  toggle(): void {
    if (!this.isPlaying && this.isAtEnd && this.recorded.kind === "there")
      this.look({ by: "offset", offset: this.recorded.extent.first.offset });
    this.isPlaying = !this.isPlaying;
  }

  switchAxis(): void {
    this.#axis = this.axis === "time" ? "output" : "time";
    this.#view = undefined;
  }

  /** Shows a part of the time line; without one, all of it. */
  setView(view: View | undefined): void {
    this.#view = view;
  }

  zoom(factor: number): void {
    const { view, all } = this;
    if (!view || !all) return;
    const middle = Math.min(Math.max(this.cursor, view.from), view.to);
    this.#view = zoomed(view, all, this.axis, factor, middle);
  }

  close(): void {
    this.#screens.close();
    this.recording.close();
  }

  #show(screen: RecordedScreen): void {
    if (this.#isHuntedFurther(screen)) return;
    this.#hunt = undefined;
    this.shown = screen;
    this.recording.saw({ offset: screen.offset, at: Date.parse(screen.at) });
  }

  /** Whether an earlier screen is looked at instead, since this one does not have the line that the person came for. */
  #isHuntedFurther({ offset, text }: RecordedScreen): boolean {
    if (this.#hunt?.offset !== offset || this.#line === undefined || this.#asked === undefined) return false;
    if (rowOf(text, this.#line) !== undefined) return false;
    this.#hunt = huntedFurther(this.#hunt, text);
    this.look({ by: "offset", offset: this.#hunt?.offset ?? this.#asked });
    return true;
  }
}
