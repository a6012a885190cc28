//! Which characters a person sees, in every font and in their place.

/// What a person sees of a character.
pub(crate) enum Sight {
    /// A visible ASCII character.
    Ascii,
    /// A visible character that is not ASCII.
    NotAscii,
    /// Nothing, or something else than it is.
    Refused {
        /// Its name, if it is a known one.
        name: Option<&'static str>,
        /// A clause that goes on the sentence about it.
        why: &'static str,
    },
}

const UNSEEN: &str = "which a person cannot see";
const BLANK: &str = "which looks like a blank and is none";
const CONTROL: &str = "a control character";
const TURNS: &str = "which changes the direction of writing";
const RIGHT_TO_LEFT: &str =
    "which is written from right to left and shows the characters beside it in another order";
const A_MARK: &str = "with which abide marks blanks, tabs and line ends";
const ATTACHED: &str = "which changes the character before it";
const UNKNOWN: &str = "which abide does not know to be visible in every font";

/// What a person sees of a character. What is in none of the lists of visible characters is refused, so a character that
/// a later Unicode adds is too.
pub(crate) fn sight(c: char) -> Sight {
    if let Some((name, why)) = known_trick(c) {
        return Sight::Refused { name: Some(name), why };
    }
    let refused = |why| Sight::Refused { name: None, why };
    match c {
        '!'..='~' => Sight::Ascii,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => refused(CONTROL),
        '\u{2e5}'..='\u{2ff}'
        | '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}' => refused(ATTACHED),
        '\u{590}'..='\u{8ff}'
        | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefe}'
        | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}' => refused(RIGHT_TO_LEFT),
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => refused(UNKNOWN),
        _ if c.is_alphanumeric() || is_visible_symbol(c) => Sight::NotAscii,
        _ => refused(UNKNOWN),
    }
}

/// Characters that hide something, with their names.
fn known_trick(c: char) -> Option<(&'static str, &'static str)> {
    Some(match c {
        '\0' => ("null", CONTROL),
        '\x07' => ("bell", CONTROL),
        '\x08' => ("backspace", CONTROL),
        '\x0b' => ("vertical tab", CONTROL),
        '\x0c' => ("form feed", CONTROL),
        '\r' => ("carriage return", CONTROL),
        '\x1b' => ("escape", CONTROL),
        '\x7f' => ("delete", CONTROL),
        '\u{85}' => ("next line", CONTROL),
        '\u{a0}' => ("no-break space", BLANK),
        '\u{ad}' => ("soft hyphen", UNSEEN),
        '\u{34f}' => ("combining grapheme joiner", UNSEEN),
        '\u{61c}' => ("Arabic letter mark", TURNS),
        '\u{115f}' => ("Hangul choseong filler", BLANK),
        '\u{1160}' => ("Hangul jungseong filler", BLANK),
        '\u{1680}' => ("Ogham space mark", BLANK),
        '\u{17b4}' | '\u{17b5}' => ("Khmer inherent vowel", UNSEEN),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => ("Mongolian variation selector", UNSEEN),
        '\u{180e}' => ("Mongolian vowel separator", UNSEEN),
        '\u{2000}'..='\u{200a}' => ("a space of another width", BLANK),
        '\u{200b}' => ("zero width space", UNSEEN),
        '\u{200c}' => ("zero width non-joiner", UNSEEN),
        '\u{200d}' => ("zero width joiner", UNSEEN),
        '\u{200e}' => ("left-to-right mark", TURNS),
        '\u{200f}' => ("right-to-left mark", TURNS),
        '\u{2028}' => ("line separator", UNSEEN),
        '\u{2029}' => ("paragraph separator", UNSEEN),
        '\u{202a}'..='\u{202e}' => ("direction embedding or override", TURNS),
        '\u{2066}'..='\u{2069}' => ("direction isolate", TURNS),
        '\u{202f}' => ("narrow no-break space", BLANK),
        '\u{205f}' => ("medium mathematical space", BLANK),
        '\u{2060}' => ("word joiner", UNSEEN),
        '\u{2061}'..='\u{2065}' | '\u{206a}'..='\u{206f}' => {
            ("invisible operator or format character", UNSEEN)
        }
        '\u{21b5}' | '\u{21e5}' | '\u{2423}' => ("mark", A_MARK),
        '\u{2400}'..='\u{2422}' | '\u{2424}'..='\u{2426}' => {
            ("control picture", "which stands for a control character")
        }
        '\u{2800}' => ("blank Braille pattern", BLANK),
        '\u{3000}' => ("ideographic space", BLANK),
        '\u{3164}' => ("Hangul filler", BLANK),
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => ("variation selector", UNSEEN),
        '\u{feff}' => ("byte order mark", UNSEEN),
        '\u{ffa0}' => ("halfwidth Hangul filler", BLANK),
        '\u{fff0}'..='\u{fffb}' => ("format character", UNSEEN),
        '\u{fffc}' => ("object replacement character", UNSEEN),
        '\u{fffd}' => ("replacement character", "which stands for a character that is not known"),
        '\u{16fe4}' => ("Khitan filler", UNSEEN),
        '\u{1bca0}'..='\u{1bca3}' => ("shorthand format character", UNSEEN),
        '\u{1d159}' => ("musical null notehead", BLANK),
        '\u{1d173}'..='\u{1d17a}' => ("musical format character", UNSEEN),
        '\u{e0000}'..='\u{e007f}' => ("tag", UNSEEN),
        _ => return None,
    })
}

/// Punctuation, signs and pictures. Letters and digits need no list.
fn is_visible_symbol(c: char) -> bool {
    matches!(c,
        '\u{a1}'..='\u{bf}' | '\u{d7}' | '\u{f7}'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{20a0}'..='\u{20c0}'
        | '\u{2100}'..='\u{23ff}' | '\u{2440}'..='\u{27ff}' | '\u{2801}'..='\u{2bff}'
        | '\u{3001}'..='\u{3029}' | '\u{3030}'..='\u{303d}' | '\u{30a0}' | '\u{30fb}'
        | '\u{ff01}'..='\u{ff65}' | '\u{ffe0}'..='\u{ffee}' | '\u{1f300}'..='\u{1faff}')
}
