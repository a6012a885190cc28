//! Where the next page of a list begins.

use std::fmt;
use std::str::FromStr;

use model::Offset;
use thiserror::Error;

/// A part of a list that is too long for one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last one.
    pub next: Option<Cursor>,
}

/// A place between the items of a recording. Several items may have the same offset.
///
/// As text it is two numbers with a dot between them. Clients send it back unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The offset of the last item before it.
    pub(super) at: Offset,
    /// The number of items with that offset before it.
    pub(super) seen: u64,
}

/// Why a text is no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this is not the `next` of a page")]
pub struct ParseCursorError;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at, self.seen)
    }
}

impl FromStr for Cursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Cursor, ParseCursorError> {
        let (at, seen) = text.split_once('.').ok_or(ParseCursorError)?;
        let number = |text: &str| text.parse().map_err(|_| ParseCursorError);
        Ok(Cursor { at: Offset(number(at)?), seen: number(seen)? })
    }
}

/// Fills a page with the items after a cursor.
pub(super) struct Filling<T> {
    page: Page<T>,
    after: Option<Cursor>,
    /// The offset of the latest item, and how many items had it.
    latest: Cursor,
    limit: usize,
    bytes_left: usize,
}

impl<T> Filling<T> {
    /// A page of at most `limit` items. The item that passes `most_bytes` is its last.
    pub(super) fn new(after: Option<Cursor>, limit: usize, most_bytes: usize) -> Filling<T> {
        Filling {
            page: Page { items: Vec::new(), next: None },
            after,
            latest: Cursor { at: Offset(0), seen: 0 },
            limit,
            bytes_left: most_bytes,
        }
    }

    /// Takes the next item in, if it comes after the cursor. Returns `false` if the page was full already; then this item
    /// and all later ones belong to the next page.
    pub(super) fn take(&mut self, at: Offset, bytes: usize, item: impl FnOnce() -> T) -> bool {
        let seen = if self.latest.at == at { self.latest.seen + 1 } else { 1 };
        let is_before = |after: Cursor| at < after.at || at == after.at && seen <= after.seen;
        if !self.after.is_some_and(is_before) {
            if self.page.items.len() >= self.limit || self.bytes_left == 0 {
                self.page.next = if self.page.items.is_empty() { self.after } else { Some(self.latest) };
                return false;
            }
            self.page.items.push(item());
            self.bytes_left = self.bytes_left.saturating_sub(bytes);
        }
        self.latest = Cursor { at, seen };
        true
    }

    pub(super) fn page(self) -> Page<T> {
        self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(offsets: &[u64], limit: usize) -> Vec<Vec<(u64, usize)>> {
        let mut pages = Vec::new();
        let mut after = None;
        loop {
            let mut filling = Filling::new(after, limit, usize::MAX);
            for (number, &at) in offsets.iter().enumerate() {
                if !filling.take(Offset(at), 1, || (at, number)) {
                    break;
                }
            }
            let page = filling.page();
            pages.push(page.items);
            match page.next {
                Some(next) => after = Some(next.to_string().parse().expect("it was just written")),
                None => return pages,
            }
        }
    }

    #[test]
    fn pages_together_are_everything_once() {
        let offsets = [0, 0, 0, 5, 7, 7, 7, 7, 9];
        let all: Vec<(u64, usize)> = offsets.iter().enumerate().map(|(n, &at)| (at, n)).collect();
        for limit in 1..12 {
            let pages = pages(&offsets, limit);
            assert_eq!(pages.concat(), all, "limit {limit}");
            assert!(pages.iter().all(|page| page.len() <= limit), "limit {limit}");
        }
        assert_eq!(pages(&[], 3), [[]]);
    }

    #[test]
    fn a_page_ends_when_it_has_bytes_enough() {
        let mut filling = Filling::new(None, 100, 10);
        let taken = (0..100).take_while(|&at| filling.take(Offset(at), 4, || at)).count();
        assert_eq!((taken, filling.page().items.len()), (3, 3));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in ["", "1", "1.", ".1", "1.2.3", "-1.0", "a.b", "99999999999999999999.0"] {
            assert_eq!(text.parse::<Cursor>(), Err(ParseCursorError), "{text}");
        }
    }
}
