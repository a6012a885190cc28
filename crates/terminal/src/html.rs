//! The screen as HTML.

use std::fmt::Write;

use crate::colors::Palette;
use crate::css::{CssColors, CssPlace, css};
use crate::style::{Color, ColorKind};
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

impl CssColors for Palette {
    fn own(&self, place: CssPlace) -> String {
        match place {
            CssPlace::Text => "CanvasText".to_owned(),
            CssPlace::Behind => "Canvas".to_owned(),
        }
    }

    fn color(&self, color: Color, _: CssPlace) -> Option<String> {
        let (r, g, b) = match color.kind() {
            ColorKind::Default => return None,
            ColorKind::Indexed(index) => self.get(index),
            ColorKind::Rgb(r, g, b) => (r, g, b),
        };
        Some(format!("#{r:02x}{g:02x}{b:02x}"))
    }
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
