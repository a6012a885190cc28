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

/// Connections that have brought no secret yet, the oldest first.
///
/// There are few places. When all are taken, a new connection replaces the oldest one of the user who has the most. It
/// replaces one of the server's own user only if it comes from that user too. So no other user can keep the owner out,
/// and no silent connection keeps its place.
#[derive(Debug)]
pub(super) struct Anonymous {
    waiting: Mutex<Vec<Arc<Standing>>>,
    most: usize,
}

impl Anonymous {
    pub(super) fn new(most: usize) -> Anonymous {
        Anonymous { waiting: Mutex::default(), most }
    }

    /// Takes a place for a connection. If there is none for it, it is sent away itself.
    pub(super) fn enter(&self, standing: &Arc<Standing>) {
        let mut waiting = self.waiting();
        waiting.push(standing.clone());
        if waiting.len() > self.most {
            let sides: Vec<Side> = waiting.iter().map(|standing| standing.side()).collect();
            waiting.remove(leaves(&sides)).send_away();
        }
    }

    pub(super) fn forget(&self, standing: &Arc<Standing>) {
        self.waiting().retain(|other| !Arc::ptr_eq(other, standing));
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Arc<Standing>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which of these connections leaves; the last one is new.
fn leaves(sides: &[Side]) -> usize {
    let mut counts: HashMap<Side, usize> = HashMap::new();
    for side in sides.iter().filter(|side| **side != Side::Own) {
        *counts.entry(*side).or_default() += 1;
    }
    let most = counts.values().max().copied();
    let is_it = |side: &Side| match most {
        // Nobody but the server's own user is here.
        None => true,
        most => counts.get(side).copied() == most,
    };
    sides.iter().position(is_it).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{Other, Own, Unknown};

    #[test]
    fn s19_the_oldest_connection_of_the_user_with_the_most_leaves() {
        for (sides, expected) in [
            (vec![Own, Own, Own], 0),
            (vec![Own, Other(1), Other(2), Other(2)], 2),
            (vec![Own, Other(1), Other(1), Unknown], 1),
            (vec![Other(1), Own, Own, Own], 0),
            (vec![Own, Own, Own, Other(1)], 3),
            (vec![Own, Unknown, Other(1), Other(2)], 1),
            (vec![Other(1), Other(2), Own, Other(2)], 1),
        ] {
            assert_eq!(leaves(&sides), expected, "{sides:?}");
        }
    }
}
