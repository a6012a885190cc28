//! Delays the answers to repeated wrong secrets.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many wrong secrets within [`WINDOW`] are answered at once, because people mistype.
const FREE: u32 = 5;

/// After so long without a wrong secret, the count of an address starts again at zero.
const WINDOW: Duration = Duration::from_secs(60);

/// The first delay. Each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// The longest delay. Longer ones would only hold more connections open.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The largest number of addresses that are counted. On loopback there is only one.
const MOST_PEERS: usize = 1024;

/// The number of wrong secrets of each address, and the time of the last one.
#[derive(Debug, Default)]
pub(crate) struct Guesses {
    peers: Mutex<HashMap<Option<IpAddr>, Wrong>>,
}

#[derive(Clone, Copy, Debug)]
struct Wrong {
    times: u32,
    last: Instant,
}

impl Guesses {
    /// Counts a wrong secret of this address, or one that came over the Unix socket, and returns how long its answer must
    /// be delayed. Valid secrets are never delayed.
    pub(crate) fn wrong(&self, peer: Option<IpAddr>, now: Instant) -> Duration {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if peers.len() >= MOST_PEERS && !peers.contains_key(&peer) {
            peers.retain(|_, wrong| now.duration_since(wrong.last) < WINDOW);
            if peers.len() >= MOST_PEERS {
                return LONGEST_WAIT;
            }
        }
        let wrong = peers.entry(peer).or_insert(Wrong { times: 0, last: now });
        if now.duration_since(wrong.last) >= WINDOW {
            wrong.times = 0;
        }
        wrong.times = wrong.times.saturating_add(1);
        wrong.last = now;
        wait_after(wrong.times)
    }
}

fn wait_after(times: u32) -> Duration {
    match times.checked_sub(FREE + 1) {
        None => Duration::ZERO,
        Some(further) => FIRST_WAIT.saturating_mul(2_u32.saturating_pow(further)).min(LONGEST_WAIT),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const PEER: Option<IpAddr> = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));

    #[test]
    fn s6_each_wrong_secret_makes_the_next_answer_later() {
        let guesses = Guesses::default();
        let now = Instant::now();
        let waits: Vec<u128> = (0..13).map(|_| guesses.wrong(PEER, now).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 50, 100, 200, 400, 800, 1600, 2000, 2000]);
        assert_eq!(wait_after(u32::MAX), LONGEST_WAIT);
    }

    #[test]
    fn after_a_quiet_minute_the_count_starts_again() {
        let guesses = Guesses::default();
        let now = Instant::now();
        for _ in 0..10 {
            guesses.wrong(PEER, now);
        }
        assert_eq!(guesses.wrong(PEER, now + WINDOW), Duration::ZERO);
    }

    #[test]
    fn one_address_does_not_slow_another() {
        let guesses = Guesses::default();
        let now = Instant::now();
        for _ in 0..10 {
            guesses.wrong(PEER, now);
        }
        assert_eq!(guesses.wrong(Some(Ipv4Addr::new(127, 0, 0, 2).into()), now), Duration::ZERO);
    }

    #[test]
    fn s12_the_number_of_counted_addresses_is_bounded() {
        let guesses = Guesses::default();
        let now = Instant::now();
        for address in 0..5000_u32 {
            guesses.wrong(Some(Ipv4Addr::from_bits(address).into()), now);
        }
        assert_eq!(guesses.peers.lock().unwrap().len(), MOST_PEERS);
        assert_eq!(
            guesses.wrong(Some(Ipv4Addr::BROADCAST.into()), now),
            LONGEST_WAIT,
            "an address that cannot be counted waits longest"
        );
        assert_eq!(guesses.wrong(Some(Ipv4Addr::BROADCAST.into()), now + WINDOW), Duration::ZERO);
    }
}
