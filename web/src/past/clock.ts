const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const exact = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });

/** To the second, as in `14:03:22`. */
export function clockTime(at: number): string {
  return exact.format(at);
}

/** As in `Mon 16 Nov`. */
export function dayName(at: number): string {
  return day.format(at).replace(",", "");
}

/** As much of a time as tells ticks apart that are so far from each other. */
export function tickLabel(at: number, apartMs: number): string {
  if (apartMs >= DAY) return dayName(at);
  if (apartMs < 1000) return exact.format(at) + ((at / 1000) % 1).toFixed(apartMs < 100 ? 2 : 1).slice(1);
  return apartMs < MINUTE ? exact.format(at) : time.format(at);
}

/** How finely `tickLabel` shows a time. */
export function tickMs(apartMs: number): number {
  if (apartMs >= DAY) return DAY;
  return apartMs < MINUTE ? 1000 : MINUTE;
}

/** A time in a list: with its day, unless that is today. */
export function listTime(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? exact.format(at) : `${dayName(at)} ${time.format(at)}`;
}

/** A length of time in at most two parts: `2 h 5 min`, `12 s`, `0.4 s`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A number of bytes: `812 B`, `3.4 kB`, `12 MB`. */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
