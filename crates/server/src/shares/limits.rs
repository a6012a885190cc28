//! How much guests may use. A guest is the holder of a token that does not permit everything.

use std::time::Duration;

use super::pace::Rate;

/// How much of something one guest may use at a time, and all guests together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    pub(crate) one: usize,
    pub(crate) all: usize,
}

/// How fast one guest may do something, and all guests together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fast {
    pub(crate) one: Rate,
    pub(crate) all: Rate,
}

/// Connections. A page of ours uses six to load, and one for each terminal.
pub(crate) const CONNECTIONS: Most = Most { one: 64, all: 1024 };

/// Requests that are being answered. An answer may have some MiB, and then counts until the client has taken it.
pub(crate) const REQUESTS: Most = Most { one: 6, all: 24 };

/// Recordings that are being read.
pub(crate) const READS: Most = Most { one: 2, all: 4 };

/// Exports. One may last as long as its client needs to take it, and holds a thread meanwhile.
pub(crate) const EXPORTS: Most = Most { one: 2, all: 8 };

/// How many exports an owner's token may have at a time. A program that forgets to read them must not take all threads.
pub(crate) const OWNERS_EXPORTS: usize = 64;

/// How many requests begin.
pub(crate) const REQUEST_RATE: Fast =
    Fast { one: Rate { per_second: 100, at_once: 400 }, all: Rate { per_second: 400, at_once: 1600 } };

/// How many sockets attach. Each makes a host draw its screen.
pub(crate) const ATTACH_RATE: Fast =
    Fast { one: Rate { per_second: 4, at_once: 64 }, all: Rate { per_second: 32, at_once: 256 } };

/// How many messages sockets send. Each KiB of a message counts as another one.
pub(crate) const MESSAGE_RATE: Fast =
    Fast { one: Rate { per_second: 100, at_once: 1200 }, all: Rate { per_second: 500, at_once: 4000 } };

/// How many requests without a secret come from users other than the server's own.
pub(crate) const STRANGERS_RATE: Rate = Rate { per_second: 100, at_once: 400 };

/// How long a request may wait for its turn.
pub(crate) const MOST_WAIT: Duration = Duration::from_secs(30);

/// How long the body of a guest's request may take to arrive.
pub(crate) const BODY_WITHIN: Duration = Duration::from_secs(60);
