/** What a person has set in this browser. */
export interface Settings {
  theme: "system" | "light" | "dark";
  fontSize: number;
  screenReader: boolean;
  notifications: boolean;
  confirmMultiLinePaste: boolean;
  /** Lines that a terminal keeps in memory; older ones come from the recording when the person scrolls up. */
  scrollback: number;
  /** Whether the side bar shows names, on screens that have the room. */
  sideBar: boolean;
}

/** As many lines as the server has a host send. */
export const MOST_SCROLLBACK = 20_000;

const PLACE = "abide.settings";

const DEFAULTS: Settings = {
  theme: "system",
  fontSize: 13,
  screenReader: false,
  notifications: false,
  confirmMultiLinePaste: true,
  scrollback: 5_000,
  sideBar: true,
};

/** The stored settings, with the default for each that is missing or not valid. */
export function read(kept: string | null): Settings {
  let given: Partial<Settings> = {};
  try {
    given = JSON.parse(kept ?? "{}") ?? {};
  } catch {
    // A person edited it by hand; use the defaults.
  }
  return {
    theme: given.theme === "light" || given.theme === "dark" ? given.theme : DEFAULTS.theme,
    fontSize: within(given.fontSize, 8, 32, DEFAULTS.fontSize),
    screenReader: flag(given.screenReader, DEFAULTS.screenReader),
    notifications: flag(given.notifications, DEFAULTS.notifications),
    confirmMultiLinePaste: flag(given.confirmMultiLinePaste, DEFAULTS.confirmMultiLinePaste),
    scrollback: within(given.scrollback, 1_000, MOST_SCROLLBACK, DEFAULTS.scrollback),
    sideBar: flag(given.sideBar, DEFAULTS.sideBar),
  };
}

function within(value: unknown, least: number, most: number, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value)
    ? Math.min(most, Math.max(least, value))
    : otherwise;
}

function flag(value: unknown, otherwise: boolean): boolean {
  return typeof value === "boolean" ? value : otherwise;
}

export const settings: Settings = $state(read(localStorage.getItem(PLACE)));

$effect.root(() => {
  $effect(() => {
    const text = JSON.stringify(settings);
    const before = localStorage.getItem(PLACE);
    // Unchanged settings are not stored, so that better defaults take effect later.
    if (text !== (before ?? JSON.stringify(DEFAULTS))) localStorage.setItem(PLACE, text);
  });
});

addEventListener("storage", ({ key, newValue }) => {
  if (key === PLACE) Object.assign(settings, read(newValue));
});
