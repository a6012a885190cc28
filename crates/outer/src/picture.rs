//! What the outer terminal shows of a worker.

use filter::{Filter, Passed};
use model::{Offset, TermSize};
use terminal::{HistoryLimit, Terminal};

use crate::glass::Glass;

/// What the outer terminal shows of a worker: messages of its host and sizes go in, bytes for the outer terminal
/// come out.
///
/// Where the worker's terminal is as large as the outer one, those are the child's own bytes, filtered; otherwise a
/// model follows the child, and a window onto it is [painted](Picture::paint).
pub struct Picture {
    worker: TermSize,
    outer: TermSize,
    filter: Filter,
    scratch: Vec<u8>,
    shows: Shows,
    /// What a window was painted on, as long as that is what the outer terminal shows.
    glass: Option<Glass>,
    is_painted: bool,
}

enum Shows {
    /// Nothing that could be gone on with: output is dropped until a snapshot comes.
    Nothing,
    /// A snapshot of which parts are still to come.
    Part(Canvas),
    /// The screen after so much output.
    Live { canvas: Canvas, at: Offset },
}

/// What the worker's bytes are drawn on.
enum Canvas {
    /// The outer terminal.
    Outer,
    /// A terminal of the worker's size.
    Model(Box<Terminal>),
}

/// What a picture needs to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// A new snapshot from the host.
    Snapshot,
}

impl Picture {
    /// A picture of nothing yet.
    pub fn new(worker: TermSize, outer: TermSize) -> Picture {
        Picture {
            worker,
            outer,
            filter: Filter::default(),
            scratch: Vec::new(),
            shows: Shows::Nothing,
            glass: None,
            is_painted: true,
        }
    }

    /// The size of the worker's terminal.
    pub fn worker(&self) -> TermSize {
        self.worker
    }

    /// The size of the outer terminal.
    pub fn outer(&self) -> TermSize {
        self.outer
    }

    /// The offset up to which output is shown, if more of it can be added.
    pub fn since(&self) -> Option<Offset> {
        match self.shows {
            Shows::Live { at, .. } => Some(at),
            Shows::Nothing | Shows::Part(_) => None,
        }
    }

    /// Takes in a part of a snapshot.
    pub fn snapshot(&mut self, at: Offset, last: bool, part: &[u8], out: &mut Vec<u8>) {
        let mut canvas = match std::mem::replace(&mut self.shows, Shows::Nothing) {
            Shows::Part(canvas) => canvas,
            Shows::Nothing | Shows::Live { .. } => self.begin(),
        };
        let shown = self.filter.pass_snapshot(part, &mut self.scratch);
        canvas.draw(shown, out);
        let is_right_canvas = matches!(canvas, Canvas::Outer) == (self.worker == self.outer);
        self.shows = match last {
            false => Shows::Part(canvas),
            true if is_right_canvas => Shows::Live { canvas, at },
            // The outer terminal's size changed meanwhile, and another snapshot is on its way.
            true => Shows::Nothing,
        };
        self.is_painted = false;
    }

    /// Begins a snapshot.
    fn begin(&mut self) -> Canvas {
        self.filter.reset();
        if self.worker == self.outer {
            self.glass = None;
            Canvas::Outer
        } else {
            Canvas::Model(Box::new(Terminal::new(self.worker, HistoryLimit { lines: 0, bytes: 0 })))
        }
    }

    /// Takes in output of the child.
    pub fn output(&mut self, from: Offset, bytes: &[u8], out: &mut Vec<u8>) -> Needs {
        let Shows::Live { canvas, at } = &mut self.shows else { return Needs::Nothing };
        if from != *at {
            // A host leaves nothing out; one that does is not to be followed blindly.
            self.shows = Shows::Nothing;
            return Needs::Snapshot;
        }
        self.is_painted = false;
        *at += bytes.len();
        let passed = self.filter.pass(bytes, &mut self.scratch);
        canvas.draw(passed.shown(), out);
        match passed {
            Passed::All { .. } => Needs::Nothing,
            Passed::Until { .. } => {
                self.shows = Shows::Nothing;
                Needs::Snapshot
            }
        }
    }

    /// The worker's terminal has this size from now on; a snapshot follows.
    pub fn resize_worker(&mut self, size: TermSize) {
        self.worker = size;
        self.shows = Shows::Nothing;
    }

