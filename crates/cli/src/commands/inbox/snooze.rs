//! `abide inbox snooze`: sets an entry aside for a while.

use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::item_of;
use crate::duration::parse_us;
use crate::failure::Failure;
use crate::the_server;

/// Hide an entry for a while
#[derive(Args)]
pub(super) struct Snooze {
    /// The worker, by name or by the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// For how long: `30m`, `2h`, `1d`; `0` shows the entry again
    #[arg(value_name = "TIME", default_value = "1h")]
    time: String,
}

impl Snooze {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let wrong = || {
            let shown = model::display_safe(&self.time);
            Failure::usage(format!("`{shown}` is not a length of time"))
                .hint("write it like `30m`, `2h` or `1d`")
        };
        let length = Duration::from_micros(parse_us(&self.time).ok_or_else(wrong)?);
        let until = Timestamp::now().checked_add(length).map_err(|_| wrong())?;
        let server = the_server::find()?;
        let item = item_of(&server, &self.name)?;
        server.snooze_inbox_item(item.id, Some(until).filter(|_| !length.is_zero()))?;
        Ok(0)
    }
}
