/** The terminal's colours. Backgrounds are the page's own, so that a terminal is part of it and not a hole in it. */

import type { ITheme } from "@xterm/xterm";

export type ThemeName = "light" | "dark";

const DARK: ITheme = {
  background: "#0a0c0e",
  foreground: "#dfe3e6",
  cursor: "#2dd4bf",
  cursorAccent: "#0a0c0e",
  selectionBackground: "#2b5c68",
  selectionInactiveBackground: "#3a4a52",
  black: "#1c2126",
  red: "#f27878",
  green: "#7ccf88",
  yellow: "#dfbb5c",
  blue: "#79b1f2",
  magenta: "#cb9bf0",
  cyan: "#5fd0d6",
  white: "#c9d0d6",
  brightBlack: "#7f8a94",
  brightRed: "#ff9c97",
  brightGreen: "#a3e4a9",
  brightYellow: "#f2d584",
  brightBlue: "#a5ccfb",
  brightMagenta: "#dfbdfa",
  brightCyan: "#93e6ea",
  brightWhite: "#ffffff",
};

const LIGHT: ITheme = {
  background: "#ffffff",
  foreground: "#1c2126",
  cursor: "#0f766e",
  cursorAccent: "#ffffff",
  selectionBackground: "#b3dcd8",
  selectionInactiveBackground: "#cfd9df",
  black: "#1c2126",
  red: "#b91f1f",
  green: "#15712f",
  yellow: "#805300",
  blue: "#1a5fb4",
  magenta: "#8b32b5",
  cyan: "#0a6f7a",
  white: "#5c6670",
  brightBlack: "#69737d",
  brightRed: "#d02f2f",
  brightGreen: "#1c823a",
  brightYellow: "#956300",
  brightBlue: "#2a72cc",
  brightMagenta: "#a044cb",
  brightCyan: "#0d828f",
  brightWhite: "#2d343b",
};

export function terminalTheme(name: ThemeName): ITheme {
  const scrollbar = name === "dark" ? "152, 163, 173" : "87, 97, 106";
  return {
    ...(name === "dark" ? DARK : LIGHT),
    overviewRulerBorder: (name === "dark" ? DARK : LIGHT).background ?? "",
    scrollbarSliderBackground: `rgba(${scrollbar}, 0.22)`,
    scrollbarSliderHoverBackground: `rgba(${scrollbar}, 0.4)`,
    scrollbarSliderActiveBackground: `rgba(${scrollbar}, 0.55)`,
  };
}

/** How matches of a search are marked. */
export function matchColors(name: ThemeName): { match: string; active: string } {
  return name === "dark" ? { match: "#4a3a12", active: "#8a6412" } : { match: "#ffe9b8", active: "#ffc24d" };
}
