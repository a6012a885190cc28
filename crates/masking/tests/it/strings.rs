//! Secrets in titles, links, command lines and clipboards.

use crate::common::{examples, masked, masks, rules, size};

fn key() -> String {
    examples()[0].text.clone()
}

#[test]
fn the_text_of_a_string_is_masked_in_place() {
    let (key, stars) = (key(), format!("***REDACTED***{}", "*".repeat(key().len() - 14)));
    for (begin, end) in [
        ("\x1b]0;title ", "\x07"),
        ("\x1b]2;", " more\x1b\\"),
        ("\x1b]8;id=1;https://example.org/?q=", "\x1b\\link\x1b]8;;\x1b\\"),
        ("\x1b]133;C;cmdline=run ", "\x1b\\"),
        ("\x1b]633;E;run\\x20 ", "\x07"),
        ("\x1bP+q ", "\x1b\\"),
        ("\x1b_app ", "\x1b\\"),
        ("\u{9d}0;", "\u{9c}"),
        ("\x1b]0;é ", " "),
    ] {
        let text = format!("a{begin}{key}{end}b");
        assert_eq!(masked(size(80, 24), &text), format!("a{begin}{stars}{end}b"));
        let whole = masks(&rules(), size(80, 24), [text.as_bytes()]);
        assert_eq!(masks(&rules(), size(80, 24), text.as_bytes().chunks(1)), whole, "{text}");
    }
}

#[test]
fn a_clipboard_that_holds_a_secret_is_masked_wholly() {
    // token=q7Zt2XbK9mR4vLd8 and just text
    assert_eq!(
        masked(size(80, 24), "\x1b]52;c;dG9rZW49cTdadDJYYks5bVI0dkxkOA==\x07"),
        format!("\x1b]52;c;***REDACTED***{}\x07", "*".repeat(18)),
    );
    let harmless = "\x1b]52;c;anVzdCB0ZXh0\x07";
    assert_eq!(masked(size(80, 24), harmless), harmless);
}

#[test]
fn pictures_are_left_alone() {
    for (begin, end) in
        [("\x1b_Gf=100;", "\x1b\\"), ("\x1bP0;1q", "\x1b\\"), ("\x1b]1337;File=inline=1:", "\x07")]
    {
        let text = format!("{begin}{} {end}", key());
        assert_eq!(masked(size(80, 24), &text), text);
    }
}
