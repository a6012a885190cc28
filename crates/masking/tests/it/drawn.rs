//! However a program draws a secret, exactly the secret is masked.

use masking::Masker;

use crate::common::{Example, Stream, examples, masked, masks, rules, size};

/// Wide enough that no example wraps.
const WIDE: (u16, u16) = (500, 24);

fn wide() -> model::TermSize {
    size(WIDE.0, WIDE.1)
}

/// Every character of an example with something between each two, which depends on how many columns stand before it.
fn between(example: &Example, mut put: impl FnMut(&mut Stream, usize)) -> Stream {
    let mut stream = Stream::new();
    for character in example.characters() {
        stream.part(example, character.bytes);
        put(&mut stream, character.columns.end);
    }
    stream
}

#[test]
fn any_split_gives_the_same_masks() {
    for example in examples() {
        let mut stream = Stream::new();
        stream.plain("é密 \x1b[1m").example(&example).plain("\x1b[0m\r\n");
        stream.check(wide(), &example.rule);
        let whole = masks(&rules(), wide(), [&stream.bytes[..]]);
        for at in 0..stream.bytes.len() {
            let (one, other) = stream.bytes.split_at(at);
            assert_eq!(masks(&rules(), wide(), [one, other]), whole, "{} split at {at}", example.rule);
        }
        assert_eq!(masks(&rules(), wide(), stream.bytes.chunks(1)), whole, "{} byte by byte", example.rule);
    }
}

#[test]
fn colours_between_all_characters_do_not_matter() {
    for example in examples() {
        between(&example, |stream, col| {
            stream.plain(["\x1b[31m", "\x1b[0;38;2;1;2;3m", "\x1b[m", "\x1b[?25l"][col % 4]);
        })
        .check(wide(), &example.rule);
    }
}

#[test]
fn moves_away_and_back_between_all_characters_do_not_matter() {
    for example in examples() {
        between(&example, |stream, col| match col % 3 {
            0 => drop(stream.plain("\x1b7\x1b[9;3Hspinner\x1b8")),
            1 => drop(stream.plain(format!("\x1b[H\x1b[{}G", col + 1))),
            _ => drop(stream.plain("\x1b[D\x1b[C\x1b[B\x1b[A")),
        })
        .check_hidden(wide(), &example.rule);
    }
}

#[test]
fn cells_that_a_renderer_skips_are_masked_where_they_were_drawn() {
    for example in examples() {
        for step in [2, 3, 5] {
            let mut stream = Stream::new();
            for (at, character) in example.characters().into_iter().enumerate() {
                if at % step == 0 {
                    stream.part(&example, character.bytes);
                } else {
                    stream.plain("#".repeat(character.columns.len()));
                }
            }
            stream.plain("\x1b[5;1Hother");
            for (_, character) in
                example.characters().into_iter().enumerate().filter(|(at, _)| at % step != 0)
            {
                stream
                    .plain(format!("\x1b[1;{}H", character.columns.start + 1))
                    .part(&example, character.bytes);
            }
            stream.check_hidden(wide(), &format!("{} step {step}", example.rule));
        }
    }
}

#[test]
fn a_secret_drawn_backwards_is_masked() {
    for example in examples() {
        let mut stream = Stream::new();
        for character in example.characters().into_iter().rev() {
            stream.plain(format!("\x1b[3;{}H", character.columns.start + 4)).part(&example, character.bytes);
        }
        stream.check_hidden(wide(), &example.rule);
    }
}

