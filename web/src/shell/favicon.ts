const BADGE = "#d97706";

/** The page's icon, with how much waits for the person when anything does. */
export function iconFor(asking: number): string {
  if (asking === 0) return "/icon.svg";
  const count = asking > 9 ? "9+" : String(asking);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="15" fill="#0f766e"/><path d="m13 15 11 11-11 11" fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/><circle cx="42" cy="42" r="22" fill="${BADGE}"/><text x="42" y="53" font-family="system-ui,sans-serif" font-size="${count.length > 1 ? 26 : 32}" font-weight="700" text-anchor="middle" fill="#fff">${count}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** The page's title: how much waits, then where one is. */
export function titleFor(asking: number, place: string | undefined): string {
  const name = place ? `${place} · abide` : "abide";
  return asking > 0 ? `(${asking}) ${name}` : name;
}

export function showIcon(asking: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const wanted = iconFor(asking);
  if (link && link.getAttribute("href") !== wanted) link.href = wanted;
}
