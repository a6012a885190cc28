//! What the server needs of the machine that it runs on itself, whichever machine its workers run on.

pub(crate) use system::peers::{TcpUsers, is_this_user};
pub(crate) use system::urgency::lower as become_less_urgent;
