//! The conversations of agents: which one a program has, and whether there is anything to continue.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use agents::{Agent, ConversationSigns, is_conversation_id};
use api::Problem;
use home::{Conversation, WorkerDir};
use model::WorkerId;
use system::processes;

use super::Node;

/// So many bytes of a file in which a program tells its conversation are read.
const MOST_TOLD_BYTES: u64 = 64 << 10;

/// So many directories are looked into for one conversation.
const MOST_DIRECTORIES: usize = 10_000;

pub(super) type Variables = Vec<(OsString, OsString)>;

impl Node {
    /// Looks which conversation the program of a worker has now, and notes it in the worker's directory. The program is
    /// one of the child's processes. Says whether there is nothing more to look for.
    pub(crate) async fn note_conversation(&self, worker: WorkerId, agent: &Agent, child: u32) -> bool {
        if !agent.conversation.can_be_found() {
            return true;
        }
        let signs = agent.conversation.clone();
        let noted = self.look(worker, move |dir| {
            let Some(id) = of_program(&signs, child) else { return Ok(false) };
            note(dir, &id).map(|()| true)
        });
        match noted.await {
            Ok(Ok(is_found)) => is_found,
            Ok(Err(error)) => {
                tracing::warn!(worker.id = %worker, %error, "the conversation of an agent is not noted");
                true
            }
            Err(_) => true,
        }
    }

    /// Notes the conversation that a worker's agent told.
    pub(crate) async fn told_conversation(&self, worker: WorkerId, id: String) {
        if is_conversation_id(&id)
            && let Ok(Err(error)) = self.look(worker, move |dir| note(dir, &id)).await
        {
            tracing::warn!(worker.id = %worker, %error, "the conversation of an agent is not noted");
        }
    }

    /// Notes that an agent does not have a conversation any more.
    pub(crate) async fn conversation_is_gone(&self, worker: WorkerId, id: String) {
        let noted = self.look(worker, |dir| dir.write_conversation(&Conversation { id, gone: true }));
        if let Ok(Err(error)) = noted.await {
            tracing::warn!(worker.id = %worker, %error, "a conversation that is gone is not noted");
        }
    }

    /// The conversation that was noted for a worker.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(crate) async fn noted_conversation(&self, worker: WorkerId) -> Result<Option<Conversation>, Problem> {
        self.look(worker, WorkerDir::conversation).await
    }

    /// Whether an agent has kept a conversation: an agent that got no prompt has none. `None` if that is not known.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(crate) async fn is_conversation_kept(
        &self,
        agent: &Agent,
        id: &str,
    ) -> Result<Option<bool>, Problem> {
        let Some(kept_in) = agent.conversation.kept_in.clone() else { return Ok(None) };
        let mut variables = self.login_environment().await?;
        variables.extend(agent.environment.iter().map(|(name, value)| (name.into(), value.into())));
        let (signs, id) = (agent.conversation.clone(), id.to_owned());
        let kept = crate::app::blocking(move || {
            let path = place(&signs, &kept_in, &variables)?;
            let path = path.replace("{id}", &id).replace("{id8}", id.get(..8)?);
            Some(is_there(Path::new(&path)))
        });
        kept.await
    }
}

/// Notes a conversation, if that is new.
fn note(dir: &WorkerDir, id: &str) -> std::io::Result<()> {
    if dir.conversation().is_some_and(|noted| noted.id == id) {
        return Ok(());
    }
    dir.write_conversation(&Conversation { id: id.to_owned(), gone: false })
}

/// The conversation that one of the child's processes has: the one that it tells, or else the file that it has open and
/// wrote last.
fn of_program(signs: &ConversationSigns, child: u32) -> Option<String> {
    let tree = processes::tree(child);
    let told = tree.iter().find_map(|&pid| told_by(signs, pid));
    let found = told.or_else(|| {
        let open = tree.iter().flat_map(|&pid| processes::open_files(pid)).filter_map(|path| {
            let id = signs.id_of_open_file(path.to_str()?)?.to_owned();
            let written = fs::metadata(&path).and_then(|file| file.modified()).ok()?;
            Some((written, path, id))
        });
        open.max_by(newer).map(|(_, _, id)| id)
    });
    found.filter(|id| is_conversation_id(id))
}

