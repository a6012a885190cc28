//! The colours of all pages and pictures.

use std::fmt::Write;

use crate::style_css::Scheme;

/// A colour by its red, green and blue parts.
pub(crate) type Rgb = (u8, u8, u8);

/// Colours for one kind of background.
#[derive(Debug)]
pub(crate) struct Palette {
    /// The terminal's own text.
    pub(crate) foreground: Rgb,
    /// The terminal's own background.
    pub(crate) background: Rgb,
    /// The sixteen named colours, as text.
    pub(crate) text: [Rgb; 16],
    /// The sixteen named colours, behind text.
    pub(crate) behind: [Rgb; 16],
}

/// Light text on dark, for which programs choose their colours.
pub(crate) const DARK: Palette = Palette {
    foreground: rgb(0xd7dce4),
    background: rgb(0x12151b),
    text: named([
        0x3a414d, 0xf0716b, 0x73c779, 0xdfb15b, 0x6fa8f7, 0xc695ee, 0x5cc9cf, 0xc6ccd6, 0x747d8b, 0xff958e,
        0x97e09b, 0xf3cd7d, 0x98c4ff, 0xdcb6ff, 0x8ae4e8, 0xf5f7fa,
    ]),
    behind: named([
        0x20252e, 0xb3403c, 0x2f7d3b, 0x94701f, 0x2b62b8, 0x8148ad, 0x1f7c84, 0xb9c0cb, 0x4d5562, 0xe0645d,
        0x57b560, 0xd3a443, 0x5793ec, 0xb57de3, 0x45b6bd, 0xeceff4,
    ]),
};

/// Dark text on light.
pub(crate) const LIGHT: Palette = Palette {
    foreground: rgb(0x22272e),
    background: rgb(0xffffff),
    text: named([
        0xf4f5f7, 0xb8312f, 0x1d7434, 0x8a5a00, 0x1d5fc4, 0x8a3fbf, 0x0c7580, 0x4a525d, 0x77808c, 0xd0342c,
        0x2a8a3e, 0x9c6b08, 0x2f6fed, 0xa352d8, 0x118592, 0x14181d,
    ]),
    behind: named([
        0xe9ebee, 0xf6c6c3, 0x2f7d3b, 0x8f6a1c, 0xc5dafb, 0xe5cdf6, 0x1f7c84, 0x5b6470, 0xc3c9d1, 0xf2aaa5,
        0x3f9a49, 0xa67a20, 0xa9c8fa, 0xd6b0f2, 0x2b929a, 0x2b3038,
    ]),
};

/// The sixteen named colours, by their numbers.
const fn named(numbers: [u32; 16]) -> [Rgb; 16] {
    let mut colors = [(0, 0, 0); 16];
    let mut index = 0;
    while index < 16 {
        colors[index] = rgb(numbers[index]);
        index += 1;
    }
    colors
}

/// A colour by its number, as in `#rrggbb`.
pub(crate) const fn rgb(number: u32) -> Rgb {
    let [_, r, g, b] = number.to_be_bytes();
    (r, g, b)
}

/// The palette as variables of a style sheet: `--fg`, `--bg`, `--c1` for text, `--k1` behind it.
pub(crate) fn variables(scheme: Scheme) -> String {
    let value = |light: Rgb, dark: Rgb| match scheme {
        Scheme::Dark => hex(dark),
        Scheme::Both => format!("light-dark({},{})", hex(light), hex(dark)),
    };
    let mut css = format!(
        ":root{{--fg:{};--bg:{};",
        value(LIGHT.foreground, DARK.foreground),
        value(LIGHT.background, DARK.background)
    );
    for index in 0..16 {
        let text = value(LIGHT.text[index], DARK.text[index]);
        let behind = value(LIGHT.behind[index], DARK.behind[index]);
        let _ = write!(css, "--c{index}:{text};--k{index}:{behind};");
    }
    css.push_str("}\n");
    css
}

/// A colour in the words of a style sheet.
pub(crate) fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
