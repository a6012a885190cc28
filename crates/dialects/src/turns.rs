//! Shares a socket between terminals.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use protocol::HostMessage;

/// How many bytes a terminal may send in one turn. The echo of a key waits for at most so many bytes of each other
/// terminal.
const TURN_BYTES: usize = 16 << 10;

/// Messages of hosts that wait to be sent, by terminal.
///
/// Terminals take turns, in the order in which they began to wait. So a terminal that prints without end gets no more
/// of the socket than any other.
#[derive(Debug)]
pub struct Turns<K> {
    waiting: VecDeque<K>,
    said: HashMap<K, VecDeque<HostMessage>>,
}

/// One terminal's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn<K> {
    /// The terminal.
    pub of: K,
    /// Its messages.
    pub messages: Vec<HostMessage>,
    /// Whether the terminal has no further messages for now.
    pub last: bool,
}

impl<K> Default for Turns<K> {
    fn default() -> Turns<K> {
        Turns { waiting: VecDeque::new(), said: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash> Turns<K> {
    /// Adds a host's messages for a terminal that has none waiting.
    pub fn add(&mut self, of: K, messages: VecDeque<HostMessage>) {
        if !messages.is_empty() && self.said.insert(of, messages).is_none() {
            self.waiting.push_back(of);
        }
    }

    /// Whether no terminal waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes a terminal's waiting messages.
    pub fn forget(&mut self, of: K) {
        if self.said.remove(&of).is_some() {
            self.waiting.retain(|waiting| *waiting != of);
        }
    }
}

/// One turn after the other. Later turns can follow when messages were added.
impl<K: Copy + Eq + Hash> Iterator for Turns<K> {
    type Item = Turn<K>;

    fn next(&mut self) -> Option<Turn<K>> {
        let of = self.waiting.pop_front()?;
        let said = self.said.get_mut(&of)?;
        let mut messages = Vec::new();
        let mut room = TURN_BYTES;
        while room > 0
            && let Some(message) = said.pop_front()
        {
            let (first, rest) = cut(message, room);
            // Other messages are short, but count too.
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
}

fn length(message: &HostMessage) -> usize {
    match message {
        HostMessage::Output { bytes, .. } | HostMessage::Snapshot { bytes, .. } => bytes.len(),
        _ => 0,
    }
}

/// Splits output or a snapshot after so many bytes. Other messages are never split.
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
    fn s15_an_echo_waits_for_only_one_turn_of_a_flood() {
        let mut turns = Turns::default();
        turns.add('f', [output(0, &[b'x'; 64 << 10])].into());
        assert_eq!(turns.next().unwrap().of, 'f');
        turns.add('e', [output(7, b"echo")].into());
        let second = turns.next().unwrap();
        assert_eq!((second.of, second.last), ('f', false), "its second turn had begun");
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
        let lasts: Vec<bool> = turns
            .flat_map(|turn| turn.messages)
            .map(|message| matches!(message, HostMessage::Snapshot { at: Offset(9), last: true, .. }))
            .collect();
        assert_eq!(lasts, [false, true]);
    }

    #[test]
    fn a_terminal_that_was_removed_has_no_turn() {
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
        fn turns_are_short_and_in_order_and_every_terminal_gets_one(seed: u64) {
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
                    prop_assert!(*waited <= 5, "{other} waits for more than one turn of each terminal");
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
