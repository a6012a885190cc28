//! `abide inbox read`: marks entries as read.

use clap::Args;

use super::item_of;
use crate::failure::Failure;
use crate::the_server;

/// Mark entries as read
///
/// What asks stays in the inbox until it is answered. Everything else leaves.
#[derive(Args)]
pub(super) struct Read {
    /// The workers, by name or by the beginning of the id
    #[arg(value_name = "NAME", required_unless_present = "all")]
    names: Vec<String>,
    /// Mark everything as read
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

impl Read {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let items = if self.all {
            server.inbox()?
        } else {
            self.names.iter().map(|name| item_of(&server, name)).collect::<Result<_, _>>()?
        };
        for item in items {
            server.read_inbox_item(item.id)?;
        }
        Ok(0)
    }
}
