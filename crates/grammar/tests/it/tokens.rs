//! A visitor that writes down all it is told.

use std::ops::Range;

use grammar::{ControlString, Function, Grammar, Params, Sequence, StringKind, Terminator, Visitor, Void};

/// One thing in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Text(Vec<u8>),
    Character(char),
    Control(u8),
    Escape {
        function: Function,
        bytes: Vec<u8>,
    },
    Sequence {
        function: Function,
        numbers: Vec<(i32, Vec<i32>)>,
        bytes: Vec<u8>,
    },
    String {
        kind: StringKind,
        function: Function,
        text: Vec<u8>,
        terminator: Option<Terminator>,
        /// Where the introducer ended, and all bytes from there on.
        all: (u64, Vec<u8>),
    },
    Void(Void),
}

/// All that was told, each with its place.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) tokens: Vec<(Token, Range<u64>)>,
    /// Where the introducer of the unfinished string ended, and all that came after it.
    string: Option<(u64, Vec<u8>)>,
}

impl Tokens {
    fn push(&mut self, token: Token, place: Range<u64>) {
        self.tokens.push((token, place));
    }

    /// The tokens alone.
    pub(crate) fn kinds(self) -> Vec<Token> {
        self.tokens.into_iter().map(|(token, _)| token).collect()
    }
}

impl Visitor for Tokens {
    fn keeps(_kind: StringKind) -> bool {
        true
    }

    fn text(&mut self, text: &[u8], at: u64) {
        assert!(!text.is_empty());
        let end = at + text.len() as u64;
        if let Some((Token::Text(before), place)) = self.tokens.last_mut()
            && place.end == at
        {
            before.extend(text);
            place.end = end;
        } else {
            self.push(Token::Text(text.to_vec()), at..end);
        }
    }

    fn character(&mut self, c: char, place: Range<u64>) {
        self.push(Token::Character(c), place);
    }

    fn control(&mut self, control: u8, place: Range<u64>) {
        self.push(Token::Control(control), place);
    }

    fn escape(&mut self, sequence: Sequence<'_>) {
        let Sequence { function, bytes, place } = sequence;
        self.push(Token::Escape { function, bytes: bytes.to_vec() }, place);
    }

    fn sequence(&mut self, params: &Params, sequence: Sequence<'_>) {
        let Sequence { function, bytes, place } = sequence;
        let numbers = params.iter().map(|(number, subs)| (number, subs.to_vec())).collect();
        self.push(Token::Sequence { function, numbers, bytes: bytes.to_vec() }, place);
    }

    fn string_begins(&mut self, _kind: StringKind, introducer: Range<u64>) {
        assert!(self.string.is_none(), "the string before has ended");
        self.string = Some((introducer.end, Vec::new()));
    }

    fn string_part(&mut self, bytes: &[u8]) {
        self.string.as_mut().expect("a string has begun").1.extend(bytes);
    }

    fn string_ends(&mut self, string: ControlString<'_>) {
        let ControlString { kind, function, text, terminator, place } = string;
        let all = self.string.take().expect("a string has begun");
        self.push(Token::String { kind, function, text: text.to_vec(), terminator, all }, place);
    }

    fn void(&mut self, void: Void, place: Range<u64>) {
        self.push(Token::Void(void), place);
    }
}

/// What a grammar tells of a stream in these pieces.
pub(crate) fn tokens<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Tokens, Grammar) {
    let (mut tokens, mut grammar) = (Tokens::default(), Grammar::default());
    for piece in pieces {
        assert_eq!(grammar.feed(piece, &mut tokens), piece.len());
    }
    (tokens, grammar)
}
