//! A table in Markdown.

use std::fmt;

/// A table in Markdown: a heading, and rows as long as it.
pub(super) struct Table(Vec<Vec<String>>);

impl Table {
    pub(super) fn new(corner: &str, columns: &[impl AsRef<str>]) -> Table {
        let head = [corner].into_iter().chain(columns.iter().map(AsRef::as_ref)).map(str::to_owned).collect();
        Table(vec![head, vec!["---".to_owned(); columns.len() + 1]])
    }

    pub(super) fn add(&mut self, name: &str, cells: Vec<String>) {
        self.0.push([name.to_owned()].into_iter().chain(cells).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|row| writeln!(f, "| {} |", row.join(" | ")))
    }
}
