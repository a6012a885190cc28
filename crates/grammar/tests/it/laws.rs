//! Laws that hold for any stream, however it is cut.

use std::fmt;

use proptest::prelude::*;
use testkit::{Profile, Random, StreamGen, damaged};

use crate::check;
use crate::tokens::{Token, tokens};

/// A program's output.
#[derive(Clone)]
struct Output(Vec<u8>);

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// Output of every kind, whole and damaged, and mere noise of the pieces that sequences are made of.
fn any_output() -> impl Strategy<Value = Output> {
    let made_up = |(seed, profile, damage): (u64, Profile, bool)| {
        let bytes = StreamGen::new(seed).like(profile).bytes();
        Output(if damage { damaged(bytes, &mut Random::new(seed)) } else { bytes })
    };
    let noise = prop::collection::vec(prop::sample::select(PIECES), 0..60);
    prop_oneof![
        1 => (any::<u64>(), prop::sample::select(&Profile::ALL[..]), any::<bool>()).prop_map(made_up),
        3 => noise.prop_map(|pieces| Output(pieces.concat())),
        1 => prop::collection::vec(any::<u8>(), 0..60).prop_map(Output),
    ]
}

const PIECES: &[&[u8]] = &[
    b"\x1b",
    b"\x1b[",
    b"\x1b]",
    b"\x1bP",
    b"\x1b_",
    b"\x1bX",
    b"\x1b\\",
    b"[",
    b"]",
    b"P",
    b"\\",
    b"?",
    b">",
    b"0",
    b"12",
    b";",
    b":",
    b" ",
    b"!",
    b"(",
    b"H",
    b"m",
    b"q",
    b"abc",
    b"\x05",
    b"\x07",
    b"\n",
    b"\x18",
    b"\x1a",
    b"\x7f",
    b"\xc2\x84",
    b"\xc2\x90",
    b"\xc2\x9b",
    b"\xc2\x9c",
    b"\xc2\x9d",
    b"\xc2\x9f",
    b"\xc3\xa9",
    b"\xe6\xbc\xa2",
    b"\xf0\x9f\x98\x80",
    b"\xef\xbb\xbf",
    b"\xcc\x81",
    b"\x80",
    b"\xc2",
    b"\xe6\xbc",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xf8",
    b"\xff",
];

fn pieces<'a>(mut bytes: &'a [u8], random: &mut Random) -> Vec<&'a [u8]> {
    let longest = random.pick(&[1, 2, 7, 300]);
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(random.between(1, longest).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_split_gives_the_same_tokens(output in any_output(), seed: u64) {
        check::any_split_gives_the_same(&output.0, &pieces(&output.0, &mut Random::new(seed)));
    }

    #[test]
    fn places_tile_the_stream(output in any_output()) {
        check::places_tile(&output.0);
    }

    #[test]
    fn places_hold_what_they_say(output in any_output()) {
        for (token, place) in tokens([&output.0[..]]).0.tokens {
            let here = &output.0[place.start as usize..place.end as usize];
            match token {
                Token::Text(text) => prop_assert_eq!(text, here),
                Token::Character(c) => prop_assert_eq!(c.to_string().into_bytes(), here),
                Token::Control(control @ 0..0x80) => prop_assert_eq!([control], here),
                Token::Control(c1) => prop_assert_eq!([0xc2, c1], here),
                Token::Escape { function, .. } | Token::Sequence { function, .. } => {
                    prop_assert_eq!(Some(&function.last), here.last());
                }
                Token::String { all: (at, all), .. } => {
                    let introduced = &output.0[at as usize..place.end as usize];
                    let end = introduced.strip_prefix(&all[..]).unwrap_or(introduced);
                    // BEL, ST, or a character that cannot be in the string.
                    let character = std::str::from_utf8(end).is_ok_and(|end| end.chars().count() == 1);
                    let whole = end.is_empty() || end == b"\x07" || (character && !end.is_ascii());
                    prop_assert!(whole, "{introduced:x?} {all:x?}");
                }
                Token::Void(_) => {}
            }
        }
    }

    #[test]
    fn unfinished_bytes_bring_another_grammar_to_the_same_place(output in any_output(), cut: prop::sample::Index) {
        let (before, after) = output.0.split_at(cut.index(output.0.len() + 1));
        let (first, mut grammar) = tokens([before]);
        let told = first.tokens.len();
        let mut whole = first;
        grammar.feed(after, &mut whole);
        let (_, at_cut) = tokens([before]);
        let unfinished: Vec<u8> = at_cut.unfinished().collect();
        let (again, _) = tokens([&unfinished[..], after]);
        // Text that ends at the cut goes on behind it.
        let expected = match whole.tokens.get(told.saturating_sub(1)) {
            Some((Token::Text(text), place)) if told > 0 && place.end > before.len() as u64 => {
                let later = (place.end - before.len() as u64) as usize;
                let rest = Token::Text(text[text.len() - later..].to_vec());
                [vec![rest], whole.kinds().split_off(told)].concat()
            }
            _ => whole.kinds().split_off(told),
        };
        prop_assert_eq!(meanings(again.kinds()), meanings(expected));
    }
}

/// Tokens without the bytes that only their places have.
fn meanings(mut tokens: Vec<Token>) -> Vec<Token> {
    for token in &mut tokens {
        if let Token::String { all, .. } = token {
            *all = Default::default();
        }
    }
    tokens
}