    /// The connection to the host is gone; what is unfinished stays so.
    pub fn cut_off(&mut self) {
        if let Shows::Part(_) = self.shows {
            self.shows = Shows::Nothing;
        }
    }

    /// The outer terminal has this size from now on, and perhaps something else on its screen.
    pub fn resize_outer(&mut self, size: TermSize) -> Needs {
        self.outer = size;
        self.glass = None;
        self.is_painted = false;
        match &self.shows {
            Shows::Live { canvas: Canvas::Model(_), .. } if self.worker != size => Needs::Nothing,
            // The parts to come belong to the snapshot that was begun.
            Shows::Part(_) => Needs::Snapshot,
            Shows::Live { .. } | Shows::Nothing => {
                self.shows = Shows::Nothing;
                Needs::Snapshot
            }
        }
    }

    /// Paints what has changed, if the outer terminal shows a window. A picture that is painted seldom shows less of
    /// the screens between, and never anything wrong.
    pub fn paint(&mut self, out: &mut Vec<u8>) {
        if self.is_painted {
            return;
        }
        if let Shows::Live { canvas: Canvas::Model(model), .. } = &self.shows {
            self.glass.get_or_insert_with(|| Glass::new(self.outer)).paint(model, out);
            self.is_painted = true;
        }
    }
}

