//! The laws themselves, which the tests and the fuzz target judge by.

use crate::tokens::{Token, Tokens, tokens};

/// Any split gives the same tokens and leaves the same unfinished bytes.
pub(crate) fn any_split_gives_the_same(bytes: &[u8], pieces: &[&[u8]]) {
    let (whole, after_whole) = tokens([bytes]);
    for pieces in [pieces.to_vec(), bytes.chunks(1).collect()] {
        let (split, after_split) = tokens(pieces);
        assert_eq!(split.tokens, whole.tokens);
        assert_eq!(after_split.unfinished_from(), after_whole.unfinished_from());
        assert!(after_split.unfinished().eq(after_whole.unfinished()));
    }
}

/// The places follow each other without a gap, from the first byte to where the unfinished begins. Only controls lie
/// within something else.
pub(crate) fn places_tile(bytes: &[u8]) {
    let (Tokens { tokens, .. }, grammar) = tokens([bytes]);
    assert_eq!(grammar.position(), bytes.len() as u64);
    let unfinished = grammar.unfinished_from()..grammar.position();
    assert_eq!(grammar.is_at_rest(), unfinished.is_empty());
    let mut end = 0;
    for (index, (token, place)) in tokens.iter().enumerate() {
        let around = tokens[index + 1..].iter().map(|(_, later)| later).chain([&unfinished]);
        if let Token::Control(_) = token
            && let Some(around) = around.into_iter().find(|around| around.start < place.start)
        {
            assert!(place.end <= around.end, "{place:?} lies within {around:?}");
            continue;
        }
        assert_eq!(place.start, end, "{token:?} follows what is before it");
        assert!(place.end > place.start);
        end = place.end;
    }
    assert_eq!(end, unfinished.start);
}
