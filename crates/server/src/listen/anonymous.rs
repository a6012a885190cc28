//! Connections that have not sent a secret yet.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::standing::Standing;

/// Which user of the machine a connection comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// The user that the server runs as.
    Own,
    /// Another user of this machine.
    Other(u32),
    /// The system does not say.
    Unknown,
}

/// How many connections may be open that have brought no secret yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// Of the user that the server runs as.
    pub(super) own: usize,
    /// Of all others together.
    pub(super) others: usize,
}

/// Connections that have brought no secret yet, the oldest first.
///
/// The server's own user has places of its own, and needs many: when the server starts again, all terminals in all tabs
/// of a browser come back at once. All others have few. When these are taken, a new connection replaces the oldest one of
/// the user who has the most. So no other user can keep the owner out, and no silent connection keeps its place.
#[derive(Debug)]
pub(super) struct Anonymous {
    waiting: Mutex<Vec<Arc<Standing>>>,
    places: Places,
}

impl Anonymous {
    pub(super) fn new(places: Places) -> Anonymous {
        Anonymous { waiting: Mutex::default(), places }
    }

    /// Takes a place for a connection. If there is none for it, it is sent away itself.
    pub(super) fn enter(&self, standing: &Arc<Standing>) {
        let mut waiting = self.waiting();
        waiting.push(standing.clone());
        let sides: Vec<Side> = waiting.iter().map(|standing| standing.side()).collect();
        if let Some(leaves) = leaves(&sides, self.places) {
            waiting.remove(leaves).send_away();
        }
    }

    pub(super) fn forget(&self, standing: &Arc<Standing>) {
        self.waiting().retain(|other| !Arc::ptr_eq(other, standing));
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Arc<Standing>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which of these connections leaves, if there are too many; the last one is new.
fn leaves(sides: &[Side], places: Places) -> Option<usize> {
    let mut counts: HashMap<Side, usize> = HashMap::new();
    for side in sides {
        *counts.entry(*side).or_default() += 1;
    }
    let own = counts.remove(&Side::Own).unwrap_or(0);
    if own > places.own {
        return sides.iter().position(|side| *side == Side::Own);
    }
    let most = counts.values().max().copied().filter(|_| sides.len() - own > places.others);
    sides.iter().position(|side| most.is_some() && counts.get(side).copied() == most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{Other, Own, Unknown};

    #[test]
    fn s19_the_oldest_connection_of_the_user_with_the_most_leaves() {
        for (sides, expected) in [
            (vec![Own, Own, Own], None),
            (vec![Own, Own, Own, Own], Some(0)),
            (vec![Other(1), Own, Own, Own, Own], Some(1)),
            (vec![Other(1), Own, Own, Own], None),
            (vec![Own, Own, Own, Other(1)], None),
            (vec![Own, Other(1), Other(2)], None),
            (vec![Own, Other(1), Other(2), Other(2)], Some(2)),
            (vec![Own, Other(1), Other(1), Unknown], Some(1)),
            (vec![Own, Unknown, Other(1), Other(2)], Some(1)),
            (vec![Other(1), Other(2), Own, Other(2)], Some(1)),
        ] {
            assert_eq!(leaves(&sides, Places { own: 3, others: 2 }), expected, "{sides:?}");
        }
    }
}
