//! What a person is told.

use jiff::Timestamp;
use model::{InboxItemId, InboxReason, RepositoryId, SessionId, ShownText, TaskId, WorkerId};
use serde::Serialize;

/// A message lists so many. Then it fits into a pipe, and on the screen of a phone.
const MOST_LISTED: usize = 8;

/// A message that something waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Nudge {
    /// What happened, in a few words: `claude asks`.
    pub title: String,
    /// The whole message. Many services show this field of JSON.
    pub text: String,
    /// Whether this is only a test.
    pub test: bool,
    /// How many wait.
    pub count: usize,
    /// What waits: one thing, or the first of several.
    pub waiting: Vec<Waiting>,
}

/// One thing that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// Its entry in the inbox.
    pub inbox_item_id: InboxItemId,
    /// Why the worker waits.
    pub reason: InboxReason,
    /// Since when.
    pub since: Timestamp,
    /// The question, the agent's last words, or the error.
    pub words: Option<ShownText>,
    /// The worker.
    pub worker_id: WorkerId,
    /// Its name on the command line.
    pub worker: String,
    /// Its session.
    pub session_id: SessionId,
    /// The session's task.
    pub task_id: Option<TaskId>,
    /// The task's title, or the session's.
    pub work: Option<ShownText>,
    /// The session's repository.
    pub repository_id: Option<RepositoryId>,
    /// Its name.
    pub repository: Option<ShownText>,
}

impl Nudge {
    /// A message that these wait.
    pub fn of(mut waiting: Vec<Waiting>) -> Nudge {
        let count = waiting.len();
        waiting.truncate(MOST_LISTED);
        let (title, text) = match waiting.as_slice() {
            [one] => (one.title(), one.text()),
            all => {
                let mut lines: Vec<String> = all.iter().map(Waiting::text).collect();
                if count > lines.len() {
                    lines.push(format!("and {} more", count - lines.len()));
                }
                (format!("{count} agents wait for you"), lines.join("\n"))
            }
        };
        Nudge { title, text, test: false, count, waiting }
    }

    /// A message with which a person tries a destination.
    pub fn test() -> Nudge {
        let title = "abide can reach you".to_owned();
        let text = "This is a test. abide tells you here when something enters the inbox.".to_owned();
        Nudge { title, text, test: true, count: 0, waiting: Vec::new() }
    }

    /// As JSON.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("a nudge is JSON")
    }
}

impl Waiting {
    fn title(&self) -> String {
        format!("{} {}", self.worker, verb(self.reason))
    }

    fn text(&self) -> String {
        let mut text = self.title();
        if let Some(words) = &self.words {
            text.push_str(&format!(": {words}"));
        }
        match (&self.work, &self.repository) {
            (Some(work), Some(repository)) => text.push_str(&format!(" ({work} · {repository})")),
            (Some(of), None) | (None, Some(of)) => text.push_str(&format!(" ({of})")),
            (None, None) => {}
        }
        text
    }
}

fn verb(reason: InboxReason) -> &'static str {
    match reason {
        InboxReason::Asking => "asks",
        InboxReason::Finished => "finished",
        InboxReason::Failed => "failed",
        InboxReason::Limit => "reached a usage limit",
        InboxReason::Lost => "is lost",
        InboxReason::Stuck => "seems stuck",
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn waiting(words: &str) -> Waiting {
        let shown = |text: &str| Some(serde_json::from_value(text.into()).unwrap());
        Waiting {
            inbox_item_id: InboxItemId::from_random([1; 8]),
            reason: InboxReason::Asking,
            since: Timestamp::UNIX_EPOCH,
            words: shown(words),
            worker_id: WorkerId::from_random([2; 8]),
            worker: "claude".to_owned(),
            session_id: SessionId::from_random([3; 8]),
            task_id: None,
            work: shown("Fix the door"),
            repository_id: None,
            repository: shown("shop"),
        }
    }

    #[test]
    fn one_is_told_with_its_words_and_several_together() {
        let one = Nudge::of(vec![waiting("May I?")]);
        assert_eq!(
            (one.title.as_str(), one.text.as_str()),
            ("claude asks", "claude asks: May I? (Fix the door · shop)")
        );
        let two = Nudge::of(vec![waiting("May I?"), Waiting { words: None, ..waiting("") }]);
        assert_eq!(two.title, "2 agents wait for you");
        assert_eq!(two.text.lines().nth(1), Some("claude asks (Fix the door · shop)"));
    }

    #[test]
    fn a_flood_fits_into_a_pipe() {
        let many = Nudge::of(vec![waiting(&"\u{10ffff}\u{7}é\"".repeat(10_000)); 500]);
        assert_eq!((many.count, many.text.lines().last()), (500, Some("and 492 more")));
        assert!(many.json().len() < 1 << 16, "{}", many.json().len());
    }
}
