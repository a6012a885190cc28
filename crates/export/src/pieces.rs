//! A row cut so that a page shows every character in its own columns, whichever font it comes from.

use terminal::{Span, width};

use crate::page_text::turns_text;

/// Text of one span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// How many columns it has to be held to. ASCII needs no holding: fonts for terminals have all of it.
    pub(crate) cols: Option<u16>,
}

/// The pieces of a span: runs of ASCII, runs of other characters one column wide, and wide characters, each alone.
pub(crate) fn pieces(span: &Span) -> Vec<Piece> {
    if span.text.is_ascii() {
        return vec![Piece { text: span.text.clone(), cols: None }];
    }
    let mut pieces: Vec<(Piece, usize)> = Vec::new();
    for c in span.text.chars().filter(|&c| !turns_text(c)) {
        let columns = if c.is_ascii() { 1 } else { usize::from(width(c)) };
        let goes_on = match pieces.last() {
            Some(_) if columns == 0 => true,
            Some((piece, _)) if c.is_ascii() => piece.cols.is_none(),
            Some((piece, held)) => piece.cols.is_some() && columns == 1 && *held == 1,
            None => false,
        };
        if !goes_on {
            let cols = (!c.is_ascii()).then_some(0);
            pieces.push((Piece { text: String::new(), cols }, columns));
        }
        if let Some((piece, _)) = pieces.last_mut() {
            piece.text.push(c);
            piece.cols = piece.cols.map(|cols| cols + columns as u16);
        }
    }
    let total: usize = pieces
        .iter()
        .map(|(piece, _)| {
            piece.cols.map_or_else(|| piece.text.chars().filter(char::is_ascii).count(), usize::from)
        })
        .sum();
    if total == usize::from(span.cols) {
        return pieces.into_iter().map(|(piece, _)| piece).collect();
    }
    // The terminal joined characters that each have a width of their own. What it made of them is held as a whole.
    let text = span.text.chars().filter(|&c| !turns_text(c)).collect();
    vec![Piece { text, cols: Some(span.cols) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, cols: u16) -> Vec<(String, Option<u16>)> {
        let span = Span { text: text.to_owned(), cols, ..Span::default() };
        pieces(&span).into_iter().map(|piece| (piece.text, piece.cols)).collect()
    }

    #[test]
    fn wide_characters_stand_alone_and_ascii_is_left_alone() {
        assert_eq!(cut("plain", 5), [("plain".into(), None)]);
        assert_eq!(
            cut("a\u{2500}\u{2500}b\u{65e5}\u{672c}", 8),
            [
                ("a".into(), None),
                ("\u{2500}\u{2500}".into(), Some(2)),
                ("b".into(), None),
                ("\u{65e5}".into(), Some(2)),
                ("\u{672c}".into(), Some(2)),
            ]
        );
    }

    #[test]
    fn marks_stay_with_their_character_and_joined_characters_with_each_other() {
        assert_eq!(cut("e\u{301}x", 2), [("e\u{301}x".into(), None)]);
        let family = "\u{1f468}\u{200d}\u{1f469}";
        assert_eq!(cut(family, 2), [(family.into(), Some(2))]);
    }
}
