//! Control strings, and leaving what is unfinished.

use std::ops::Range;

use super::{Grammar, MAX_STRING, State};
use crate::head::{self, Unread};
use crate::visitor::{ControlString, Function, StringKind, Terminator, Visitor, Void};

impl Grammar {
    pub(super) fn begin_string<V: Visitor>(
        &mut self,
        kind: StringKind,
        introducer: Range<u64>,
        visitor: &mut V,
    ) {
        match kind {
            StringKind::System => self.begin(State::Osc, b"\x1b]", introducer.start),
            StringKind::Device => self.begin(State::DcsHead, b"\x1bP", introducer.start),
            StringKind::Other => self.begin(State::OtherString, b"\x1b_", introducer.start),
        }
        (self.keeps, self.text_at) = (V::keeps(kind), self.held.len());
        visitor.string_begins(kind, introducer);
    }

    /// The kind of the unfinished string, if one is.
    pub fn unfinished_string(&self) -> Option<StringKind> {
        match self.state {
            State::Ground | State::Escape | State::Csi | State::CsiIgnore => None,
            State::Osc => Some(StringKind::System),
            State::DcsHead | State::DcsIgnore | State::DcsBody => Some(StringKind::Device),
            State::OtherString => Some(StringKind::Other),
        }
    }

    /// Takes in text of a string. One that grows too long is replaced by one that means nothing, in us and in a
    /// viewer that is given our unfinished bytes.
    pub(super) fn string_text(&mut self, bytes: &[u8], visitor: &mut impl Visitor) {
        visitor.string_part(bytes);
        if !self.keeps {
            return;
        }
        if self.held.len() + bytes.len() <= MAX_STRING {
            return self.held.extend_from_slice(bytes);
        }
        let nothing: &[u8] = if self.state == State::DcsBody { b"\x1bPx" } else { b"\x1b]x" };
        self.hold(nothing);
        self.text_at = self.text_at.min(nothing.len());
        self.keeps = false;
    }

    /// What is unfinished ends at `end`, as a string ends that is whole.
    pub(super) fn terminate(&mut self, end: u64, visitor: &mut impl Visitor) {
        match self.state {
            State::Osc | State::DcsBody | State::OtherString => {
                self.end_string(Some(Terminator::St), end, visitor);
            }
            _ => self.leave(end, visitor),
        }
    }

    /// What is unfinished ends at `end` and means nothing.
    pub(super) fn leave(&mut self, end: u64, visitor: &mut impl Visitor) {
        match self.state {
            State::Ground => {}
            _ if self.unfinished_string().is_some() => self.end_string(None, end, visitor),
            _ => {
                self.state = State::Ground;
                visitor.void(Void::Aborted, self.began..end);
            }
        }
    }

    pub(super) fn end_string(&mut self, terminator: Option<Terminator>, to: u64, visitor: &mut impl Visitor) {
        let Some(kind) = self.unfinished_string() else { return };
        let (head, text) = self.held.split_at(self.text_at);
        let (function, text) = match self.state {
            State::DcsHead | State::DcsIgnore => Default::default(),
            State::DcsBody => (head::read(&mut Unread, &head[2..]).unwrap_or_default().0, text),
            _ => (Function::default(), text),
        };
        self.state = State::Ground;
        let place = self.began..to;
        visitor.string_ends(ControlString { kind, function, text, terminator, place });
    }
}
