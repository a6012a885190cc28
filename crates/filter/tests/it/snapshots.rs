//! A host, its snapshots, and a person's terminal behind a filter.

use filter::{Filter, Passed};
use proptest::prelude::*;
use terminal::{SnapshotForm, Terminal};
use testkit::Random;

use crate::laws::{Output, any_output, ends_at_rest, pieces};

/// A person's terminal that shows a worker.
struct Outer {
    terminal: Terminal,
    filter: Filter,
    scratch: Vec<u8>,
    /// All that was drawn.
    drawn: Vec<u8>,
}

impl Outer {
    fn new(output: &Output) -> Outer {
        let mut terminal = output.terminal();
        terminal.feed(b"the person's own\r\n");
        Outer { terminal, filter: Filter::default(), scratch: Vec::new(), drawn: Vec::new() }
    }

    /// Draws the host's screen anew, in parts as long as a frame might be.
    fn redraw(&mut self, host: &Terminal) {
        self.filter.reset();
        for part in host.snapshot(SnapshotForm::Screen).chunks(1000) {
            let shown = self.filter.pass_snapshot(part, &mut self.scratch);
            self.terminal.feed(shown);
            self.drawn.extend(shown);
        }
    }

    /// Shows live output; whether that was possible without a snapshot.
    fn show(&mut self, output: &[u8]) -> bool {
        let passed = self.filter.pass(output, &mut self.scratch);
        self.terminal.feed(passed.shown());
        matches!(passed, Passed::All { .. })
    }
}

fn visible(terminal: &Terminal) -> Vec<String> {
    let text = |row: terminal::StyledRow| row.spans.iter().map(|span| span.text.as_str()).collect::<String>();
    terminal.rows().map(|row| text(row).trim_end().to_owned()).collect()
}

proptest! {
    #[test]
    fn o4_a_viewer_draws_no_answer_and_stays_on_its_alternate_screen(output in any_output(), seed: u64) {
        let mut random = Random::new(seed);
        let mut host = output.terminal();
        let mut outer = Outer::new(&output);
        outer.redraw(&host);
        for piece in pieces(&output.bytes, &mut random) {
            host.feed(&piece);
            if !outer.show(&piece) || random.percent(5) {
                outer.redraw(&host);
                if host.out_of_reach().is_none() {
                    prop_assert_eq!(visible(&outer.terminal), visible(&host));
                }
            }
            prop_assert!(outer.terminal.on_alternate_screen());
        }
        let replies = outer.terminal.take_replies();
        prop_assert!(replies.is_empty(), "{}", replies.escape_ascii());
    }

    #[test]
    fn the_filter_holds_back_the_unfinished_end_of_a_snapshot(output in any_output(), cut: prop::sample::Index) {
        let mut host = output.terminal();
        host.feed(&output.bytes[..cut.index(output.bytes.len() + 1)]);
        let mut outer = Outer::new(&output);
        outer.redraw(&host);
        prop_assert!(ends_at_rest(&outer.drawn));
    }
}

#[test]
fn s23_a_snapshot_holds_no_link_to_elsewhere() {
    let output = Output { size: model::TermSize::clamped(40, 3), bytes: Vec::new() };
    let mut host = output.terminal();
    host.feed(b"\x1b]8;;file:///etc/passwd\x07here\x1b]8;;http://example.com\x07there");
    let mut outer = Outer::new(&output);
    outer.redraw(&host);
    let links: Vec<String> = outer
        .terminal
        .rows()
        .flat_map(|row| row.spans)
        .filter_map(|span| span.link.map(|link| format!("{} {}", span.text, link.uri)))
        .collect();
    assert_eq!(links, ["there http://example.com"]);
}

#[test]
fn o4_a_question_begun_in_a_snapshot_is_removed() {
    let output = Output { size: model::TermSize::clamped(40, 3), bytes: Vec::new() };
    let mut host = output.terminal();
    host.feed(b"text\x1b[6");
    let mut outer = Outer::new(&output);
    outer.redraw(&host);
    assert!(outer.show(b"nmore"));
    assert_eq!(visible(&outer.terminal)[0], "textmore");
    assert!(outer.terminal.take_replies().is_empty());
}
