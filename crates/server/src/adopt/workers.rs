//! Adopts the living hosts, before the server accepts requests.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;
use model::{SessionId, WorkerId, WorkerLife};
use store::{AdoptedSession, AdoptedWorker, SessionFilter, Store, WorkerKind};
use tokio::task::JoinSet;

use super::settled::Settling;
use super::worktrees::settle_worktrees;
use crate::app::App;
use crate::node::{Condition, FoundWorker};
use crate::stops::UNSTARTED;

/// A checkout that the last server left running has this long. Then the server ends it: the start that it was for has
/// failed.
const FINISH_WITHIN: Duration = Duration::from_secs(5);

/// The server asks this many hosts at once.
const AT_ONCE: usize = 32;

/// The server looks this often for a host that the last server was starting.
const LOOKS: u32 = 30;

/// The time between two looks: a host needs a few milliseconds, or a second on a busy machine.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Finds every worker of the node, and writes down how each is: alive, ended, or lost. Completes or undoes the starts
/// that the last server left unfinished. It removes nothing of the user's.
pub(crate) async fn adopt_all(app: &App, settling: Settling) {
    // First, because a worktree is not settled while a command works in it.
    app.node().end_left_setups().await;
    let Found { workers, new_sessions } = adopt_new(app).await;
    settle_unstarted(app, &workers).await;
    // After the workers: from these, a new database learns the ids of repositories and worktrees.
    let owned = app.clone();
    let settled = tokio::spawn(async move {
        settle_worktrees(&owned, &new_sessions).await;
        drop(settling);
    });
    if tokio::time::timeout(FINISH_WITHIN, settled).await.is_err() {
        let node = app.node().clone();
        tokio::spawn(async move { node.end_left_checkouts().await });
    }
}

/// The workers that were found.
#[derive(Default)]
pub(crate) struct Found {
    workers: HashSet<WorkerId>,
    /// The sessions of workers that the database did not know.
    new_sessions: HashSet<SessionId>,
}

/// Adopts all workers of the node. Workers that the database knows, and that are fine, stay as they are.
pub(crate) async fn adopt_new(app: &App) -> Found {
    let workers = match app.node().workers().await {
        Ok(workers) => workers,
        Err(error) => {
            tracing::error!(%error, "the workers cannot be listed");
            return Found::default();
        }
    };
    let ids = workers.iter().map(|worker| worker.id).collect();
    let mut found = Found { workers: ids, new_sessions: HashSet::new() };
    let mut asked = JoinSet::new();
    let mut lives = Vec::new();
    for (place, worker) in workers.into_iter().enumerate() {
        if asked.len() >= AT_ONCE {
            lives.extend(asked.join_next().await.and_then(Result::ok).flatten());
        }
        let app = app.clone();
        asked.spawn(async move { look_at(&app, worker).await.map(|looked| (place, looked)) });
    }
    lives.extend(asked.join_all().await.into_iter().flatten());
    // Oldest first: a session was begun for its first worker.
    lives.sort_by_key(|(place, _)| *place);
    for (_, looked) in lives {
        if looked.known.is_none() {
            found.new_sessions.insert(looked.worker.meta.session.id());
        }
        settle(app, looked).await;
    }
    found
}

/// Adopts one worker.
pub(crate) async fn adopt(app: &App, worker: FoundWorker) {
    if let Some(looked) = look_at(app, worker).await {
        settle(app, looked).await;
    }
}

/// A worker, and the answer of its host.
struct Looked {
    worker: FoundWorker,
    condition: Condition,
    /// Its life in the database.
    known: Option<WorkerLife>,
}

/// Asks a worker's host how the worker is; `None` if the database knows that the worker has ended, or if it is just being
/// started.
async fn look_at(app: &App, worker: FoundWorker) -> Option<Looked> {
    let id = worker.id;
    app.lives().set_handle(id, Some(worker.meta.name.clone()));
    let known = app.read(move |store| store.worker(id)).await.ok().map(|known| known.life);
    if matches!(known, Some(WorkerLife::Exited { .. })) {
        return None;
    }
    let is_begun = app.node().is_begun(id).await.ok()?;
    match known {
        // Another program is just starting it.
        None if !is_begun => {
            app.workers().came(id);
            return None;
        }
        Some(WorkerLife::Pending | WorkerLife::Provisioning) if !is_begun => return None,
        _ => {}
    }
    let condition = app.node().condition(id).await.ok()?;
    Some(Looked { worker, condition, known })
}

