import type { Terminal } from "@xterm/xterm";

interface Color {
  readonly css: string;
  readonly rgba: number;
}

interface Cache {
  setColor(background: number, foreground: number, color: Color): void;
}

interface Inside {
  readonly _core?: {
    readonly _themeService?: {
      readonly colors: {
        readonly background: Color;
        readonly foreground: Color;
        readonly contrastCache: Cache;
        readonly halfContrastCache: Cache;
      };
    };
  };
}

/**
 * Keeps inverse text legible where xterm draws without a graphics card and a contrast is asked for.
 *
 * There xterm takes the usual text colour for that of inverse text, finds it on a background of the same colour, and makes
 * it grey. It remembers such results, so we put the right one there: the usual background colour. A new theme or
 * contrast makes it forget them. (xterm 6.0.0)
 */
export function mendInverse(terminal: Terminal): void {
  const colors = (terminal as unknown as Inside)._core?._themeService?.colors;
  if (!colors) return;
  const { background, foreground } = colors;
  for (const cache of [colors.contrastCache, colors.halfContrastCache])
    cache.setColor(foreground.rgba, foreground.rgba, background);
}
