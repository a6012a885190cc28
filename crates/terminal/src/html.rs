//! The screen as HTML.

use std::fmt::Write;

use crate::colors::Palette;
use crate::style::{Color, ColorKind, Flags, Style, Underline};
use crate::styled::{Span, StyledRow};

/// One `pre`; colours are inline, so the fragment needs no style sheet.
pub(crate) fn write(lines: &[StyledRow], palette: &Palette) -> String {
    let mut html = String::new();
    for line in lines {
        line.spans.iter().for_each(|span| write_span(&mut html, span, palette));
        html.push('\n');
    }
    // A browser drops a first empty line, so there is always one.
    format!("<pre class=\"abide\">\n{}\n</pre>\n", html.trim_end())
}

fn write_span(html: &mut String, span: &Span, palette: &Palette) {
    let style = css(&span.style, palette);
    // Only addresses of the web and of mail become links: what output chose may run nothing.
    let link = span
        .link
        .as_ref()
        .filter(|link| ["http://", "https://", "mailto:"].iter().any(|scheme| link.uri.starts_with(scheme)));
    if let Some(link) = link {
        let _ = write!(html, "<a rel=\"noopener noreferrer\" href=\"{}\">", escaped(&link.uri));
    }
    if style.is_empty() {
        html.push_str(&escaped(&span.text));
    } else {
        let _ = write!(html, "<span style=\"{style}\">{}</span>", escaped(&span.text));
    }
    if link.is_some() {
        html.push_str("</a>");
    }
}

fn css(style: &Style, palette: &Palette) -> String {
    let mut css = String::new();
    let inverse = style.flags.contains(Flags::INVERSE);
    let (mut text, mut back) = (color(style.foreground, palette), color(style.background, palette));
    if inverse {
        let own = |which: Option<String>, name: &str| which.unwrap_or_else(|| name.to_owned());
        (text, back) = (Some(own(back, "Canvas")), Some(own(text, "CanvasText")));
    }
    if style.flags.contains(Flags::INVISIBLE) {
        text = Some("transparent".to_owned());
    }
    for (property, value) in [("color", text), ("background", back)] {
        if let Some(value) = value {
            let _ = write!(css, "{property}:{value};");
        }
    }
    for (flag, rule) in [
        (Flags::BOLD, "font-weight:bold;"),
        (Flags::DIM, "opacity:.6;"),
        (Flags::ITALIC, "font-style:italic;"),
    ] {
        if style.flags.contains(flag) {
            css.push_str(rule);
        }
    }
    css.push_str(&decoration(style, palette));
    css
}

fn decoration(style: &Style, palette: &Palette) -> String {
    let mut lines = Vec::new();
    if style.underline != Underline::None {
        lines.push("underline");
    }
    if style.flags.contains(Flags::STRIKE) {
        lines.push("line-through");
    }
    if style.flags.contains(Flags::OVERLINE) {
        lines.push("overline");
    }
    if lines.is_empty() {
        return String::new();
    }
    let shape = match style.underline {
        Underline::None | Underline::Single => "",
        Underline::Double => " double",
        Underline::Curly => " wavy",
        Underline::Dotted => " dotted",
        Underline::Dashed => " dashed",
    };
    let color = color(style.underline_color, palette).map(|color| format!(" {color}")).unwrap_or_default();
    format!("text-decoration:{}{shape}{color};", lines.join(" "))
}

fn color(color: Color, palette: &Palette) -> Option<String> {
    let (r, g, b) = match color.kind() {
        ColorKind::Default => return None,
        ColorKind::Indexed(index) => palette.get(index),
        ColorKind::Rgb(r, g, b) => (r, g, b),
    };
    Some(format!("#{r:02x}{g:02x}{b:02x}"))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}
