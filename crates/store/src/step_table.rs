//! Reads the table in a doc comment, so that tests can hold code to it.

/// One cell: from where, which step, and where that leads, if it may be taken.
pub(crate) struct Cell {
    pub(crate) from: &'static str,
    pub(crate) step: &'static str,
    pub(crate) to: Option<&'static str>,
}

/// The cells of the one table in a source file's doc comments.
pub(crate) fn cells(source: &'static str) -> Vec<Cell> {
    let columns = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    let mut rows = source.lines().filter_map(|line| line.strip_prefix("/// |")).map(columns);
    let steps = rows.next().expect("a table has a head");
    let rule = rows.next().expect("a rule is below the head");
    assert!(rule.iter().all(|column| column.bytes().all(|byte| byte == b'-')), "{rule:?}");
    let cells_of = |row: Vec<&'static str>| {
        assert_eq!(row.len(), steps.len(), "{row:?}");
        let cell = |(step, to): (&&'static str, &&'static str)| Cell {
            from: row[0],
            step,
            to: (*to != "–").then_some(*to),
        };
        steps.iter().zip(&row).skip(1).map(cell).collect::<Vec<_>>()
    };
    rows.flat_map(cells_of).collect()
}
