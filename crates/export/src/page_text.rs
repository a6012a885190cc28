//! What all pages begin with, and foreign text on them.

/// Everything before a page's body: a title that is escaped, what the page may do, and how it looks.
pub(crate) fn page_head(title: &str, policy: &str, styles: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"abide\">\n\
         <title>{title}</title>\n<style>\n{styles}</style>\n</head>\n<body>\n"
    )
}

/// Text that means nothing but itself in a page, between tags and in quotes.
///
/// Marks that change the direction of writing are left out: they take no column in a terminal, and would let a program
/// show a line other than it is.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().filter(|&c| !turns_text(c)) {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Whether a character changes the direction of the text around it.
pub(crate) fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_markup() {
        assert_eq!(
            escaped("</script>\"><img onerror='x'>&"),
            "&lt;/script&gt;&quot;&gt;&lt;img onerror=&#39;x&#39;&gt;&amp;"
        );
        assert_eq!(escaped("a\u{202e}b\u{2066}c\u{200d}d"), "abc\u{200d}d");
    }
}
