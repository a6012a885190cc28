//! Reading the recordings of a data directory, for the commands and for the server.
//!
//! [`Masks`] loads what is masked: the built-in rules, the user's own, and the secrets in the environments of a
//! worker's processes. [`search`] searches many recordings at once, newest first. A [`Stop`] cancels either from
//! another thread, or at a deadline. [`Exit`] masks short foreign texts and makes them safe to show. [`Held`] says which output is too young to leave a recording that still grows.
//!
//! [`pieces`] reads one recording in the order in which things happened. A [`Watch`] follows a live worker to its end,
//! through upgrades and adoptions of its host, and a [`LiveMask`] masks what it sees, as it comes. A [`Log`] is both: all
//! output that is kept, as bytes or lines, and on request all that follows.

mod exit;
mod held;
mod live_mask;
mod log;
mod masks;
mod pieces;
mod screen;
mod search;
mod stop;
mod watch;

pub use exit::Exit;
pub use held::Held;
pub use live_mask::{HeldBack, LiveMask};
pub use log::{Log, LogError, LogForm, Sink};
pub use masks::{Masks, MasksError};
pub use pieces::{Missing, Piece, Pieces, Printed, begins_us, last_terminal, pieces};
pub use screen::Screen;
pub use search::{Asked, Bounds, Found, FoundPassage, Unread, is_damaged, search};
pub use stop::{Stop, StopGuard, Stopped};
pub use watch::{End, Seen, Watch, WatchError};
