//! The bonds that are open: what pages and this server share after a hello.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::TokenId;
use proof::{Bond, BondId, Claim, Counts, Request};

/// A page that sends nothing for so long says hello again. It does so by itself, so bonds can be short.
const IDLE: Duration = Duration::from_secs(10 * 60);

/// And so does every page after this time.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// How long a page may take between the server's answer and its own signature.
pub(super) const HELLO_WITHIN: Duration = Duration::from_secs(30);

/// The most bonds of one device. Each tab that is loaded has one.
const MOST_OF_A_DEVICE: usize = 64;

/// The most bonds of all devices.
const MOST: usize = 2048;

/// The bonds that are open. They are only in memory.
#[derive(Debug)]
pub(super) struct Bonds {
    began: Instant,
    open: Mutex<HashMap<BondId, Open>>,
}

#[derive(Debug)]
struct Open {
    bond: Bond,
    device: TokenId,
    counts: Counts,
    made: Instant,
    used: Instant,
}

/// Why a bond is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotOpened {
    /// This very hello has opened a bond already: it is a replay.
    Again,
    /// The device opened too many bonds within a short time.
    TooMany,
}

/// Why a request is not the one that a page bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unbound {
    /// There is no such bond, or no longer.
    Over,
    /// The code is wrong, or the request has come already.
    Wrong,
}

impl Bonds {
    pub(super) fn new(now: Instant) -> Bonds {
        Bonds { began: now, open: Mutex::default() }
    }

