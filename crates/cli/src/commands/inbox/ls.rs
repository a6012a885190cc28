//! `abide inbox`: the list.

use std::collections::HashMap;

use api::{InboxItem, InboxReason, Repository, Session, Task};
use clap::Args;
use jiff::Timestamp;
use model::{RepositoryId, TaskId, WorkerId};

use crate::duration::age;
use crate::failure::Failure;
use crate::output;
use crate::table::{self, Cell, Tint};
use crate::the_server;

use super::watch;

/// List what waits for you
#[derive(Args)]
pub(super) struct Ls {
    /// Also list what you have snoozed
    #[arg(long)]
    all: bool,
    /// Print a JSON array with an object for each entry
    #[arg(long)]
    json: bool,
    /// Then print each change as it happens, until you press Ctrl-C. With `--json`, an object on a line for each
    #[arg(long, conflicts_with = "all")]
    watch: bool,
}

impl Ls {
    pub(super) fn run(self) -> Result<u8, Failure> {
        if self.watch {
            return watch::watch(self.json);
        }
        let server = the_server::find()?;
        let now = Timestamp::now();
        let mut items = server.inbox()?;
        items.retain(|item| self.all || item.snoozed_until.is_none_or(|until| until <= now));
        output::write_list(&items, self.json, "nothing waits for you", |items| {
            let places = Places::of(server.sessions()?, server.tasks()?, server.repositories()?);
            Ok(list(items, &places, now))
        })?;
        Ok(0)
    }
}

/// What people call the things that entries name by their ids.
pub(super) struct Places {
    workers: HashMap<WorkerId, String>,
    sessions: HashMap<model::SessionId, String>,
    tasks: HashMap<TaskId, String>,
    repositories: HashMap<RepositoryId, String>,
}

impl Places {
    pub(super) fn of(sessions: Vec<Session>, tasks: Vec<Task>, repositories: Vec<Repository>) -> Places {
        let mut places = Places {
            workers: HashMap::new(),
            sessions: HashMap::new(),
            tasks: tasks.into_iter().map(|task| (task.id, task.title)).collect(),
            repositories: repositories.into_iter().map(|known| (known.id, known.name)).collect(),
        };
        for session in sessions {
            for worker in session.workers {
                let handle = worker.handle.unwrap_or_else(|| worker.id.to_string());
                places.workers.insert(worker.id, handle);
            }
            places.sessions.insert(session.id, session.title.unwrap_or(session.shown_location));
        }
        places
    }

    pub(super) fn worker(&self, item: &InboxItem) -> String {
        let name = self.workers.get(&item.worker_id);
        name.map_or_else(|| item.worker_id.to_string(), |name| model::display_safe(name))
    }

    /// The task or session, and the repository.
    pub(super) fn work(&self, item: &InboxItem) -> String {
        let task = item.task_id.and_then(|task| self.tasks.get(&task));
        let work = task.or_else(|| self.sessions.get(&item.session_id)).map_or("-", String::as_str);
        let repository = item.repository_id.and_then(|repository| self.repositories.get(&repository));
        let work = match repository {
            Some(repository) => format!("{work} · {repository}"),
            None => work.to_owned(),
        };
        model::display_safe(&work)
    }
}

fn list(items: &[InboxItem], places: &Places, now: Timestamp) -> String {
    let heading = ["WORKER", "WAITS", "WHY", "WORK", "WORDS"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(items.iter().map(|item| row(item, places, now)));
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}

fn row(item: &InboxItem, places: &Places, now: Timestamp) -> [Cell; 5] {
    let (why, tint) = why(item.reason);
    let faint = |tint| if item.read { Tint::Faint } else { tint };
    [
        Cell::new(places.worker(item), faint(Tint::Plain)),
        Cell::new(age(item.since, now), faint(Tint::Plain)),
        Cell::new(why, faint(tint)),
        Cell::new(places.work(item), faint(Tint::Plain)),
        Cell::new(item.words.as_deref().unwrap_or("-"), faint(Tint::Plain)),
    ]
}

/// Why a worker waits, in a word, and how that looks.
pub(super) fn why(reason: InboxReason) -> (&'static str, Tint) {
    match reason {
        InboxReason::Asking => ("asks", Tint::Yellow),
        InboxReason::Finished => ("finished", Tint::Green),
        InboxReason::Failed => ("failed", Tint::Red),
        InboxReason::Limit => ("limit", Tint::Red),
        InboxReason::Lost => ("lost", Tint::Red),
        InboxReason::Stuck => ("stuck", Tint::Red),
    }
}

#[cfg(test)]
mod tests {
    use model::{InboxItemId, SessionId};

    use super::*;

    #[test]
    fn an_entry_is_a_line_that_is_safe_to_show() {
        let (worker, session) = (WorkerId::from_random([2; 8]), SessionId::from_random([3; 8]));
        let item = InboxItem {
            id: InboxItemId::from_random([1; 8]),
            worker_id: worker,
            session_id: session,
            task_id: Some(TaskId::from_random([4; 8])),
            repository_id: Some(RepositoryId::from_random([5; 8])),
            reason: InboxReason::Asking,
            words: serde_json::from_str("\"May I?\"").unwrap(),
            since: Timestamp::UNIX_EPOCH,
            read: false,
            question_id: None,
            snoozed_until: None,
        };
        let elsewhere = InboxItem { task_id: None, repository_id: None, words: None, ..item.clone() };
        let places = Places {
            workers: [(worker, "claude-2".to_owned())].into(),
            sessions: [(session, "/tmp/\u{1b}x".to_owned())].into(),
            tasks: [(TaskId::from_random([4; 8]), "Fix the door".to_owned())].into(),
            repositories: [(RepositoryId::from_random([5; 8]), "shop".to_owned())].into(),
        };
        let text = list(&[item, elsewhere], &places, Timestamp::from_second(7200).unwrap());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "WORKER    WAITS  WHY   WORK                 WORDS");
        assert_eq!(lines[1], "claude-2  2h     asks  Fix the door · shop  May I?");
        assert_eq!(lines[2], "claude-2  2h     asks  /tmp/\u{fffd}x              -");
    }
}
