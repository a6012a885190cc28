//! The laws that hold for any output, in any split and with a resize at any place.
//!
//! The random tests, the fuzz target and the soak all judge by this file.

use std::fmt::Write;

use model::TermSize;
use terminal::{HistoryLimit, Signal, SnapshotForm, StyledRow, Terminal};
use testkit::Random;

use crate::life::{Event, ScriptedTerminal};

/// Why a law does not hold for a life.
pub(crate) enum Failure {
    /// It should, and this shows that it does not.
    Broken(String),
    /// It cannot: the terminal was in a state that no snapshot reaches.
    Void,
}

impl From<String> for Failure {
    fn from(broken: String) -> Failure {
        Failure::Broken(broken)
    }
}

/// A law: holds for a life, or says why not.
pub(crate) type Law = fn(&ScriptedTerminal) -> Result<(), Failure>;

/// Every law.
pub(crate) const LAWS: [Law; 5] = [
    any_split_gives_the_same_terminal,
    a_snapshot_rebuilds_the_terminal,
    a_screen_snapshot_redraws_the_screen,
    snapshots_are_silent,
    everything_stays_bounded,
];

/// Splits the output anywhere, and compares with the output in one piece.
pub(crate) fn any_split_gives_the_same_terminal(life: &ScriptedTerminal) -> Result<(), Failure> {
    let mut whole = life.terminal();
    life.live(&mut whole, 0, life.output.len());
    let mut random = Random::new(life.seed);
    let mut split = life.terminal();
    let mut replies = Vec::new();
    for event in life.events(0, life.output.len()) {
        match event {
            Event::Resize(size) => split.resize(size),
            Event::Output(mut rest) => {
                let longest = random.pick(&[1, 2, 7, 300]);
                while !rest.is_empty() {
                    let (now, later) = rest.split_at(random.between(1, longest).min(rest.len()));
                    split.feed(now);
                    replies.extend(split.take_replies());
                    rest = later;
                }
            }
        }
    }
    same("after a split", &split.describe(), &whole.describe())?;
    replies.extend(split.take_replies());
    // A terminal drops answers that the caller does not take, so only the first ones can be compared.
    match replies.starts_with(&whole.take_replies()) {
        true => Ok(()),
        false => Err(Failure::Broken("after a split: other replies".into())),
    }
}

/// Takes a snapshot, gives it to a fresh terminal, and lets both live on.
pub(crate) fn a_snapshot_rebuilds_the_terminal(life: &ScriptedTerminal) -> Result<(), Failure> {
    // When bytes are the limit, whole blocks of history leave, and in a rebuilt terminal they begin elsewhere.
    let life = &ScriptedTerminal { limit: HistoryLimit { bytes: usize::MAX, ..life.limit }, ..life.clone() };
    let mut original = life.terminal();
    life.live(&mut original, 0, life.cut);
    let mut viewer = Terminal::new(original.size(), life.limit);
    viewer.feed(&original.snapshot(SnapshotForm::Full { history: usize::MAX }));
    let unreached = original.out_of_reach().is_some();
    same("after the snapshot", &viewer.describe(), &original.describe())
        .or_else(|failure| excuse(unreached, failure))?;
    life.live(&mut original, life.cut, life.output.len());
    life.live(&mut viewer, life.cut, life.output.len());
    let (viewer, original) = (viewer.describe(), original.describe());
    // Stops beyond the right edge, from when the terminal was wider, count again when it is widened; no snapshot
    // can set them, so such a life ends here.
    if !life.resizes.is_empty() && tab_stops(&viewer) != tab_stops(&original) {
        return Err(Failure::Void);
    }
    same("after the snapshot and the rest", &viewer, &original).or_else(|failure| excuse(unreached, failure))
}

/// A snapshot's failure does not count if it was taken in a state that no snapshot reaches.
fn excuse(unreached: bool, failure: Failure) -> Result<(), Failure> {
    Err(if unreached { Failure::Void } else { failure })
}

fn tab_stops(description: &str) -> Vec<&str> {
    description.lines().filter_map(|line| Some(line.split_once(" tabs ")?.1)).collect()
}

/// Takes a snapshot of the visible screen and gives it to a terminal that showed something else.
pub(crate) fn a_screen_snapshot_redraws_the_screen(life: &ScriptedTerminal) -> Result<(), Failure> {
    let mut original = life.terminal();
    life.live(&mut original, 0, life.cut);
    let mut viewer = Terminal::new(original.size(), life.limit);
    viewer.feed(DIRT);
    if original.title().is_empty() {
        // A program that names no title leaves the viewer's own.
        viewer.feed(b"\x18\x1b]2;\x07");
    }
    viewer.feed(&original.snapshot(SnapshotForm::Screen));
    same("after the screen's snapshot", &visible(&viewer), &visible(&original))
        .or_else(|failure| excuse(original.out_of_reach().is_some(), failure))
}

/// What a viewer may have been shown before a snapshot reaches it; it even stopped inside a sequence.
const DIRT: &[u8] = b"\x1b[?1049h\x1b[?6;1000;1004;1006;2004h\x1b[?25l\x1b[4h\x1b[2;3r\x1b[3g\x1b(0\x0e\x1b[?7l\
    \x1b[1;4;7;38;5;9;48;2;1;2;3mdirty\x1b[5 q\x1b[>5u\x1b]2;dirty\x07\x1b]8;;http://dirty\x07\x1b]4;1;#123456\x07\x1b[";

