//! `abide inbox --watch`: what enters the inbox and leaves it, as it happens.

use anyhow::Context;
use api::{DashboardEvent, DashboardMessage, InboxItem};
use jiff::{Timestamp, tz::TimeZone};
use model::InboxItemId;
use serde::Serialize;

use super::ls::{Places, why};
use crate::failure::Failure;
use crate::{output, the_server};

/// Something that happened, as JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "camelCase")]
enum Happened<'a> {
    /// An entry is there, is new or has changed.
    Waits { item: &'a InboxItem },
    /// An entry has left.
    #[serde(rename_all = "camelCase")]
    Left { item_id: InboxItemId },
}

/// Prints what is there, then every change, until the server ends.
pub(super) fn watch(json: bool) -> Result<u8, Failure> {
    let server = the_server::find()?;
    let mut events = server.events()?;
    let mut known: Vec<InboxItem> = Vec::new();
    loop {
        let Some(message) = events.next(None)? else { continue };
        let waits = match message {
            DashboardMessage::State { inbox, .. } => {
                for left in known.iter().filter(|item| !inbox.iter().any(|now| now.id == item.id)) {
                    tell(&Happened::Left { item_id: left.id }, left, json, &server)?;
                }
                known.retain(|item| inbox.iter().any(|now| now.id == item.id));
                inbox
            }
            DashboardMessage::Event { event: DashboardEvent::InboxChanged { item }, .. } => vec![item],
            DashboardMessage::Event { event: DashboardEvent::InboxRemoved { item_id }, .. } => {
                if let Some(at) = known.iter().position(|item| item.id == item_id) {
                    let left = known.remove(at);
                    tell(&Happened::Left { item_id }, &left, json, &server)?;
                }
                continue;
            }
            _ => continue,
        };
        for item in waits {
            if !known.contains(&item) {
                tell(&Happened::Waits { item: &item }, &item, json, &server)?;
                known.retain(|before| before.id != item.id);
                known.push(item);
            }
        }
    }
}

fn tell(
    happened: &Happened<'_>,
    item: &InboxItem,
    json: bool,
    server: &client::Client,
) -> Result<(), Failure> {
    if json {
        return output::write(serde_json::to_string(happened).context("cannot write JSON")? + "\n");
    }
    let places = Places::of(server.sessions()?, server.tasks()?, server.repositories()?);
    let time = Timestamp::now().to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string();
    let what = match happened {
        Happened::Waits { .. } => why(item.reason).0,
        Happened::Left { .. } => "waits no longer",
    };
    let words = match (happened, item.words.as_deref()) {
        (Happened::Waits { .. }, Some(words)) => format!(": {words}"),
        _ => String::new(),
    };
    output::write(format!("{time}  {} ({}) {what}{words}\n", places.worker(item), places.work(item)))
}
