//! How much each typist has typed, from one connection to the next.
//!
//! A connection that breaks loses the bytes on their way. A viewer that comes back under the same name is told how
//! many of its typed bytes the host has handled, so that it can send the rest again, and nothing twice.

use std::collections::HashMap;

use protocol::ViewerId;
use serde::{Deserialize, Serialize};

/// Far more than people who type at once. A tab that was closed is one, until others need its place.
const MOST: usize = 1024;

/// All of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Typists {
    all: HashMap<String, Typist>,
    /// Whether one was forgotten. An unknown name may be that one's, then, and nothing is known of what it typed.
    forgot: bool,
    /// How many have come, ever.
    arrivals: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Typist {
    typed: u64,
    /// The connection that it has now.
    viewer: Option<ViewerId>,
    /// When it last came, counted in arrivals.
    came: u64,
}

/// What is known of one that arrives.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// How many bytes that it typed were dealt with, if that is known.
    pub(crate) typed: Option<u64>,
    /// A connection of the same typist. Nothing more may be taken from that one: it will be said again.
    pub(crate) earlier: Option<ViewerId>,
}

impl Typists {
    /// A typist attaches.
    pub(crate) fn arrive(&mut self, name: &str, viewer: ViewerId) -> Arrival {
        self.arrivals += 1;
        let came = self.arrivals;
        if let Some(typist) = self.all.get_mut(name) {
            typist.came = came;
            return Arrival { typed: Some(typist.typed), earlier: typist.viewer.replace(viewer) };
        }
        self.make_room();
        self.all.insert(name.to_owned(), Typist { typed: 0, viewer: Some(viewer), came });
        Arrival { typed: (!self.forgot).then_some(0), earlier: None }
    }

    /// Something that it typed was dealt with: taken, or refused.
    pub(crate) fn typed(&mut self, name: &str, bytes: usize) {
        if let Some(typist) = self.all.get_mut(name) {
            typist.typed += bytes as u64;
        }
    }

    /// A connection of it is closed.
    pub(crate) fn left(&mut self, name: &str, viewer: ViewerId) {
        if let Some(typist) = self.all.get_mut(name).filter(|typist| typist.viewer == Some(viewer)) {
            typist.viewer = None;
        }
    }

    /// Only these connections have come along.
    pub(crate) fn keep_viewers(&mut self, is_here: impl Fn(ViewerId) -> bool) {
        for typist in self.all.values_mut() {
            typist.viewer = typist.viewer.filter(|viewer| is_here(*viewer));
        }
    }

    /// Forgets the one that has been away for longest. Those that are here are bounded by their connections.
    fn make_room(&mut self) {
        if self.all.len() < MOST {
            return;
        }
        let away = self.all.iter().filter(|(_, typist)| typist.viewer.is_none());
        // Of one that typed nothing, nothing is forgotten.
        let oldest =
            away.min_by_key(|(_, typist)| (typist.typed > 0, typist.came)).map(|(name, _)| name.clone());
        if let Some(typist) = oldest.and_then(|name| self.all.remove(&name)) {
            self.forgot |= typist.typed > 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: ViewerId = ViewerId(1);
    const TWO: ViewerId = ViewerId(2);

    #[test]
    fn a_typist_that_comes_back_is_told_how_much_was_handled() {
        let mut typists = Typists::default();
        assert_eq!(typists.arrive("a", ONE), Arrival { typed: Some(0), earlier: None });
        typists.typed("a", 3);
        typists.typed("b", 9);
        typists.left("a", ONE);
        assert_eq!(typists.arrive("a", TWO), Arrival { typed: Some(3), earlier: None });
        assert_eq!(typists.arrive("b", ONE), Arrival { typed: Some(0), earlier: None });
    }

    #[test]
    fn its_earlier_connection_is_named_and_its_end_changes_nothing() {
        let mut typists = Typists::default();
        typists.arrive("a", ONE);
        assert_eq!(typists.arrive("a", TWO), Arrival { typed: Some(0), earlier: Some(ONE) });
        typists.left("a", ONE);
        assert_eq!(typists.arrive("a", ONE), Arrival { typed: Some(0), earlier: Some(TWO) });
    }

    #[test]
    fn the_one_longest_away_is_forgotten_and_then_nothing_is_claimed_of_strangers() {
        let mut typists = Typists::default();
        for number in 0..MOST {
            typists.arrive(&number.to_string(), ViewerId(number as u64));
        }
        typists.typed("3", 1);
        for number in [7, 3, 2] {
            typists.left(&number.to_string(), ViewerId(number));
        }
        assert_eq!(
            typists.arrive("first", ONE),
            Arrival { typed: Some(0), earlier: None },
            "2 typed nothing"
        );
        typists.typed("7", 4);
        assert_eq!(typists.arrive("second", ONE), Arrival { typed: None, earlier: None });
        assert_eq!(typists.arrive("7", TWO), Arrival { typed: Some(4), earlier: None }, "it is still known");
        assert_eq!(typists.arrive("3", TWO), Arrival { typed: None, earlier: None }, "it was forgotten");
        // Its count goes on from what it was told now.
        typists.typed("3", 5);
        assert_eq!(typists.arrive("3", ONE).typed, Some(5));
    }
}
