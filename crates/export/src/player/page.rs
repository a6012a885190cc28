//! The page around the records.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD};
use base64::write::EncoderWriter;
use sha2::{Digest, Sha256};

use crate::page_text::{escaped, page_head};
use crate::palette::variables;
use crate::style_css::Scheme;
use crate::subject::Subject;
use crate::text::{shown_day, shown_time};

/// What runs in the page.
const SCRIPT: &str = include_str!("player.js");
/// How the page looks.
const STYLES: &str = include_str!("player.css");
/// What is in the page.
const BODY: &str = include_str!("player.html");

/// A page that is being written.
pub(super) struct Page<W> {
    out: W,
}

impl<W: Write> Page<W> {
    /// Writes everything before the records.
    pub(super) fn begin(mut out: W, subject: &Subject, begin_us: u64) -> io::Result<Page<W>> {
        let title = escaped(&subject.title);
        let about = subject.command.as_deref().unwrap_or(&subject.worker);
        let body = BODY
            .replace("{title}", &title)
            .replace("{about}", &escaped(about))
            .replace("{time}", &shown_time(begin_us))
            .replace("{day}", &shown_day(begin_us));
        let styles = format!("{}{STYLES}", variables(Scheme::Dark));
        out.write_all(page_head(&title, &policy(), &styles).as_bytes())?;
        write!(out, "{body}<script type=\"application/octet-stream\" id=\"records\">")?;
        Ok(Page { out })
    }

    /// Where the records go.
    pub(super) fn records(&mut self) -> EncoderWriter<'static, GeneralPurpose, &mut W> {
        EncoderWriter::new(&mut self.out, &STANDARD)
    }

    /// Writes everything behind the records.
    pub(super) fn end(mut self) -> io::Result<()> {
        write!(self.out, "</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")?;
        self.out.flush()
    }
}

/// Nothing is loaded from anywhere, and no script runs but the one that has this checksum.
fn policy() -> String {
    let sum = STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{sum}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_styles_are_small_and_stay_inside_their_elements() {
        assert!(SCRIPT.len() + STYLES.len() + BODY.len() < 40 << 10);
        assert!(SCRIPT.len() < 25 << 10);
        assert!(!SCRIPT.contains("</script") && !STYLES.contains("</style"));
    }
}
