export const QUARTER_MS = 15 * 60_000;
export const HOUR_MS = 60 * 60_000;

/** When a working day begins. */
const MORNING = 9;

/** How long it is until tomorrow morning, in ms. */
export function untilTomorrow(now: Date): number {
  const morning = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, MORNING);
  return morning.getTime() - now.getTime();
}
