//! Where in the stream a character came from.

/// The position and length of a character in the stream, and which columns it took; or nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u64);

const LEN: u64 = 0b0_0111;
const WIDE: u64 = 0b0_1000;
const MARK: u64 = 0b1_0000;
const SHIFT: u32 = 5;

impl Place {
    /// Of blank cells, and of those that have been masked.
    pub(crate) const NOWHERE: Place = Place(0);

    pub(crate) fn new(at: u64, len: usize) -> Place {
        Place(at << SHIFT | len as u64)
    }

    /// Of a character that took two columns.
    pub(crate) fn wide(self) -> Place {
        Place(self.0 | WIDE)
    }

    /// Of a mark that joined the character before it.
    pub(crate) fn mark(self) -> Place {
        Place(self.0 | MARK)
    }

    #[inline]
    pub(crate) fn is_nowhere(self) -> bool {
        self.0 & LEN == 0
    }

    pub(crate) fn at(self) -> u64 {
        self.0 >> SHIFT
    }

    pub(crate) fn len(self) -> usize {
        (self.0 & LEN) as usize
    }

    pub(crate) fn is_wide(self) -> bool {
        self.0 & WIDE != 0
    }

    pub(crate) fn is_mark(self) -> bool {
        self.0 & MARK != 0
    }

    /// The place of an equal character that came `bytes` later.
    #[inline(always)]
    pub(crate) fn after(self, bytes: u64) -> Place {
        Place(self.0 + (bytes << SHIFT))
    }

    /// The places of characters of `len` bytes that follow each other.
    #[inline(always)]
    pub(crate) fn run(at: u64, len: usize, count: usize) -> impl ExactSizeIterator<Item = Place> {
        let (first, step) = (at << SHIFT | len as u64, (len as u64) << SHIFT);
        (0..count).map(move |i| Place(first + i as u64 * step))
    }
}
