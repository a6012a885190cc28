//! A command as a person sees it.

use model::{CommandPart, MOST_BLANKS, Unseen, as_seen};
use proptest::prelude::*;

use crate::as_seen_laws::check;

fn text(text: &str) -> CommandPart {
    CommandPart::Text { text: text.into() }
}

#[test]
fn s29_blanks_line_ends_and_foreign_letters_are_parts_of_their_own() {
    let parts = as_seen(" a  b c\t;\n\td größe |").unwrap();
    let letters =
        CommandPart::NotAscii { text: "öß".into(), codes: vec!["U+00F6".into(), "U+00DF".into()] };
    let expected = [
        CommandPart::Blanks { count: 1 },
        text("a"),
        CommandPart::Blanks { count: 2 },
        text("b c"),
        CommandPart::Tab,
        text(";"),
        CommandPart::Newline,
        CommandPart::Tab,
        text("d gr"),
        letters,
        text("e |"),
    ];
    assert_eq!(parts, expected);
    assert_eq!(as_seen("npm ci").unwrap(), [text("npm ci")]);
    assert_eq!(as_seen("").unwrap(), []);
}

#[test]
fn s29_long_runs_of_blanks_are_refused_with_their_place_and_count() {
    let most = " ".repeat(MOST_BLANKS);
    assert!(as_seen(&format!("npm ci{most}x")).is_ok());
    let hidden = format!("npm ci{}; touch PWNED", " ".repeat(400));
    assert_eq!(as_seen(&hidden), Err(Unseen::Blanks { at: 7, count: 400 }));
    let mixed = format!("a{}", "\n\t ".repeat(20));
    assert_eq!(as_seen(&mixed), Err(Unseen::Blanks { at: 2, count: 60 }));
    let words = as_seen(&hidden).unwrap_err().to_string();
    assert_eq!(words, "from its character 7 on it has 400 blanks in a row, and abide shows at most 32");
}

#[test]
fn s29_unseen_characters_and_look_alikes_are_refused_by_name_and_place() {
    for (c, name) in [
        ('\u{ad}', "soft hyphen"),
        ('\u{34f}', "combining grapheme joiner"),
        ('\u{115f}', "Hangul choseong filler"),
        ('\u{1160}', "Hangul jungseong filler"),
        ('\u{17b4}', "Khmer inherent vowel"),
        ('\u{2800}', "blank Braille pattern"),
        ('\u{3164}', "Hangul filler"),
        ('\u{ffa0}', "halfwidth Hangul filler"),
        ('\u{fe0f}', "variation selector"),
        ('\u{a0}', "no-break space"),
        ('\u{200b}', "zero width space"),
        ('\u{202e}', "direction embedding or override"),
        ('\u{e0041}', "tag"),
        ('\u{e0100}', "variation selector"),
        ('\u{feff}', "byte order mark"),
        ('\x1b', "escape"),
        ('\r', "carriage return"),
        ('\0', "null"),
    ] {
        let refused = as_seen(&format!("größe{c}x")).unwrap_err();
        let words = refused.to_string();
        let begun = format!("its character 6 is U+{:04X} ({name}), ", u32::from(c));
        assert!(words.starts_with(&begun), "{words}");
    }
    // No names, but refused: marks that attach, right-to-left letters, private, unassigned and abide's own marks.
    for c in
        ['\u{301}', '\u{5d0}', '\u{627}', '\u{e000}', '\u{378}', '\u{10ffff}', '␣', '↵', '⇥', '\u{1bca1}']
    {
        assert!(matches!(as_seen(&c.to_string()), Err(Unseen::Character { at: 1, .. })), "{c:?}");
    }
}

#[test]
fn s29_every_space_and_control_that_is_not_of_ascii_is_refused() {
    for c in ('\u{0}'..=char::MAX).filter(|c| !matches!(c, ' ' | '\t' | '\n')) {
        let is_refused = as_seen(&c.to_string()).is_err();
        assert!(is_refused || !(c.is_whitespace() || c.is_control()), "{c:?}");
        assert!(!is_refused || !c.is_ascii_graphic(), "{c:?}");
    }
}

#[test]
fn texts_in_many_languages_and_pictures_are_shown() {
    for command in [
        "echo größe",
        "echo 日本語、テスト。",
        "echo Привет, мир",
        "echo “done” – ✔ 🚀",
        "echo สวัสดี",
        "echo ½ € ×",
    ] {
        assert!(as_seen(command).is_ok(), "{command}: {:?}", as_seen(command));
        check(command);
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[ -~]{1,6}",
        4 => "[ \t\n]{1,40}",
        2 => "[äß日я🚀]{1,3}",
        1 => any::<String>(),
        1 => any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #[test]
    fn s29_the_parts_are_the_command_and_all_of_it_is_visible(pieces in proptest::collection::vec(piece(), 0..12)) {
        check(&pieces.concat());
    }
}