/// Writes down how a worker is, and listens to it if it lives.
async fn settle(app: &App, looked: Looked) {
    let Looked { worker, condition, known } = looked;
    let id = worker.id;
    if known.is_none() {
        let adopted = adopted(app, &worker, &condition).await;
        let taken =
            app.happened(move |store: &Store| store.adopt_worker(&adopted, Timestamp::now())).once().await;
        if let Err(problem) = taken {
            tracing::warn!(worker.id = %id, reason = problem.error.message, "a worker is not taken up");
            return;
        }
    }
    match condition {
        Condition::Live(_) | Condition::NotAnswering { .. } => {
            app.lives().set_not_answering(
                app.owner(),
                id,
                matches!(condition, Condition::NotAnswering { .. }),
            );
            // If the database knows already that it lives, this changes nothing.
            app.happened(move |store: &store::Store| store.worker_live(id, Timestamp::now()))
                .or_later()
                .await;
            app.node().keep(id).await;
            app.parts().watches.begin(app, id);
        }
        Condition::Exited(note) => {
            if known.is_some() {
                let kept = app.workers().exited(id, note.status, note.at).await;
                if kept.is_err() {
                    // The listener finds that out again, until it is written down.
                    app.parts().watches.begin(app, id);
                }
            }
        }
        Condition::Lost => {
            if known.is_some_and(|known| known.is_open()) {
                // A keeper may still start another host for it. The listener finds out whether it does.
                let _ = app.workers().lost(id).await;
                app.parts().watches.begin(app, id);
            }
        }
    }
}

async fn adopted(app: &App, FoundWorker { id, meta }: &FoundWorker, condition: &Condition) -> AdoptedWorker {
    let name = meta.name.to_string();
    AdoptedWorker {
        worker: store::NewWorker {
            id: meta.worker,
            kind: match &meta.agent {
                Some(agent) => WorkerKind::Agent { agent: agent.clone() },
                None => WorkerKind::Terminal,
            },
            name,
            command: meta.command.clone(),
        },
        session: match meta.session.clone() {
            home::Session::Quick { id } => AdoptedSession::Quick { id },
            home::Session::Worktree { id, repository, repository_path, worktree, branch, task } => {
                AdoptedSession::Worktree {
                    id,
                    repository,
                    repository_path,
                    worktree,
                    branch,
                    made_by_abide: app.node().is_made_by_abide(&meta.cwd),
                    task,
                }
            }
        },
        location: meta.cwd.clone(),
        life: match condition {
            Condition::Live(_) | Condition::NotAnswering { .. } => WorkerLife::Live,
            Condition::Exited(note) => WorkerLife::Exited { status: note.status },
            Condition::Lost => WorkerLife::Lost { reason: app.node().why_lost(*id).await.into() },
        },
        created_at: meta.started_at,
        ended_at: match condition {
            Condition::Exited(note) => Some(note.at),
            Condition::Live(_) | Condition::NotAnswering { .. } | Condition::Lost => None,
        },
    }
}

/// Settles workers that the database knows and that have no directory. Those that were being started have failed; the
/// others were removed while no server ran.
async fn settle_unstarted(app: &App, found: &HashSet<WorkerId>) {
    let Ok(sessions) = app.read(|store| store.sessions_with_workers(SessionFilter::Open)).await else {
        return;
    };
    let all = sessions.iter().flat_map(|session| session.workers.iter().map(move |worker| (session, worker)));
    for (session, worker) in all {
        let id = worker.id;
        match worker.life {
            WorkerLife::Pending | WorkerLife::Provisioning if found.contains(&id) => {
                if app.node().is_on_its_way(id).await {
                    tokio::spawn(see_begin(app.clone(), id));
                } else {
                    give_up(app, id).await;
                }
            }
            _ if found.contains(&id) => {}
            WorkerLife::Pending | WorkerLife::Provisioning => {
                app.happened(move |store: &store::Store| {
                    store.worker_failed(id, UNSTARTED, Timestamp::now())
                })
                .or_later()
                .await;
            }
            WorkerLife::Failed { .. } | WorkerLife::Paused => {}
            // A task's session keeps its main worker.
            _ if worker.primary && session.session.task.is_some() => {
                let reason = "its directory was removed";
                app.happened(move |store: &store::Store| store.worker_lost(id, reason, Timestamp::now()))
                    .or_later()
                    .await;
            }
            _ => {
                app.happened(move |store: &store::Store| store.remove_worker(id)).or_later().await;
            }
        }
    }
}

/// Waits for a host that is on its way.
async fn see_begin(app: App, id: WorkerId) {
    for _ in 0..LOOKS {
        tokio::time::sleep(LOOK_AGAIN).await;
        if app.node().is_begun(id).await.unwrap_or(false)
            && let Some(found) = app.node().worker(id).await
        {
            return adopt(&app, found).await;
        }
    }
    give_up(&app, id).await;
}

/// Gives up a worker that has a directory, and whose host never began.
async fn give_up(app: &App, id: WorkerId) {
    match app.node().remove_unbegun(id).await {
        Ok(true) => {
            app.happened(move |store: &store::Store| store.worker_failed(id, UNSTARTED, Timestamp::now()))
                .or_later()
                .await;
        }
        Ok(false) => {}
        Err(error) => {
            tracing::warn!(worker.id = %id, %error, "a worker that was not started is left");
        }
    }
}
