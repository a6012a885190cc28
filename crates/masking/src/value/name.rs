//! The name that something is assigned to, and how.

use std::sync::LazyLock;

use super::words::{ABOUT, is_in, last_part};
use crate::columns::{BLANK, BORDER, columns_of};

/// What a password is called, besides the words that begin with a `p`.
#[rustfmt::skip]
const PASSWORDS: &[&str] = &[
    "identified", "by password", "kennwort", "mot de passe", "mot_de_passe", "motdepasse", "contraseña", "contrasena", "senha",
    "wachtwoord", "lösenord", "losenord", "adgangskode", "salasana", "hasło", "haslo", "heslo", "bindpw", "rootpw",
];

/// The same, in column bytes.
static PASSWORD_COLUMNS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| PASSWORDS.iter().map(|word| columns_of(word)).collect());

/// How a value is assigned to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// `name=value`, as settings are written, seldom source code.
    Equals,
    /// `name = value`, `name: value`, `name => value`.
    Loose,
    /// `--name value`.
    Flag,
    /// `<name>value</name>`.
    Element,
    /// `| name | value |` and `name    value`.
    Column,
}

/// A name that looks like a secret's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'l> {
    /// The column in which the whole name begins.
    pub(super) start: usize,
    /// From the secret-looking word to the value.
    text: &'l [u8],
    pub(super) way: Way,
    /// `UPPER_CASE`, as variables of an environment are.
    pub(super) is_upper: bool,
}

impl<'l> Name<'l> {
    /// Of the name in which a secret-looking word stands at `word_at`, and whose value begins at `at`. None if nothing is
    /// assigned to it, or nothing that could be secret.
    pub(super) fn read(line: &'l [u8], word_at: usize, at: usize) -> Option<Name<'l>> {
        let text = line.get(word_at..at)?;
        let before = line[..word_at].iter().rev().take_while(|byte| is_name(byte)).count();
        let whole = &line[word_at - before..word_at + len(text)];
        let name = Name {
            start: word_at - before,
            text,
            way: way(line, word_at, text)?,
            is_upper: !whole.iter().any(u8::is_ascii_lowercase),
        };
        (!name.is_about()).then_some(name)
    }

    /// Of a name that stands apart from its value, as in attributes.
    pub(super) fn alone(line: &'l [u8], word_at: usize) -> Option<Name<'l>> {
        let len = len(&line[word_at..]);
        let name =
            Name { start: word_at, text: &line[word_at..word_at + len], way: Way::Loose, is_upper: false };
        (!name.is_about()).then_some(name)
    }

    /// Whether a person thought of the value, so that it may be a word or a number.
    pub(super) fn is_password(&self) -> bool {
        let by_word =
            matches!(self.text[0], b'p' | b'P' | b'_' | 0x80..) && !starts_with(self.text, b"private");
        by_word || PASSWORD_COLUMNS.iter().any(|word| starts_with(self.text, word))
    }

    /// Whether it is the word that tests report with as well.
    pub(super) fn is_pass(&self) -> bool {
        len(self.text) == 4 && starts_with(self.text, b"pass")
    }

    pub(super) fn is_by_colon(&self) -> bool {
        self.text.iter().rev().find(|byte| **byte != BLANK) == Some(&b':')
    }

    /// Whether blanks set the value apart like a column.
    pub(super) fn is_set_apart(&self) -> bool {
        self.text.ends_with(&[BLANK, BLANK])
    }

    /// Its last part, as in `api_key`.
    pub(super) fn last_part(&self) -> &'l [u8] {
        last_part(&self.text[..len(self.text)])
    }

    /// Whether it goes on after the secret-looking word with what makes it one about secrets.
    fn is_about(&self) -> bool {
        let name = &self.text[..len(self.text)];
        let last = last_part(name);
        let plural = starts_with(name, b"tokens") && (name.len() == 6 || !name[6].is_ascii_alphanumeric());
        last.len() < name.len() && is_in(ABOUT, last)
            || plural
            || starts_with(name, b"tokeniz")
            || starts_with(name, b"secretar")
    }
}

/// Whether a gap or a border stands between name and value, and the name is no option.
fn is_column(line: &[u8], word_at: usize, text: &[u8]) -> bool {
    let between = &text[len(text)..];
    let gap = between.windows(2).any(|pair| pair == [BLANK, BLANK]);
    let border = between.iter().any(|byte| matches!(*byte, b'|' | BORDER));
    let is_plain = between.iter().all(|byte| matches!(*byte, BLANK | BORDER | b'|' | b'`'));
    let before = line[..word_at].iter().rev().take_while(|byte| is_name(byte)).count();
    is_plain && (gap || border) && line.get(word_at - before) != Some(&b'-')
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(byte)
}

/// How long the name is that a text begins with.
fn len(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_name(byte)).count()
}

fn starts_with(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

fn way(line: &[u8], word_at: usize, text: &[u8]) -> Option<Way> {
    let is_tight = !text[len(text)..].contains(&BLANK);
    let sign = text.trim_ascii_end();
    match sign {
        [.., b'=', b'>'] => Some(Way::Loose),
        [.., b'>'] => {
            let before = line[..word_at].iter().rposition(|byte| !is_name(byte) && !b":.".contains(byte))?;
            (line[before] == b'<' && is_tight).then_some(Way::Element)
        }
        [.., b':', b'='] => Some(Way::Loose),
        [.., b'='] | [.., b'%', b'3', b'd' | b'D'] if is_tight => Some(Way::Equals),
        [.., b'=' | b':'] | [.., b'%', b'3', _] => Some(Way::Loose),
        _ if is_column(line, word_at, text) => Some(Way::Column),
        _ => Some(Way::Flag),
    }
}
