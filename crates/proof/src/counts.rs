//! Which requests of a bond have come already.

/// How far a request may come behind the newest one. A browser sends a page's requests over several connections, so
/// they overtake each other, but only by a few.
const WINDOW: u64 = 1024;

const WORDS: usize = (WINDOW / 64) as usize;

/// The numbers of the requests that have come, the newest of them one by one. Older ones count as come.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// One above the largest number.
    next: u64,
    come: [u64; WORDS],
}

impl Counts {
    /// Takes a number. Returns false if it has come already, or is too old to tell.
    #[must_use]
    pub fn take(&mut self, count: u64) -> bool {
        // The largest number has no successor. No page gets there.
        let Some(next) = count.checked_add(1) else { return false };
        if next > self.next {
            let skipped = (next - self.next).min(WINDOW);
            (next - skipped..next).for_each(|number| self.clear(number));
            self.next = next;
        } else if self.next - count > WINDOW {
            return false;
        }
        let (word, bit) = place(count);
        let is_new = self.come[word] & bit == 0;
        self.come[word] |= bit;
        is_new
    }

    fn clear(&mut self, number: u64) {
        let (word, bit) = place(number);
        self.come[word] &= !bit;
    }
}

fn place(number: u64) -> (usize, u64) {
    (usize::try_from(number % WINDOW / 64).expect("a small number"), 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn s18_a_number_is_taken_once() {
        let mut counts = Counts::default();
        assert!(counts.take(5) && !counts.take(5));
        assert!(counts.take(3) && counts.take(4) && !counts.take(3));
        assert!(counts.take(5 + WINDOW) && !counts.take(5), "it is too old to tell");
        assert!(counts.take(6) && !counts.take(6));
        assert!(!counts.take(u64::MAX));
        assert!(counts.take(u64::MAX - 1) && !counts.take(u64::MAX - 1) && !counts.take(7));
    }

    proptest! {
        #[test]
        fn s18_no_order_of_numbers_is_taken_twice(
            steps in prop::collection::vec(prop_oneof![0_u64..64, 0_u64..3000, any::<u64>()], 0..400)
        ) {
            let (mut counts, mut taken, mut newest) = (Counts::default(), HashSet::new(), 0);
            for count in steps {
                let is_taken = counts.take(count);
                if is_taken {
                    prop_assert!(taken.insert(count));
                } else {
                    let too_old = newest > count && newest - count >= WINDOW;
                    prop_assert!(taken.contains(&count) || too_old || count == u64::MAX);
                }
                if count != u64::MAX {
                    newest = newest.max(count);
                }
            }
        }
    }
}
