import type { Settings } from "./settings.svelte";

/** The page's own background, for the parts of the browser around it. */
const AROUND = { light: "#f6f7f9", dark: "#0f1215" };

/** Shows the page in a theme. Without a choice, the system's. */
export function showTheme(theme: Settings["theme"]): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.media.includes("dark") ? "dark" : "light";
    meta.content = AROUND[theme === "system" ? own : theme];
  }
}
