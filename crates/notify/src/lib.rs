//! Tells a person that something waits, also when no page is open: a [`Nudge`] is handed to a command of the user's, or
//! posted to a URL of the user's.
//!
//! The caller decides when; calls here wait, for ten seconds at most. A nudge holds only texts that may leave.

mod command;
mod destinations;
mod nudge;
mod post;
mod quiet;
mod url;

pub use destinations::{Destination, Destinations, Form, ParseFormError};
pub use nudge::{Nudge, Waiting};
pub use quiet::{ParseQuietHoursError, QuietHours};
pub use url::{ParseUrlError, Url};

use std::time::Duration;

use thiserror::Error;

/// A phone's network answers within it. A destination that needs longer holds up what comes next.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a nudge did not arrive. Its words hold nothing of the URL but its host.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NudgeError {
    /// The command could not be started.
    #[error("cannot start `{command}`: {reason}")]
    CannotStart {
        /// The command.
        command: String,
        /// The system's words.
        reason: String,
    },
    /// The command failed.
    #[error("`{command}` ended with {status}")]
    Failed {
        /// The command.
        command: String,
        /// How it ended.
        status: String,
    },
    /// The command or the server took too long.
    #[error("{destination} took longer than {} seconds", PATIENCE.as_secs())]
    TooSlow {
        /// The destination, as it may be shown.
        destination: String,
    },
    /// The server refused it.
    #[error("{url} answered with status {status}")]
    Refused {
        /// The URL, as it may be shown.
        url: String,
        /// The status.
        status: u16,
    },
    /// The server could not be reached.
    #[error("cannot reach {url}: {reason}")]
    Unreachable {
        /// The URL, as it may be shown.
        url: String,
        /// The reason.
        reason: String,
    },
}
