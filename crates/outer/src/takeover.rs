//! The outer terminal while it is ours.

use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use model::TermSize;

use crate::guard::Guard;
use crate::outer::Outer;
use crate::plain::{LEAVE_ALTERNATE, plain};

/// Puts the window's title on the outer terminal's stack of titles.
const SAVE_TITLE: &[u8] = b"\x1b[22;0t";

/// What a program can leave behind that no mode covers: takes the title back from the stack, the colours back to the
/// user's own, and the progress away.
const FORGET: &[u8] = b"\x1b[23;0t\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1b]9;4;0\x1b\\";

/// How long a terminal that takes nothing is waited for before we leave it as it is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The outer terminal while it is ours: raw, and with a worker's screen on its alternate screen.
///
/// It is given back when this is dropped, when the program panics, and, once it is [guarded](Takeover::start_guard),
/// even when we are killed.
pub struct Takeover {
    taken: Arc<Taken>,
}

struct Taken {
    outer: Outer,
    guard: Mutex<Option<Guard>>,
    given_back: AtomicBool,
}

impl Takeover {
    /// Takes the terminal.
    ///
    /// # Errors
    ///
    /// When it cannot be put into raw mode.
    pub fn begin(outer: Outer) -> Result<Takeover> {
        outer.make_raw()?;
        // A terminal that takes nothing shows nothing either: what to do about it is found out with the first screen.
        let _ = outer.write(SAVE_TITLE, Some(PATIENCE));
        let taken = Arc::new(Taken { outer, guard: Mutex::default(), given_back: AtomicBool::new(false) });
        // What is said of a panic would vanish with the alternate screen, so the screen goes first.
        let (said, on_panic) = (panic::take_hook(), Arc::clone(&taken));
        panic::set_hook(Box::new(move |info| {
            on_panic.give_back();
            said(info);
        }));
        Ok(Takeover { taken })
    }

    /// The terminal.
    pub fn outer(&self) -> &Outer {
        &self.taken.outer
    }

    /// Sees to it that the terminal is given back even if we are killed.
    pub fn start_guard(&self) {
        // Without one we are no worse off than any other program.
        *self.taken.guard() = Guard::start(&self.taken.outer).ok();
    }

    /// Gives the terminal back; false if it is gone or takes nothing, so that words to it would be lost or wait.
    pub fn end(self) -> bool {
        self.taken.give_back()
    }
}

impl Drop for Takeover {
    fn drop(&mut self) {
        self.taken.give_back();
    }
}

impl Taken {
    /// Gives the terminal back, once: leaving the alternate screen twice would move the cursor. Says whether the
    /// terminal took it.
    fn give_back(&self) -> bool {
        if self.given_back.swap(true, Ordering::SeqCst) {
            return true;
        }
        let size = self.outer.size().ok();
        let is_reset = size.is_some_and(|size| self.outer.write(&reset(size), Some(PATIENCE)).is_ok());
        self.outer.restore_settings();
        if let Some(guard) = self.guard().take() {
            guard.dismiss();
        }
        is_reset
    }

    fn guard(&self) -> std::sync::MutexGuard<'_, Option<Guard>> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that take a terminal out of everything that a worker's screen brought it into, wherever in a sequence it is.
pub(crate) fn reset(size: TermSize) -> Vec<u8> {
    [&plain(size), LEAVE_ALTERNATE, FORGET].concat()
}