/// The mode in which a terminal reports its size, the first time as soon as it is set. Our own viewers know that the
/// host does that. A person's own terminal never gets this mode.
const SIZE_REPORTS: u32 = 2048;

/// A snapshot asks nothing and rings no bell, in either form.
pub(crate) fn snapshots_are_silent(life: &ScriptedTerminal) -> Result<(), Failure> {
    let mut original = life.terminal();
    life.live(&mut original, 0, life.cut);
    for form in [SnapshotForm::Full { history: usize::MAX }, SnapshotForm::Screen] {
        let mut viewer = Terminal::new(original.size(), life.limit);
        viewer.feed(&original.snapshot(form));
        let replies = viewer.take_replies();
        let announced = form != SnapshotForm::Screen && original.modes().private(SIZE_REPORTS) == Some(true);
        if !replies.is_empty() && !announced {
            return Err(format!("a snapshot drew the reply {}", replies.escape_ascii()).into());
        }
        if viewer.take_signals().contains(&Signal::Bell) {
            return Err(Failure::Broken("a snapshot rang the bell".into()));
        }
    }
    Ok(())
}

/// Nothing grows beyond its limit, and every way to look at the terminal works.
pub(crate) fn everything_stays_bounded(life: &ScriptedTerminal) -> Result<(), Failure> {
    let mut terminal = life.terminal();
    life.live(&mut terminal, 0, life.output.len());
    let size = terminal.size();
    let cursor = terminal.cursor();
    let shown: Vec<StyledRow> = terminal.rows().collect();
    let _ = (terminal.text(usize::MAX), terminal.html(usize::MAX));

    within("lines of history", terminal.history_len(), life.limit.lines)?;
    within("bytes of history", terminal.history_bytes(), life.limit.bytes + HISTORY_SLACK)?;
    within("bytes of replies", terminal.take_replies().len(), MAX_REPLIES)?;
    within("signals", terminal.take_signals().len(), MAX_SIGNALS)?;
    within("the cursor's column", cursor.col.into(), usize::from(size.cols()) - 1)?;
    within("the cursor's row", cursor.row.into(), usize::from(size.rows()) - 1)?;
    within("rows", shown.len(), size.rows().into())?;
    within("rows that are missing", usize::from(size.rows()) - shown.len(), 0)?;
    let cols = |row: &StyledRow| row.spans.iter().map(|span| usize::from(span.cols)).sum();
    within("columns of a row", shown.iter().map(cols).max().unwrap_or(0), size.cols().into())
}

/// The newest lines stay even when they alone are more than the limit.
const HISTORY_SLACK: usize = 256 << 10;
/// The bound of answers that the caller does not take, in bytes.
const MAX_REPLIES: usize = 64 << 10;
/// The bound of signals that the caller does not take.
const MAX_SIGNALS: usize = 256;
/// No program sets private modes with higher numbers.
const HIGHEST_MODE: u32 = 3000;

fn within(what: &str, number: usize, limit: usize) -> Result<(), Failure> {
    if number <= limit { Ok(()) } else { Err(format!("{what}: {number}, allowed are {limit}").into()) }
}

/// What a person sees, and what keys and mouse do.
fn visible(terminal: &Terminal) -> String {
    let mut out = String::new();
    for row in terminal.rows() {
        let _ = writeln!(out, "{}", seen(&row, terminal.size()));
    }
    let modes = terminal.modes();
    let set = |mode: &u32| *mode != SIZE_REPORTS && modes.private(*mode) == Some(true);
    let private: Vec<u32> = (0..=HIGHEST_MODE).filter(set).collect();
    let others = (modes.insert, modes.newline, modes.modify_other_keys, terminal.keyboard_flags());
    let _ = writeln!(out, "{:?}\nmodes {private:?} {others:?}", terminal.cursor());
    let _ = writeln!(out, "title {:?}", terminal.title());
    out
}

/// A row with every blank column spelled out, so that it does not matter which of them were written.
fn seen(row: &StyledRow, size: TermSize) -> String {
    let mut out = String::new();
    let mut look = String::new();
    let mut put = |style: String, text: &str| {
        if style != look {
            let _ = write!(out, " [{style}]");
            look = style;
        }
        out.push_str(text);
    };
    let mut cols = 0;
    for span in &row.spans {
        put(format!("{:?} {:?}", span.style, span.link), &span.text);
        cols += usize::from(span.cols);
    }
    if let Some(left) = usize::from(size.cols()).checked_sub(cols).filter(|left| *left > 0) {
        put(format!("{:?} None", row.fill), &" ".repeat(left));
    }
    out
}

/// Compares line by line; what differs is shown, wherever it stands.
fn same(when: &str, ours: &str, expected: &str) -> Result<(), Failure> {
    if ours == expected {
        return Ok(());
    }
    let lacks = |whole: &str, line: &str| whole.lines().all(|other| other != line);
    let mut broken = format!("{when}:\n");
    for line in ours.lines().filter(|line| lacks(expected, line)) {
        let _ = writeln!(broken, "  got      {line}");
    }
    for line in expected.lines().filter(|line| lacks(ours, line)) {
        let _ = writeln!(broken, "  expected {line}");
    }
    Err(broken.into())
}
