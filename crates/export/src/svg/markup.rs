//! Measures, and foreign text, in a picture.

use crate::page_text::escaped;

/// A cell has whole pixels, so that columns need few digits and lines are sharp.
pub(super) const CELL_WIDTH: i64 = 9;
/// The height of a row.
pub(super) const CELL_HEIGHT: i64 = 18;
/// Fonts for terminals are six tenths as wide as they are high.
pub(super) const FONT_SIZE: i64 = 15;
/// Where letters stand in their row.
pub(super) const BASELINE: i64 = 14;

/// Text that means nothing but itself in XML. Control characters, of which XML forbids most, are left out.
pub(super) fn xml(text: &str) -> String {
    let is_allowed = |c: &char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    escaped(&text.chars().filter(is_allowed).collect::<String>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markup_and_controls_are_escaped_or_dropped() {
        assert_eq!(
            xml("<a href='x'>\"&\u{0}\u{1b}\u{9b}\u{7f}\u{ffff}\u{202e}"),
            "&lt;a href=&#39;x&#39;&gt;&quot;&amp;"
        );
        assert_eq!(
            xml("\u{65e5} e\u{301} \u{1f468}\u{200d}\u{1f469}"),
            "\u{65e5} e\u{301} \u{1f468}\u{200d}\u{1f469}"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_valid_in_xml_and_comes_back(text in any::<String>()) {
            let written = xml(&text);
            prop_assert!(written.chars().all(|c| !c.is_control() && !matches!(c, '<' | '>' | '"' | '\'')));
            let read = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
                .iter()
                .fold(written, |read, (written, meant)| read.replace(written, meant));
            let kept = |c: &char| !c.is_control() && !crate::page_text::turns_text(*c) && !matches!(c, '\u{fffe}' | '\u{ffff}');
            prop_assert_eq!(read, text.chars().filter(kept).collect::<String>());
        }
    }
}
