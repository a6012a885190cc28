import { MediaQuery } from "svelte/reactivity";
import { settings } from "../shell/settings.svelte";

const prefersDark = new MediaQuery("(prefers-color-scheme: dark)");

/** The theme in force, for drawing without CSS. */
export const screenTheme = {
  get current(): "light" | "dark" {
    if (settings.theme !== "system") return settings.theme;
    return prefersDark.current ? "dark" : "light";
  },
};
