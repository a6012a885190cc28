//! Who decides how large the terminal is.

use model::{SizePolicy, TermSize};
use protocol::ViewerId;

/// A viewer that could decide on the size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) viewer: ViewerId,
    /// How large its screen is.
    pub(crate) size: TermSize,
    /// When it last attached, typed or took focus, counted in such events.
    pub(crate) active: u64,
}

/// The size the terminal shall have, and whose it is; nothing if it shall stay as it is.
pub(crate) fn decide(policy: SizePolicy, claims: &[Claim]) -> Option<(TermSize, Option<ViewerId>)> {
    match policy {
        SizePolicy::Fixed => None,
        SizePolicy::Latest => {
            let latest = claims.iter().max_by_key(|claim| claim.active)?;
            Some((latest.size, Some(latest.viewer)))
        }
        SizePolicy::Smallest => {
            let cols = claims.iter().map(|claim| claim.size.cols()).min()?;
            let rows = claims.iter().map(|claim| claim.size.rows()).min()?;
            let size = TermSize::clamped(cols, rows);
            let owner = claims.iter().find(|claim| claim.size == size).map(|claim| claim.viewer);
            Some((size, owner))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(viewer: u64, cols: u16, rows: u16, active: u64) -> Claim {
        Claim { viewer: ViewerId(viewer), size: TermSize::clamped(cols, rows), active }
    }

    #[test]
    fn the_latest_owns_the_size() {
        let claims = [claim(1, 80, 24, 5), claim(2, 120, 40, 3)];
        assert_eq!(decide(SizePolicy::Latest, &claims), Some((TermSize::clamped(80, 24), Some(ViewerId(1)))));
    }

    #[test]
    fn the_smallest_fits_everyone() {
        let claims = [claim(1, 80, 40, 5), claim(2, 120, 24, 3)];
        assert_eq!(decide(SizePolicy::Smallest, &claims), Some((TermSize::clamped(80, 24), None)));
        assert_eq!(
            decide(SizePolicy::Smallest, &claims[..1]),
            Some((TermSize::clamped(80, 40), Some(ViewerId(1))))
        );
    }

    #[test]
    fn a_fixed_size_has_no_owner_and_without_viewers_nothing_changes() {
        assert_eq!(decide(SizePolicy::Fixed, &[claim(1, 80, 24, 1)]), None);
        assert_eq!(decide(SizePolicy::Latest, &[]), None);
        assert_eq!(decide(SizePolicy::Smallest, &[]), None);
    }
}
