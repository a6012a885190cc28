//! The options of a server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use home::Home;
use model::{MaskPolicy, SizePolicy, TermSize};
use notify::{Destinations, QuietHours};

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The data directory.
    pub home: Home,
    /// The address to listen at. It must be a loopback address. Port 0 picks a free port.
    pub listen: SocketAddr,
    /// The defaults of new workers.
    pub workers: WorkerDefaults,
    /// How often the server pings a viewer's socket.
    pub ping_interval: Duration,
    /// How long the viewer may take to answer.
    pub pong_timeout: Duration,
    /// Whether the server accepts bearer tokens.
    pub bearer_tokens: bool,
    /// Where a person is told of what enters the inbox.
    pub notify: Destinations,
    /// When a person wants to hear nothing.
    pub notify_quiet: Option<QuietHours>,
    /// An agent that neither works nor asks, and shows nothing new for so long, is stuck.
    pub stuck_after: Duration,
}

/// The defaults of new workers.
#[derive(Clone, Debug)]
pub struct WorkerDefaults {
    /// The program of a host.
    pub program: PathBuf,
    /// The first size of a terminal.
    pub size: TermSize,
    /// The rule for later sizes.
    pub size_policy: SizePolicy,
    /// How long a child may take to end by itself before it is killed.
    pub grace_ms: u64,
    /// The largest size of a recording.
    pub recording_bytes: u64,
    /// Whether segments are masked when they are sealed.
    pub mask: MaskPolicy,
    /// The default command of a terminal. If there is none, the login shell.
    pub shell: Option<PathBuf>,
    /// Whether shells are to mark their prompts, their commands and their directory.
    pub shell_integration: bool,
    /// Whether a host gets its own control group, if there is a service manager.
    pub scope: bool,
    /// Whether a keeper holds the leases of workers.
    pub keeper: bool,
}