/// Of files that were written at the same time, the later name is newer: agents put the time into it.
fn newer(
    (one, one_path, _): &(SystemTime, PathBuf, String),
    (other, other_path, _): &(SystemTime, PathBuf, String),
) -> std::cmp::Ordering {
    one.cmp(other).then_with(|| one_path.cmp(other_path))
}

fn told_by(signs: &ConversationSigns, pid: u32) -> Option<String> {
    use std::io::Read;
    let path = place(signs, signs.told_in.as_ref()?, &processes::environment(pid)?)?;
    let mut text = String::new();
    let file = fs::File::open(path.replace("{pid}", &pid.to_string())).ok()?;
    file.take(MOST_TOLD_BYTES).read_to_string(&mut text).ok()?;
    let told: serde_json::Value = serde_json::from_str(&text).ok()?;
    // A file of an earlier process with the same number says something of that one.
    let is_its =
        told.get("pid").and_then(serde_json::Value::as_u64).is_none_or(|told| told == u64::from(pid));
    Some(told.get("sessionId").filter(|_| is_its)?.as_str()?.to_owned())
}

pub(super) fn place(signs: &ConversationSigns, path: &str, variables: &Variables) -> Option<String> {
    let of = |name: &str| {
        let found = variables.iter().rev().find(|(there, _)| there == name);
        found.and_then(|(_, value)| value.to_str()).map(str::to_owned)
    };
    signs.path(path, &of("HOME")?, of)
}

/// Whether there is a file of this path, in which `*` stands for any text within one name.
fn is_there(path: &Path) -> bool {
    files_like(path).next().is_some()
}

/// The files of this path, in which `*` stands for any text within one name.
pub(super) fn files_like(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut found = vec![PathBuf::new()];
    for part in path.components() {
        let Some(name) = part.as_os_str().to_str().filter(|name| name.contains('*')) else {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        let entries = found.iter().flat_map(|path| fs::read_dir(path).into_iter().flatten().flatten());
        let fits =
            entries.filter(|entry| entry.file_name().to_str().is_some_and(|there| is_like(there, name)));
        found = fits.map(|entry| entry.path()).take(MOST_DIRECTORIES).collect();
    }
    found.into_iter().filter(|path| path.is_file())
}

fn is_like(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((before, behind)) => text.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| is_like(&rest[at..], behind))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text_within_one_name() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("2026/11/rollout-17-abc.jsonl");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        for (path, there) in [
            ("2026/11/rollout-17-abc.jsonl", true),
            ("*/*/rollout-*-abc.jsonl", true),
            ("*/*/rollout-*-bc.jsonl", false),
            ("*/rollout-*-abc.jsonl", false),
            ("*/11", false),
            ("*/12/*", false),
        ] {
            assert_eq!(is_there(&home.path().join(path)), there, "{path}");
        }
    }

    #[test]
    fn the_program_is_asked_for_the_file_that_it_wrote_last() {
        let home = tempfile::tempdir().unwrap();
        let agent = agents::Agents::builtin().get(&"codex".parse().unwrap()).unwrap().clone();
        let name = |id: u8| {
            home.path().join(format!(
                "rollout-2026-{id}{id}{id}{id}{id}{id}{id}{id}-0000-4000-8000-000000000000.jsonl"
            ))
        };
        let open: Vec<_> = [1, 2].map(|id| fs::File::create(name(id)).unwrap()).into();
        open[0].set_modified(SystemTime::now() + std::time::Duration::from_secs(5)).unwrap();
        let found = of_program(&agent.conversation, std::process::id());
        assert_eq!(found.as_deref(), Some("11111111-0000-4000-8000-000000000000"));
    }
}
