/** How long to wait before the next try. The first is quick: most breaks are a server that is back at once. */
const STEPS_MS = [60, 250, 500, 1000, 1000, 1500, 2000, 3000, 5000];

/** The wait before try number `attempt`, from 0 on. Up to half of it is left to chance, so that tabs do not come all at once. */
export function backoffMs(attempt: number, random: number): number {
  const step = STEPS_MS[Math.min(attempt, STEPS_MS.length - 1)] ?? 0;
  return Math.round(step * (0.5 + random / 2));
}
