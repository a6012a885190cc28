//! Whose turn it is.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use protocol::HostMessage;

/// How much of one terminal is shown before it is another one's turn. A key's echo waits for so much of each of the
/// others, at most.
const TURN_BYTES: usize = 16 << 10;

/// What hosts have said and clients have not been told yet, terminal by terminal.
///
/// Terminals that have something to say take turns, in the order in which they began to wait. So one that prints without
/// end takes no more of the socket than any other.
#[derive(Debug)]
pub(super) struct Turns<K> {
    waiting: VecDeque<K>,
    said: HashMap<K, VecDeque<HostMessage>>,
}

/// One terminal's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn<K> {
    /// Whose it is.
    pub(super) of: K,
    /// What it says.
    pub(super) messages: Vec<HostMessage>,
    /// Whether that was all it has to say for now.
    pub(super) last: bool,
}

impl<K> Default for Turns<K> {
    fn default() -> Turns<K> {
        Turns { waiting: VecDeque::new(), said: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash> Turns<K> {
    /// Takes in what a host said to a terminal that has nothing left to say.
    pub(super) fn add(&mut self, of: K, messages: VecDeque<HostMessage>) {
        if !messages.is_empty() && self.said.insert(of, messages).is_none() {
            self.waiting.push_back(of);
        }
    }

    /// Whether anybody waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The next turn.
    pub(super) fn next(&mut self) -> Option<Turn<K>> {
        let of = self.waiting.pop_front()?;
        let said = self.said.get_mut(&of)?;
        let mut messages = Vec::new();
        let mut room = TURN_BYTES;
        while room > 0
            && let Some(message) = said.pop_front()
        {
            let (first, rest) = cut(message, room);
            // Words that are no output are short, but not free.
            room = room.saturating_sub(length(&first).max(1));
            messages.push(first);
            if let Some(rest) = rest {
                said.push_front(rest);
            }
        }
        let last = said.is_empty();
        if last {
            self.said.remove(&of);
        } else {
            self.waiting.push_back(of);
        }
        Some(Turn { of, messages, last })
    }

    /// Forgets what a terminal has to say.
    pub(super) fn forget(&mut self, of: K) {
        if self.said.remove(&of).is_some() {
            self.waiting.retain(|waiting| *waiting != of);
        }
    }
}

fn length(message: &HostMessage) -> usize {
    match message {
        HostMessage::Output { bytes, .. } | HostMessage::Snapshot { bytes, .. } => bytes.len(),
        _ => 0,
    }
}

/// The first so many bytes of what is to be shown, and the rest. Other words are never cut.
fn cut(message: HostMessage, most: usize) -> (HostMessage, Option<HostMessage>) {
    match message {
        HostMessage::Output { at, mut bytes } if bytes.len() > most => {
            let rest = HostMessage::Output { at: at + most, bytes: bytes.split_off(most) };
            (HostMessage::Output { at, bytes }, Some(rest))
        }
        HostMessage::Snapshot { at, last, mut bytes } if bytes.len() > most => {
            let rest = HostMessage::Snapshot { at, last, bytes: bytes.split_off(most) };
            (HostMessage::Snapshot { at, last: false, bytes }, Some(rest))
        }
        whole => (whole, None),
    }
}

#[cfg(test)]
mod tests {
    use model::Offset;
    use proptest::prelude::*;
    use testkit::Random;

    use super::*;

    fn output(at: u64, bytes: &[u8]) -> HostMessage {
        HostMessage::Output { at: Offset(at), bytes: bytes.to_vec() }
    }

    #[test]
    fn s15_an_echo_waits_for_one_turn_of_a_flood_and_no_more() {
        let mut turns = Turns::default();
        turns.add('f', [output(0, &[b'x'; 64 << 10])].into());
        assert_eq!(turns.next().unwrap().of, 'f');
        turns.add('e', [output(7, b"echo")].into());
        let second = turns.next().unwrap();
        assert_eq!((second.of, second.last), ('f', false), "it was its turn already");
        assert_eq!(turns.next(), Some(Turn { of: 'e', messages: vec![output(7, b"echo")], last: true }));
        assert_eq!(turns.next().unwrap().of, 'f');
    }

    #[test]
    fn a_snapshot_is_complete_with_its_last_piece() {
        let mut turns = Turns::default();
        turns.add(
            'a',
            [HostMessage::Snapshot { at: Offset(9), last: true, bytes: vec![b'x'; 20 << 10] }].into(),
        );
        let lasts: Vec<bool> = std::iter::from_fn(|| turns.next())
            .flat_map(|turn| turn.messages)
            .map(|message| matches!(message, HostMessage::Snapshot { at: Offset(9), last: true, .. }))
            .collect();
        assert_eq!(lasts, [false, true]);
    }

    #[test]
    fn what_is_forgotten_has_no_turn() {
        let mut turns = Turns::default();
        turns.add('a', [output(0, b"a")].into());
        turns.add('b', [output(0, b"b")].into());
        turns.forget('a');
        assert_eq!(turns.next().unwrap().of, 'b');
        assert_eq!(turns.next(), None);
        assert!(turns.is_empty());
    }

    proptest! {
        #[test]
        fn turns_are_short_in_order_and_shared(seed: u64) {
            let mut random = Random::new(seed);
            let mut turns: Turns<usize> = Turns::default();
            let mut ends = [0_usize; 5];
            let mut shown = [0_usize; 5];
            let mut waited = [0_usize; 5];
            for _ in 0..200 {
                let of = random.between(0, 4);
                if ends[of] == shown[of] && random.percent(60) {
                    let length = random.between(1, 64 << 10);
                    turns.add(of, [output(ends[of] as u64, &vec![0; length])].into());
                    ends[of] += length;
                    waited[of] = 0;
                }
                let Some(turn) = turns.next() else { continue };
                for (other, waited) in waited.iter_mut().enumerate().filter(|(other, _)| ends[*other] > shown[*other]) {
                    *waited += 1;
                    prop_assert!(*waited <= 5, "{other} waits for more than one turn of each");
                }
                waited[turn.of] = 0;
                let mut bytes = 0;
                for message in turn.messages {
                    let HostMessage::Output { at, bytes: piece } = message else { panic!("it was output") };
                    prop_assert_eq!(at, Offset(shown[turn.of] as u64));
                    shown[turn.of] += piece.len();
                    bytes += piece.len();
                }
                prop_assert!(bytes <= TURN_BYTES);
                prop_assert_eq!(turn.last, shown[turn.of] == ends[turn.of]);
            }
        }
    }
}
