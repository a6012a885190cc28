//! Where in a worker's output something is.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// How many bytes of output a worker had produced; goes on counting over restarts of its host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Offset(pub u64);

/// Which incarnation of a host an offset belongs to.
///
/// It grows when a host was killed and its worker adopted: a viewer may then have seen bytes that were never
/// recorded, so its offsets mean nothing any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch(pub u32);

impl Epoch {
    /// The epoch after this one.
    pub fn next(self) -> Epoch {
        Epoch(self.0 + 1)
    }
}

impl Add<usize> for Offset {
    type Output = Offset;

    fn add(self, bytes: usize) -> Offset {
        Offset(self.0 + bytes as u64)
    }
}

impl AddAssign<usize> for Offset {
    fn add_assign(&mut self, bytes: usize) {
        self.0 += bytes as u64;
    }
}

/// The number of bytes between two offsets; none if the second is not before the first.
impl Sub for Offset {
    type Output = usize;

    fn sub(self, earlier: Offset) -> usize {
        usize::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(usize::MAX)
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