impl Canvas {
    fn draw(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Canvas::Outer => out.extend_from_slice(bytes),
            Canvas::Model(model) => {
                model.feed(bytes);
                // The host's model answers questions, and the host sends signals to viewers that want them.
                model.take_replies();
                model.take_signals();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::SnapshotForm;

    fn size(cols: u16, rows: u16) -> TermSize {
        TermSize::clamped(cols, rows)
    }

    fn terminal(size: TermSize) -> Terminal {
        Terminal::new(size, HistoryLimit { lines: 0, bytes: 0 })
    }

    /// A worker, and a person's terminal that shows it.
    struct Scene {
        worker: Terminal,
        at: Offset,
        picture: Picture,
        outer: Terminal,
    }

    impl Scene {
        fn new(worker: TermSize, outer: TermSize) -> Scene {
            Scene {
                worker: terminal(worker),
                at: Offset(0),
                picture: Picture::new(worker, outer),
                outer: terminal(outer),
            }
        }

        fn show(&mut self, act: impl FnOnce(&mut Picture, &mut Vec<u8>)) {
            let mut out = Vec::new();
            act(&mut self.picture, &mut out);
            self.picture.paint(&mut out);
            self.outer.feed(&out);
        }

        fn snapshot(&mut self) {
            let (at, bytes) = (self.at, self.worker.snapshot(SnapshotForm::Screen));
            let (first, second) = bytes.split_at(bytes.len() / 2);
            self.show(|picture, out| picture.snapshot(at, false, first, out));
            self.show(|picture, out| picture.snapshot(at, true, second, out));
        }

        fn output(&mut self, text: &str) -> Needs {
            let mut needs = Needs::Nothing;
            let at = self.at;
            self.worker.feed(text.as_bytes());
            self.at += text.len();
            self.show(|picture, out| needs = picture.output(at, text.as_bytes(), out));
            needs
        }

        fn resize_worker(&mut self, size: TermSize) {
            self.worker.resize(size);
            self.picture.resize_worker(size);
            self.snapshot();
        }

        fn resize_outer(&mut self, size: TermSize) -> Needs {
            self.outer.resize(size);
            let mut needs = Needs::Nothing;
            self.show(|picture, _| needs = picture.resize_outer(size));
            needs
        }

        #[track_caller]
        fn check(&self, rows: &[&str]) {
            let shown: Vec<String> = self.outer.rows().map(|row| row.text().trim_end().to_owned()).collect();
            assert_eq!(shown, rows);
            assert!(self.outer.on_alternate_screen());
        }
    }

    #[test]
    fn terminals_of_one_size_show_the_same() {
        let mut scene = Scene::new(size(10, 2), size(10, 2));
        let _ = scene.output("before ");
        scene.snapshot();
        assert_eq!(scene.output("\x1b[6nafter"), Needs::Nothing);
        scene.check(&["before aft", "er"]);
        assert!(scene.outer.take_replies().is_empty(), "questions do not get through");
    }

    #[test]
    fn output_before_the_first_snapshot_is_not_shown() {
        let mut scene = Scene::new(size(10, 1), size(10, 1));
        let _ = scene.output("before");
        assert_eq!(scene.outer.text(0), "");
        assert_eq!(scene.picture.since(), None);
    }

    #[test]
    fn after_a_change_of_screens_the_worker_is_drawn_anew() {
        for outer in [size(10, 2), size(12, 2)] {
            let mut scene = Scene::new(size(10, 2), outer);
            let _ = scene.output("main");
            scene.snapshot();
            assert_eq!(scene.output("\x1b[?1049h\x1b[Hother"), Needs::Snapshot);
            assert_eq!(scene.output(" dropped until then"), Needs::Nothing);
            assert_eq!(scene.picture.since(), None);
            scene.worker.feed(b"\x1b[2J\x1b[Hother");
            scene.snapshot();
            scene.check(&["other", ""]);
            assert_eq!(scene.output("\x1b[?1049l"), Needs::Snapshot);
            scene.snapshot();
            scene.check(&["main", ""]);
        }
    }

    #[test]
    fn an_unfinished_sequence_at_a_snapshots_end_goes_on_in_the_output() {
        for outer in [size(10, 1), size(12, 1)] {
            let mut scene = Scene::new(size(10, 1), outer);
            let _ = scene.output("a\x1b[3");
            scene.snapshot();
            assert_eq!(scene.output("1mb"), Needs::Nothing);
            scene.check(&["ab"]);
            assert_eq!(scene.picture.since(), Some(scene.at));
        }
    }

    #[test]
    fn a_window_becomes_the_screen_itself_when_the_sizes_agree() {
        let mut scene = Scene::new(size(6, 2), size(10, 3));
        let _ = scene.output("1234\r\n567");
        scene.snapshot();
        scene.check(&["1234", "567", ""]);
        scene.resize_worker(size(10, 3));
        assert_eq!(scene.output("890\x1b[?1000h"), Needs::Nothing);
        scene.check(&["1234", "567890", ""]);
        assert_eq!(scene.outer.modes().mouse, terminal::MouseTracking::Buttons);
        scene.resize_worker(size(4, 2));
        assert_eq!(scene.outer.modes().mouse, terminal::MouseTracking::Off);
    }

    #[test]
    fn a_changed_outer_terminal_shows_the_worker_again() {
        let mut scene = Scene::new(size(10, 2), size(10, 2));
        let _ = scene.output("12345678\r\nx");
        scene.snapshot();
        assert_eq!(scene.resize_outer(size(5, 2)), Needs::Snapshot);
        scene.snapshot();
        scene.check(&["12345", "x"]);
        // As long as there is a model of the worker, no snapshot is needed.
        assert_eq!(scene.resize_outer(size(12, 3)), Needs::Nothing);
        scene.check(&["12345678", "x", ""]);
        assert_eq!(scene.resize_outer(size(10, 2)), Needs::Snapshot);
        scene.snapshot();
        let _ = scene.output("y");
        scene.check(&["12345678", "xy"]);
    }

    #[test]
    fn a_snapshot_that_comes_while_the_outer_terminal_changes_is_not_gone_on_from() {
        let mut scene = Scene::new(size(10, 2), size(10, 2));
        let bytes = scene.worker.snapshot(SnapshotForm::Screen);
        let (first, second) = bytes.split_at(bytes.len() / 2);
        scene.show(|picture, out| picture.snapshot(Offset(0), false, first, out));
        assert_eq!(scene.resize_outer(size(5, 2)), Needs::Snapshot);
        scene.show(|picture, out| picture.snapshot(Offset(0), true, second, out));
        assert_eq!(scene.picture.since(), None);
        scene.snapshot();
        assert_eq!(scene.output("12345678\r\nx"), Needs::Nothing);
        scene.check(&["12345", "x"]);
    }

    #[test]
    fn output_that_does_not_follow_is_not_shown() {
        let mut scene = Scene::new(size(10, 1), size(10, 1));
        scene.snapshot();
        scene.at += 1;
        assert_eq!(scene.output("later"), Needs::Snapshot);
        scene.check(&[""]);
    }
}
