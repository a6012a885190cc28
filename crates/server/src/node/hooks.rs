//! The hooks of agents: what they are given, what they have told, and the answers that go back.

use agents::Hooks;
use api::Problem;
use home::{Home, HookCursor, HookEvent, WorkerDir};
use model::WorkerId;
use serde_json::Value;

use super::Node;

/// The arguments and the settings that make an agent run our hooks.
#[derive(Clone, Debug)]
pub(crate) struct GivenHooks {
    pub(crate) arguments: Vec<String>,
    pub(crate) settings: Vec<u8>,
}

impl Node {
    /// What makes the agent of a worker run our hooks.
    pub(crate) fn hooks_for(&self, worker: WorkerId, hooks: &Hooks) -> Option<GivenHooks> {
        given(&self.0.home, worker, hooks, self.0.hosts.program().to_str()?)
    }

    /// What the hooks of a worker have told since then.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(crate) async fn hook_events(
        &self,
        worker: WorkerId,
        since: HookCursor,
    ) -> Result<(Vec<HookEvent>, HookCursor), Problem> {
        self.look(worker, move |dir| dir.hook_events(since)).await
    }

    /// The newest question for whose answer a hook of a worker waits.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(crate) async fn waiting_hook(&self, worker: WorkerId) -> Result<Option<HookEvent>, Problem> {
        self.look(worker, |dir: &WorkerDir| {
            let (events, _) = dir.hook_events(HookCursor::default());
            let newest = events.into_iter().rev().find(|event| event.answer.is_some())?;
            newest.answer.as_deref().is_some_and(|id| dir.hook_waits(id)).then_some(newest)
        })
        .await
    }

    /// Gives an answer to the hook that waits for it. False if it does not wait any more.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(crate) async fn answer_hook(
        &self,
        worker: WorkerId,
        id: String,
        answer: Value,
    ) -> Result<bool, Problem> {
        self.look(worker, move |dir| dir.answer_hook(&id, &answer).is_ok()).await
    }
}

fn given(home: &Home, worker: WorkerId, hooks: &Hooks, program: &str) -> Option<GivenHooks> {
    let dir = home.worker(worker);
    let (file, path) = (dir.hook_settings(), dir.path());
    // An agent shows that a hook cannot be run. It must not, if a new release has put the program elsewhere.
    let program = quoted(program);
    let command = format!("test ! -x {program} || exec {program} hook {}", quoted(path.to_str()?));
    let settings = hooks.settings(&command, &format!("{command} answers"));
    Some(GivenHooks {
        arguments: hooks.arguments(file.to_str()?),
        settings: serde_json::to_vec_pretty(&settings).ok()?,
    })
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
