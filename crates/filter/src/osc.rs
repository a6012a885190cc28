//! Operating-system commands: `OSC number ; text ST`.

use crate::verdict::Verdict;

/// What ends the link that is open, if one is.
const CLOSE_LINK: &[u8] = b"\x1b]8;;\x1b\\";

/// The schemes of links that pass.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Judges the text between introducer and terminator.
pub(crate) fn judge(body: &[u8]) -> Verdict {
    let Some((number, text)) = read(body) else { return Verdict::Drop };
    match number {
        // Titles, working directory, prompt marks, colours back to what they were.
        0..=2 | 7 | 133 | 104 | 105 | 110..=119 => Verdict::Pass,
        // Colours and the pointer's shape, unless they are asked for.
        4 | 5 | 10..=19 | 22 => Verdict::pass_if(!text.contains('?')),
        8 => link(text),
        9 => Verdict::pass_if(is_text_or_progress(text)),
        99 => Verdict::pass_if(only_notifies(text)),
        777 => Verdict::pass_if(text.starts_with("notify;")),
        7501 => Verdict::pass_if(!text.contains('?')),
        // The clipboard (52, 5522), pictures and files (1337), fonts (50), questions (60), text that the model does
        // not draw (66), and all sequences that we do not know.
        _ => Verdict::Drop,
    }
}

fn read(body: &[u8]) -> Option<(u32, &str)> {
    let body = std::str::from_utf8(body).ok()?;
    let (number, text) = body.split_once(';').unwrap_or((body, ""));
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| digits)?, text))
}

/// A link to elsewhere must not pass, nor may the one before it go on.
fn link(text: &str) -> Verdict {
    match text.split_once(';') {
        None => Verdict::Drop,
        Some((_, "")) => Verdict::Pass,
        Some((_, target)) if has_known_scheme(target) => Verdict::Pass,
        Some(_) => Verdict::Replace(CLOSE_LINK.to_vec()),
    }
}

fn has_known_scheme(target: &str) -> bool {
    let Some((scheme, _)) = target.split_once(':') else { return false };
    SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// Whether an OSC 9 is a notification, progress (4) or a working directory (9). Under its other numbers ConEmu sleeps,
/// waits for a key, and runs programs.
fn is_text_or_progress(text: &str) -> bool {
    let first = text.split(';').next().unwrap_or_default();
    matches!(first, "4" | "9") || !first.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a kitty notification has only keys that draw no answer, now or when a person clicks on it.
fn only_notifies(text: &str) -> bool {
    let Some((metadata, _)) = text.split_once(';') else { return false };
    metadata.split(':').filter(|field| !field.is_empty()).all(|field| match field.split_once('=') {
        Some(("p", part)) => matches!(part, "title" | "body" | "icon"),
        Some((key, _)) => matches!(key, "d" | "e" | "f" | "g" | "i" | "n" | "o" | "s" | "t" | "u" | "w"),
        None => false,
    })
}
