let now = $state(Date.now());

function tick(): void {
  if (!document.hidden) now = Date.now();
}

setInterval(tick, 1_000);
document.addEventListener("visibilitychange", tick);

/** The time, by the second, for what shows how old something is. Stands still while no view uses it. */
export const clock = {
  get now(): number {
    return now;
  },
};
