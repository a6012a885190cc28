//! The text of the screen, for viewers that ask for it, and the notice that there is more to look at.

use std::io;

use jiff::Timestamp;
use protocol::{HostMessage, RowsReport, ViewerId};

use super::{Subject, Ticket};
use crate::host::Host;
use crate::told::DrawnRows;
use crate::viewer::Viewer;

/// A viewer waits for the text of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowsAsked {
    /// Which one it gets.
    ticket: Ticket,
    /// Whether it has asked again meanwhile. However often it did, it gets one more answer.
    again: bool,
}

impl Host {
    /// A viewer asks for the text of the screen as it is now.
    pub(crate) fn ask_for_rows(&mut self, id: ViewerId) {
        if let Some(asked) = self.viewers.get_mut(id).and_then(|viewer| viewer.rows_asked.as_mut()) {
            asked.again = true;
            return;
        }
        let ticket = self.request(Subject::Rows);
        if let Some(viewer) = self.viewers.get_mut(id) {
            viewer.rows_asked = Some(RowsAsked { ticket, again: false });
        }
    }

    /// The text of a screen has come. It goes to the viewers that asked for it.
    pub(crate) fn deliver_rows(&mut self, drawn: &DrawnRows) -> io::Result<()> {
        self.requests.retain(|request| request.ticket != drawn.ticket);
        self.note_awaited();
        let waits = |viewer: &&Viewer| viewer.rows_asked.is_some_and(|asked| asked.ticket == drawn.ticket);
        let waiting: Vec<ViewerId> = self.viewers.iter().filter(waits).map(|viewer| viewer.id).collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let report = HostMessage::Rows(Box::new(RowsReport {
            offset: drawn.at,
            size: drawn.size,
            rows: drawn.rows.clone(),
            cursor: drawn.cursor,
            alternate_screen: drawn.alternate_screen,
            quiet_ms: self.quiet_ms(),
        }));
        for id in waiting {
            let Some(viewer) = self.viewers.get_mut(id) else { continue };
            let again = viewer.rows_asked.take().is_some_and(|asked| asked.again);
            if let Some(watching) = viewer.watching_mut() {
                watching.prints.seen(drawn.at);
            }
            if again {
                self.ask_for_rows(id);
            }
            self.say(id, &report)?;
        }
        self.mention_print();
        Ok(())
    }

    /// Tells the viewers that wait for it that the child has printed something.
    pub(crate) fn mention_print(&mut self) {
        let end = self.end();
        for viewer in self.viewers.iter_mut() {
            if let Some(watching) = viewer.watching_mut()
                && watching.prints.take(end)
            {
                viewer.line.say(&HostMessage::Printed(end));
                self.mentioned = true;
            }
        }
    }

    /// For how long the child has printed nothing.
    fn quiet_ms(&self) -> u64 {
        let since = self.printed_at.unwrap_or(self.started_at);
        u64::try_from(Timestamp::now().duration_since(since).as_millis()).unwrap_or(0)
    }
}
