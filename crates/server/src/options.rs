//! What a server is told when it is started.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use home::Home;
use model::{MaskPolicy, SizePolicy, TermSize};

/// What a server is told when it is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// The data directory.
    pub home: Home,
    /// Where to listen: an address of this machine alone. Port 0 picks a free one.
    pub listen: SocketAddr,
    /// What new workers are like.
    pub workers: WorkerDefaults,
    /// How often a viewer's socket is pinged.
    pub ping_interval: Duration,
    /// How long it may take to answer.
    pub pong_timeout: Duration,
}

/// What new workers are like, unless something else is said.
#[derive(Clone, Debug)]
pub struct WorkerDefaults {
    /// The program that hosts are.
    pub program: PathBuf,
    /// How large a terminal is at first.
    pub size: TermSize,
    /// Who decides on that later.
    pub size_policy: SizePolicy,
    /// How long a child has to end by itself before it is forced.
    pub grace_ms: u64,
    /// How large a recording may become.
    pub recording_bytes: u64,
    /// Whether it is masked when it comes to rest.
    pub mask: MaskPolicy,
    /// The command of a terminal that nobody said more about; if nothing is said, the login shell.
    pub shell: Option<PathBuf>,
    /// Whether hosts get a control group of their own where there is a service manager.
    pub scope: bool,
    /// Whether a keeper holds the leases of workers.
    pub keeper: bool,
}
