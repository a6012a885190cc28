//! Wrong guesses slow down.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many wrong guesses within [`WINDOW`] are answered at once: people mistype.
const FREE: u32 = 5;

/// Somebody who guessed nothing wrong for so long begins anew.
const WINDOW: Duration = Duration::from_secs(60);

/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// The longest wait. Longer ones would only hold more connections open.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// So many addresses are remembered. On loopback there is one; the bound is for the day there are more.
const MOST_PEERS: usize = 1024;

/// Who guessed wrong, how often and when last.
#[derive(Debug, Default)]
pub(crate) struct Guesses {
    peers: Mutex<HashMap<IpAddr, Wrong>>,
}

#[derive(Clone, Copy, Debug)]
struct Wrong {
    times: u32,
    last: Instant,
}

impl Guesses {
    /// Takes note of a wrong guess and says how long its answer has to wait. Right ones never wait.
    pub(crate) fn wrong(&self, peer: IpAddr, now: Instant) -> Duration {
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

    const PEER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn s6_wrong_guesses_wait_longer_and_longer() {
        let guesses = Guesses::default();
        let now = Instant::now();
        let waits: Vec<u128> = (0..13).map(|_| guesses.wrong(PEER, now).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 50, 100, 200, 400, 800, 1600, 2000, 2000]);
        assert_eq!(wait_after(u32::MAX), LONGEST_WAIT);
    }

    #[test]
    fn after_a_quiet_minute_it_begins_anew() {
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
        assert_eq!(guesses.wrong(Ipv4Addr::new(127, 0, 0, 2).into(), now), Duration::ZERO);
    }

    #[test]
    fn s12_the_addresses_remembered_are_bounded() {
        let guesses = Guesses::default();
        let now = Instant::now();
        for address in 0..5000_u32 {
            guesses.wrong(Ipv4Addr::from_bits(address).into(), now);
        }
        assert_eq!(guesses.peers.lock().unwrap().len(), MOST_PEERS);
        assert_eq!(
            guesses.wrong(Ipv4Addr::BROADCAST.into(), now),
            LONGEST_WAIT,
            "who has no room waits longest"
        );
        assert_eq!(guesses.wrong(Ipv4Addr::BROADCAST.into(), now + WINDOW), Duration::ZERO);
    }
}