    /// The time, for the stamp of a hello.
    pub(super) fn stamp(&self, now: Instant) -> u64 {
        u64::try_from(now.duration_since(self.began).as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether a hello with this stamp may still be finished.
    pub(super) fn is_in_time(&self, stamp: u64, now: Instant) -> bool {
        let within = u64::try_from(HELLO_WITHIN.as_millis()).unwrap_or(u64::MAX);
        self.stamp(now).checked_sub(stamp).is_some_and(|age| age < within)
    }

    /// Opens a bond. One that is younger than a hello may be is never dropped, so that it cannot be opened twice.
    pub(super) fn open(&self, bond: Bond, device: TokenId, now: Instant) -> Result<(), NotOpened> {
        let mut open = self.bonds();
        open.retain(|_, each| !each.is_over(now));
        if open.contains_key(bond.id()) {
            return Err(NotOpened::Again);
        }
        let of_device = open.values().filter(|each| each.device == device).count();
        if of_device >= MOST_OF_A_DEVICE {
            drop_oldest(&mut open, |each| each.device == device, now)?;
        } else if open.len() >= MOST {
            drop_oldest(&mut open, |_| true, now)?;
        }
        let id = *bond.id();
        open.insert(id, Open { bond, device, counts: Counts::default(), made: now, used: now });
        Ok(())
    }

    /// Checks a request, and takes its number.
    pub(super) fn take(
        &self,
        claim: &Claim,
        request: &Request<'_>,
        now: Instant,
    ) -> Result<(Bond, TokenId), Unbound> {
        let mut open = self.bonds();
        let found = open.get_mut(&claim.bond).filter(|each| !each.is_over(now)).ok_or(Unbound::Over)?;
        // The code first: only the page itself uses up numbers.
        if !found.bond.is_request(request, &claim.mac) || !found.counts.take(claim.count) {
            return Err(Unbound::Wrong);
        }
        found.used = now;
        Ok((found.bond.clone(), found.device))
    }

    /// A bond, for a socket.
    pub(super) fn find(&self, id: &BondId, now: Instant) -> Option<(Bond, TokenId)> {
        let mut open = self.bonds();
        let found = open.get_mut(id).filter(|each| !each.is_over(now))?;
        found.used = now;
        Some((found.bond.clone(), found.device))
    }

    /// Ends a bond whose device is no longer signed in. It stays known until it cannot be opened again.
    pub(super) fn end(&self, id: &BondId, now: Instant) {
        let mut open = self.bonds();
        if open.get(id).is_some_and(|each| !each.is_new(now)) {
            open.remove(id);
        }
    }

    /// Never hold this lock while doing anything else.
    fn bonds(&self) -> MutexGuard<'_, HashMap<BondId, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn is_over(&self, now: Instant) -> bool {
        now.duration_since(self.used) >= IDLE || now.duration_since(self.made) >= LONGEST
    }

    fn is_new(&self, now: Instant) -> bool {
        now.duration_since(self.made) < HELLO_WITHIN
    }
}

fn drop_oldest(
    open: &mut HashMap<BondId, Open>,
    among: impl Fn(&Open) -> bool,
    now: Instant,
) -> Result<(), NotOpened> {
    let old = open.iter().filter(|(_, each)| among(each) && !each.is_new(now));
    let oldest = old.min_by_key(|(_, each)| each.used).map(|(id, _)| *id).ok_or(NotOpened::TooMany)?;
    open.remove(&oldest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proof::{Hello, PrivateKey, RunSecret, ServerSide};

    use super::*;

    fn device(number: u8) -> TokenId {
        TokenId::from_random([number; 8])
    }

    fn bond(number: u32) -> Bond {
        let key = |byte| PrivateKey::from_bytes(&[byte; 32]).unwrap();
        let server = ServerSide::new(key(1), RunSecret::new([1; 32]));
        let mut nonce = [0; 32];
        nonce[..4].copy_from_slice(&number.to_be_bytes());
        let hello = Hello { device: String::new(), authority: String::new(), key: key(2).public(), nonce };
        hello.finish(&key(2), &server.public(), &server.answer(&hello, 0), &key(3)).unwrap().1
    }

    fn ask(bonds: &Bonds, bond: &Bond, count: u64, now: Instant) -> Result<TokenId, Unbound> {
        let request = Request { count, method: "GET", target: "/", kind: "", body: &[0; 32] };
        let claim = Claim { bond: *bond.id(), count, body: [0; 32], mac: bond.request(&request) };
        bonds.take(&claim, &request, now).map(|(_, device)| device)
    }

    #[test]
    fn s18_a_request_is_taken_once_and_by_its_own_bond_only() {
        let now = Instant::now();
        let bonds = Bonds::new(now);
        let (one, two) = (bond(1), bond(2));
        bonds.open(one.clone(), device(1), now).unwrap();
        bonds.open(two.clone(), device(2), now).unwrap();
        assert_eq!(ask(&bonds, &one, 0, now), Ok(device(1)));
        assert_eq!(ask(&bonds, &one, 0, now), Err(Unbound::Wrong), "a replay");
        assert_eq!(ask(&bonds, &two, 0, now), Ok(device(2)));
        assert_eq!(ask(&bonds, &bond(3), 0, now), Err(Unbound::Over));
        let request = Request { count: 5, method: "GET", target: "/", kind: "", body: &[0; 32] };
        let claim = |mac| Claim { bond: *one.id(), count: 5, body: [0; 32], mac };
        let foreign = bonds.take(&claim(two.request(&request)), &request, now);
        assert_eq!(foreign.map(drop), Err(Unbound::Wrong), "another bond's code");
        let altered = Request { target: "/other", ..request };
        assert_eq!(bonds.take(&claim(one.request(&request)), &altered, now).map(drop), Err(Unbound::Wrong));
        assert_eq!(ask(&bonds, &one, 5, now), Ok(device(1)), "wrong codes use up no number");
    }

    #[test]
    fn s18_a_bond_ends_when_it_is_idle_and_after_an_hour() {
        let now = Instant::now();
        let bonds = Bonds::new(now);
        let (idle, busy) = (bond(1), bond(2));
        bonds.open(idle.clone(), device(1), now).unwrap();
        bonds.open(busy.clone(), device(1), now).unwrap();
        let mut at = now;
        for count in 0.. {
            at += IDLE / 2;
            if at - now >= LONGEST {
                break;
            }
            assert_eq!(ask(&bonds, &busy, count, at), Ok(device(1)), "{count}");
        }
        assert_eq!(ask(&bonds, &busy, 1000, at), Err(Unbound::Over));
        assert_eq!(ask(&bonds, &idle, 0, now + IDLE), Err(Unbound::Over));
        assert!(bonds.find(idle.id(), now + IDLE).is_none());
    }

    #[test]
    fn s18_the_same_hello_opens_one_bond() {
        let now = Instant::now();
        let bonds = Bonds::new(now);
        bonds.open(bond(1), device(1), now).unwrap();
        assert_eq!(bonds.open(bond(1), device(1), now), Err(NotOpened::Again));
        bonds.end(bond(1).id(), now);
        assert_eq!(bonds.open(bond(1), device(1), now), Err(NotOpened::Again), "its device is signed out");
        let stamp = bonds.stamp(now + HELLO_WITHIN);
        assert!(bonds.is_in_time(stamp, now + HELLO_WITHIN) && !bonds.is_in_time(0, now + HELLO_WITHIN));
        assert!(!bonds.is_in_time(1000, now), "a stamp from the future");
    }

    #[test]
    fn s12_the_number_of_bonds_is_bounded_and_one_device_ends_no_other_ones() {
        let now = Instant::now();
        let bonds = Bonds::new(now);
        let other = bond(u32::MAX);
        bonds.open(other.clone(), device(2), now).unwrap();
        for number in 0..MOST_OF_A_DEVICE as u32 {
            bonds.open(bond(number), device(1), now).unwrap();
        }
        assert_eq!(bonds.open(bond(1000), device(1), now), Err(NotOpened::TooMany));
        let later = now + HELLO_WITHIN;
        bonds.open(bond(1000), device(1), later).unwrap();
        assert_eq!(bonds.bonds().len(), MOST_OF_A_DEVICE + 1);
        assert_eq!(ask(&bonds, &other, 0, later), Ok(device(2)));
    }
}
