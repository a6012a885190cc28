//! The server's own hand on a worker: a viewer that sees the screen, types, and checks what the screen shows then.

use std::time::Duration;

use agents::ScreenRows;
use api::{ErrorCode, Problem};
use model::{TermSize, TokenId, WorkerId};
use protocol::{Attach, HostMessage, ViewerMessage};
use terminal::{HistoryLimit, Terminal};
use tokio::time::{Instant, timeout_at};

use crate::app::App;
use crate::node::{HostLink, KeyModes, key_bytes, paste};

/// A host sends the screen, and takes keys, within this time unless it is stopped or starved.
const HOST_ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// A screen that has not changed for so long is drawn completely.
const DRAWN_AFTER: Duration = Duration::from_millis(60);

/// A viewer of the server's own, attached for one purpose.
pub(crate) struct Hand {
    worker: WorkerId,
    link: HostLink,
    terminal: Terminal,
    /// The size that the next snapshot has.
    size: TermSize,
    /// The number of the last ping.
    pings: u64,
    /// Whether the program has printed something since it was typed to.
    has_reacted: bool,
}

/// What a message of the host says.
enum Heard {
    /// The screen may show something else now.
    Screen,
    /// The host has handled everything up to the ping with this number.
    Pong(u64),
    Nothing,
}

impl Hand {
    /// Attaches to a worker for a token, and waits for its screen. The viewer has no size, so the program keeps its own.
    ///
    /// # Errors
    ///
    /// When the worker has ended, or its host does not answer.
    pub(crate) async fn attach(
        app: &App,
        worker: WorkerId,
        name: &str,
        token: TokenId,
    ) -> Result<Hand, Problem> {
        let link = app.link(worker).await?;
        let size = TermSize::MIN;
        let mut hand = Hand { worker, link, terminal: empty(size), size, pings: 0, has_reacted: false };
        hand.send(&ViewerMessage::Attach(Attach {
            principal: Some(token.to_string()),
            ..Attach::full(name)
        }))
        .await?;
        let deadline = Instant::now() + HOST_ANSWERS_WITHIN;
        while !matches!(hand.hear(deadline).await?, Heard::Screen) {}
        Ok(hand)
    }

    /// The screen as it is now, as far as it has come.
    pub(crate) fn screen(&self) -> ScreenRows {
        ScreenRows::of(&self.terminal)
    }

    /// Whether the program asks for brackets around pasted text.
    pub(crate) fn pastes_in_brackets(&self) -> bool {
        self.terminal.modes().bracketed_paste
    }

    /// Presses keys, by their names, one after the other. Returns when the host has taken them.
    ///
    /// # Errors
    ///
    /// When the host refuses a key, or does not answer.
    pub(crate) async fn press(&mut self, keys: &[String]) -> Result<(), Problem> {
        for key in keys {
            let modes = KeyModes { application_cursor: self.terminal.modes().application_cursor };
            let bytes = key_bytes(key, modes).map_err(|error| {
                Problem::new(ErrorCode::Internal, format!("the agent's definition: {error}"))
            })?;
            self.type_bytes(bytes).await?;
        }
        Ok(())
    }

    /// Types text as a terminal pastes it: in brackets if the program asks for them, and without controls.
    ///
    /// # Errors
    ///
    /// When the host refuses it, or does not answer.
    pub(crate) async fn paste(&mut self, text: &str) -> Result<(), Problem> {
        let bytes = paste(text.as_bytes(), self.terminal.modes().bracketed_paste);
        self.type_bytes(bytes).await
    }

    /// Waits until the screen shows what is wanted, and has been drawn completely. False if it does not within this time.
    ///
    /// # Errors
    ///
    /// When the worker ends, or its host goes.
    pub(crate) async fn until(
        &mut self,
        within: Duration,
        mut shows: impl FnMut(&ScreenRows) -> bool,
    ) -> Result<bool, Problem> {
        let deadline = Instant::now() + within;
        loop {
            let drawn = (Instant::now() + DRAWN_AFTER).min(deadline);
            if self.hears_nothing_until(drawn).await? {
                if shows(&self.screen()) {
                    return Ok(true);
                }
                if drawn == deadline || self.hears_nothing_until(deadline).await? {
                    return Ok(false);
                }
            } else if Instant::now() >= deadline {
                return Ok(shows(&self.screen()));
            }
        }
    }

    /// Whether the program has printed something since it was typed to.
    pub(crate) fn has_reacted(&self) -> bool {
        self.has_reacted
    }

    async fn type_bytes(&mut self, bytes: Vec<u8>) -> Result<(), Problem> {
        self.has_reacted = false;
        self.pings += 1;
        self.send(&ViewerMessage::Input(bytes)).await?;
        self.send(&ViewerMessage::Ping(self.pings)).await?;
        let deadline = Instant::now() + HOST_ANSWERS_WITHIN;
        while !matches!(self.hear(deadline).await?, Heard::Pong(token) if token == self.pings) {}
        Ok(())
    }

    /// Whether the host says nothing until then.
    async fn hears_nothing_until(&mut self, deadline: Instant) -> Result<bool, Problem> {
        let Ok(message) = timeout_at(deadline, self.link.receive()).await else { return Ok(true) };
        let message = message.ok().flatten().ok_or_else(|| self.gone())?;
        self.take(message)?;
        Ok(false)
    }

    async fn hear(&mut self, deadline: Instant) -> Result<Heard, Problem> {
        let message = timeout_at(deadline, self.link.receive()).await.map_err(|_| self.gone())?;
        let message = message.ok().flatten().ok_or_else(|| self.gone())?;
        self.take(message)
    }

    fn take(&mut self, message: HostMessage) -> Result<Heard, Problem> {
        Ok(match message {
            HostMessage::Welcome(welcome) => {
                self.resize(welcome.size);
                Heard::Nothing
            }
            HostMessage::Resized(resized) => {
                self.resize(resized.size);
                Heard::Nothing
            }
            HostMessage::Snapshot { last, bytes, .. } => {
                self.feed(&bytes);
                if last { Heard::Screen } else { Heard::Nothing }
            }
            HostMessage::Output { bytes, .. } => {
                self.feed(&bytes);
                self.has_reacted = true;
                Heard::Screen
            }
            HostMessage::Pong(token) => Heard::Pong(token),
            HostMessage::Refused(refused) => {
                let words = format!("the host refuses: {}", model::display_safe(&refused.message));
                return Err(Problem::new(ErrorCode::NotAnswering, words));
            }
            HostMessage::Exited(_) => {
                return Err(Problem::new(ErrorCode::NotLive, "the worker has ended"));
            }
            _ => Heard::Nothing,
        })
    }

    /// A snapshot in the new size follows.
    fn resize(&mut self, size: TermSize) {
        self.size = size;
        self.terminal = empty(size);
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.terminal.feed(bytes);
        // The host answers the program.
        self.terminal.take_replies();
        self.terminal.take_signals();
    }

    async fn send(&mut self, message: &ViewerMessage) -> Result<(), Problem> {
        self.link.send(message).await.map_err(|_| self.gone())
    }

    fn gone(&self) -> Problem {
        Problem::new(ErrorCode::NotAnswering, format!("the host of worker `{}` does not answer", self.worker))
    }
}

fn empty(size: TermSize) -> Terminal {
    Terminal::new(size, HistoryLimit { lines: 0, bytes: 0 })
}
