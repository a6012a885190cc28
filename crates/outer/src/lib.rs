//! The terminal that a person started us in: raw mode, painting a worker's screen on it, and giving it back.
//!
//! [`Outer`] is the terminal on standard input and output. A [`Takeover`] holds it in raw mode and gives it back, also
//! after a panic; its guard, a second process, gives it back even after a kill. A [`Picture`] shows a worker: it passes the
//! child's bytes on, or paints a window onto a screen of another size. A [`Stage`] paints such a window with a status line
//! below it. [`Keys`] takes our own keys out of what is typed, and [`Signals`] turns signals into descriptors that
//! a loop can wait for. Nothing here speaks to a host.

mod glass;
mod guard;
mod keys;
mod outer;
mod picture;
mod plain;
mod press;
mod ruler;
pub mod sgr;
mod signals;
mod stage;
mod takeover;

pub use guard::{GUARD, run as run_guard};
pub use keys::{Key, Keys};
pub use outer::{OpenError, Outer};
pub use picture::{Needs, Picture};
pub use plain::{LEAVE_ALTERNATE, plain};
pub use signals::Signals;
pub use stage::{Scene, Stage};
pub use takeover::Takeover;
