const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something took, as short as can be: `42 s`, `7 min`, `3 h 05`, `2 d 4 h`. */
export function duration(ms: number): string {
  const past = Math.max(0, ms);
  if (past < MINUTE) return `${Math.floor(past / SECOND)} s`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min`;
  if (past < DAY) {
    const minutes = String(Math.floor((past % HOUR) / MINUTE)).padStart(2, "0");
    return `${Math.floor(past / HOUR)} h ${minutes}`;
  }
  const hours = Math.floor((past % DAY) / HOUR);
  const days = `${Math.floor(past / DAY)} d`;
  return hours ? `${days} ${hours} h` : days;
}

/** How long it is since a time that the server named. */
export function since(at: string, now: number): string {
  return duration(now - Date.parse(at));
}

/** The time of day, to the minute. */
export function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** The day and the time of day: `19 Nov 21:58`. */
export function dayTime(at: string): string {
  return `${new Date(at).toLocaleDateString([], { day: "numeric", month: "short" })} ${clockTime(at)}`;
}

/** How long it is since a time, as people say it. */
export function ago(at: string, now: number): string {
  const past = now - Date.parse(at);
  return past < 5 * SECOND ? "just now" : `${duration(past)} ago`;
}