#[test]
fn a_secret_is_masked_before_it_is_lost() {
    let ends: [(&str, String); 12] = [
        ("erased line", "\x1b[2K".into()),
        ("erased to the left", "\x1b[1K".into()),
        ("erased screen", "\x1b[2J".into()),
        ("erased characters", "\x1b[G\x1b[400X".into()),
        ("deleted characters", "\x1b[5G\x1b[7P".into()),
        ("inserted characters", "\x1b[5G\x1b[480@".into()),
        ("overwritten", format!("\r{}", "overwritten ".repeat(20))),
        ("scrolled", "\r\n".repeat(30)),
        ("deleted line", "\x1b[M".into()),
        ("scrolled down", "\x1b[40T".into()),
        ("another screen", "\x1b[?1049h\x1b[2Jx\x1b[?1049l\r\x1b[K".into()),
        ("reset", "\x1bc".into()),
    ];
    for example in examples() {
        for (what, end) in &ends {
            let mut stream = Stream::new();
            stream.plain("\r\n\r\n").example(&example).plain(end);
            stream.check(wide(), &format!("{} {what}", example.rule));
        }
    }
}

#[test]
fn inserted_lines_and_regions_do_not_hide_a_secret() {
    for example in examples() {
        let mut stream = Stream::new();
        stream
            .plain("\x1b[5;10r\x1b[10;1H")
            .example(&example)
            .plain("\n\n\n\x1b[5H\x1b[2L\x1b[8Hxx\x1bM\x1b[r\x1b[20H");
        stream.check(wide(), &example.rule);
    }
}

#[test]
fn wide_and_joined_characters_keep_their_columns() {
    let masked = masked(size(80, 24), "密码 password=\"密h\u{301}unter2é\" x");
    assert_eq!(masked, "密码 password=\"＊*\u{34f}******\0*\" x");
}

#[test]
fn a_wide_character_that_had_to_wrap_is_masked_by_one_that_has_to() {
    let masked = masked(size(16, 24), "password=\"a1b2c密d\"");
    assert_eq!(masked, "password=\"*****＊*\"");
}

#[test]
fn a_repeated_character_is_masked_where_it_was_printed() {
    assert_eq!(masked(size(80, 24), "password=aB3\x1b[20b xyz"), "password=***\x1b[20b xyz");
}

#[test]
fn the_masker_holds_an_unfinished_secret_back_from_its_first_byte() {
    for example in examples() {
        let mut stream = Stream::new();
        stream.plain("some words before\r\n$ ").example(&example);
        let first = stream.secret.iter().position(|&secret| secret).expect("an example has a secret") as u64;
        let mut masker = Masker::new(rules(), wide());
        let (mut handed_on, mut covered) = (0, vec![false; stream.bytes.len()]);
        for (at, byte) in stream.bytes.iter().enumerate() {
            masker.feed(&[*byte]);
            masker.look();
            for mask in masker.take_masks() {
                assert!(
                    mask.at >= handed_on,
                    "{}: {} was handed on before it was masked",
                    example.rule,
                    mask.at
                );
                covered[mask.at as usize..][..usize::from(mask.len)].fill(true);
            }
            handed_on = handed_on.max(masker.unsettled_from());
            assert!(handed_on <= at as u64 + 1);
            assert!(handed_on <= first || at as u64 >= first, "{}", example.rule);
        }
        let left = stream.secret.iter().zip(&covered).any(|(secret, covered)| *secret && !covered);
        assert!(!left, "{}", example.rule);
        masker.feed(b"\r\n$ ");
        assert_eq!(masker.unsettled_from(), masker.position(), "{}", example.rule);
    }
}

#[test]
fn a_secret_put_together_in_insert_mode_is_masked() {
    for example in examples() {
        let mut stream = Stream::new();
        stream.plain("\x1b[4h");
        for character in example.characters().into_iter().rev() {
            stream.plain("\r").part(&example, character.bytes);
        }
        stream.check_hidden(wide(), &example.rule);
    }
}

#[test]
fn a_wide_character_that_is_repeated_gets_a_mask_that_is_as_wide_when_it_is_repeated() {
    let masked = masked(size(80, 24), "password=hunter🌈\x1b[3bx end");
    assert_eq!(masked, "password=***RED\0＊\x1b[3b* end");
}
