//! Taking up the hosts that are there, before anybody is let in.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use home::{Identity, Worker, WorkerDir};
use jiff::Timestamp;
use model::{SessionId, WorkerId, WorkerLife};
use reach::Life;
use store::{AdoptedSession, AdoptedWorker, SessionFilter, WorkerKind};
use tokio::task::JoinSet;

use crate::app::{App, blocking};
use crate::changes::Changed;
use crate::hosts::settle_worktrees::settle_worktrees;

/// A checkout that the last server left running is waited for so long before anybody is let in, and then beside it.
const FINISH_WITHIN: Duration = Duration::from_secs(5);

/// How many hosts are asked at once.
const AT_ONCE: usize = 32;

/// A host that was being started when the last server was stopped is looked for so often.
const LOOKS: u32 = 30;

/// After so long each: a host needs a few milliseconds, or a second on a machine that is busy.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Why a worker never came to be.
const UNSTARTED: &str = "the server was stopped before it was started";

/// Finds every worker in the data directory, and writes down how each is: alive, ended, or lost. What was being made
/// when the last server stopped is completed or undone. Nothing of the user's is removed.
pub(crate) async fn adopt_all(app: &App) {
    let Found { workers, new_sessions } = adopt_new(app).await;
    settle_unstarted(app, &workers).await;
    // Behind the workers: a lost database knows of repositories and worktrees, by their ids, from these.
    let settling = app.clone();
    let settled = tokio::spawn(async move { settle_worktrees(&settling, &new_sessions).await });
    if tokio::time::timeout(FINISH_WITHIN, settled).await.is_err() {
        tracing::warn!(
            "a git that the last server left is still at work; its worktree is settled when it is done"
        );
    }
}

/// What was found in the data directory.
#[derive(Default)]
pub(crate) struct Found {
    workers: HashSet<WorkerId>,
    /// The sessions of workers that the database did not know.
    new_sessions: HashSet<SessionId>,
}

/// Takes up all workers in the data directory. Those that are known and fine are left as they are.
pub(crate) async fn adopt_new(app: &App) -> Found {
    let home = app.home().clone();
    let workers = match blocking(move || home.workers()).await {
        Ok(Ok(workers)) => workers,
        Ok(Err(error)) => {
            tracing::error!(%error, "the workers cannot be listed");
            return Found::default();
        }
        Err(_) => return Found::default(),
    };
    let ids = workers.iter().map(|worker| worker.dir.id()).collect();
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
    // The first worker of a session is the one that it was begun for.
    lives.sort_by_key(|(place, _)| *place);
    for (_, looked) in lives {
        if looked.known.is_none() {
            found.new_sessions.insert(looked.worker.meta.session.id());
        }
        settle(app, looked).await;
    }
    found
}

/// Takes up one worker.
pub(crate) async fn adopt(app: &App, worker: Worker) {
    if let Some(looked) = look_at(app, worker).await {
        settle(app, looked).await;
    }
}

/// A worker that was looked at.
struct Looked {
    worker: Worker,
    life: Life,
    /// Its life as the database has it.
    known: Option<WorkerLife>,
}

/// Asks a worker's host how it is; nothing if that is known for good.
async fn look_at(app: &App, worker: Worker) -> Option<Looked> {
    let id = worker.dir.id();
    let known = app.db(move |store| store.worker(id)).await.ok().map(|known| known.life);
    if matches!(known, Some(WorkerLife::Exited { .. })) {
        return None;
    }
    let dir = worker.dir.clone();
    let is_begun = blocking(move || is_begun(&dir)).await.ok()?;
    match known {
        // Somebody is just starting it.
        None if !is_begun => {
            app.came(id);
            return None;
        }
        Some(WorkerLife::Pending | WorkerLife::Provisioning) if !is_begun => return None,
        _ => {}
    }
    let dir = worker.dir.clone();
    let life = blocking(move || reach::life(&dir)).await.ok()?;
    Some(Looked { worker, life, known })
}

/// Whether there is, or was, a host.
fn is_begun(dir: &WorkerDir) -> bool {
    dir.identity().is_some() || dir.exit_note().is_some()
}

/// Writes down how a worker is, and listens to it if it lives.
async fn settle(app: &App, looked: Looked) {
    let Looked { worker, life, known } = looked;
    let id = worker.dir.id();
    if known.is_none() {
        let adopted = adopted(app, &worker, &life);
        let taken = app.db(move |store| store.adopt_worker(&adopted, Timestamp::now())).await;
        if let Err(problem) = taken {
            tracing::warn!(worker.id = %id, reason = problem.error.message, "a worker is not taken up");
            return;
        }
        app.changed(Changed::Session(worker.meta.session.id()));
    }
    match life {
        Life::Live(_) | Life::NotAnswering { .. } => {
            app.lives().is_silent(id, matches!(life, Life::NotAnswering { .. }));
            // It lives already for a database that knows it so.
            app.write_down_beside(move |store| store.worker_live(id, Timestamp::now())).await;
            let keeping = app.clone();
            let _ = blocking(move || keeping.parts().hosts.keep(id)).await;
            app.parts().watches.begin(app, id);
        }
        Life::Exited(note) => {
            if known.is_some() {
                let kept = app.exited(id, note.status, note.at).await;
                if kept.is_err() {
                    // Whoever listens to it finds that out again, until it is kept.
                    app.parts().watches.begin(app, id);
                }
            }
        }
        Life::Lost => {
            if known.is_some_and(|known| known.is_open()) {
                // A keeper may still find another host for it. Whoever listens finds out again that there is none.
                let _ = app.lost(id).await;
                app.parts().watches.begin(app, id);
            }
        }
    }
    app.changed(Changed::Worker(id));
}

/// Why a worker has no host any more, and no word from it.
pub(crate) fn why_lost(dir: &WorkerDir) -> &'static str {
    let boot = |identity: Option<Identity>| identity.map(|identity| identity.boot_id);
    match (boot(dir.identity()), boot(Identity::own())) {
        (Some(its), Some(ours)) if its != ours => "the machine was restarted while it ran",
        _ => "its host was killed, and nobody held its lease",
    }
}

fn adopted(app: &App, Worker { dir, meta }: &Worker, life: &Life) -> AdoptedWorker {
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
                    made_by_abide: app.is_made_by_abide(&meta.cwd),
                    task,
                }
            }
        },
        location: meta.cwd.clone(),
        life: match life {
            Life::Live(_) | Life::NotAnswering { .. } => WorkerLife::Live,
            Life::Exited(note) => WorkerLife::Exited { status: note.status },
            Life::Lost => WorkerLife::Lost { reason: why_lost(dir).into() },
        },
        created_at: meta.started_at,
        ended_at: match life {
            Life::Exited(note) => Some(note.at),
            Life::Live(_) | Life::NotAnswering { .. } | Life::Lost => None,
        },
    }
}

/// Workers that the database knows, and that are not there: those that were being started failed, the others were
/// removed while no server looked.
async fn settle_unstarted(app: &App, found: &HashSet<WorkerId>) {
    let Ok(sessions) = app.db(|store| store.sessions_with_workers(SessionFilter::Open)).await else { return };
    let all = sessions.iter().flat_map(|session| session.workers.iter().map(move |worker| (session, worker)));
    for (session, worker) in all {
        let id = worker.id;
        match worker.life {
            WorkerLife::Pending | WorkerLife::Provisioning if found.contains(&id) => {
                let dir = app.home().worker(id);
                if blocking(move || is_on_its_way(&dir)).await.unwrap_or(true) {
                    tokio::spawn(see_begin(app.clone(), id));
                } else {
                    give_up(app, id).await;
                }
            }
            _ if found.contains(&id) => {}
            WorkerLife::Pending | WorkerLife::Provisioning => {
                app.write_down_beside(move |store| store.worker_failed(id, UNSTARTED, Timestamp::now()))
                    .await;
            }
            WorkerLife::Failed { .. } | WorkerLife::Paused => {}
            // A task's session is known by it.
            _ if worker.primary && session.session.task.is_some() => {
                let reason = "its directory was removed";
                app.write_down_beside(move |store| store.worker_lost(id, reason, Timestamp::now())).await;
            }
            _ => {
                app.write_down_beside(move |store| store.remove_worker(id)).await;
            }
        }
    }
}

/// Whether a process was started for a worker, which has its directory for an argument.
fn is_on_its_way(dir: &WorkerDir) -> bool {
    let path = dir.path().as_os_str().as_bytes();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut arguments = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    arguments.any(|arguments| arguments.split(|byte| *byte == 0).any(|argument| argument == path))
}

/// Waits for a host that is on its way.
async fn see_begin(app: App, id: WorkerId) {
    let dir = app.home().worker(id);
    for _ in 0..LOOKS {
        tokio::time::sleep(LOOK_AGAIN).await;
        let looked = dir.clone();
        let begun = blocking(move || is_begun(&looked).then(|| looked.meta().ok())).await;
        if let Ok(Some(Some(meta))) = begun {
            return adopt(&app, Worker { dir, meta }).await;
        }
    }
    give_up(&app, id).await;
}

/// Gives up a worker whose directory was made, and whose host was never begun. If one comes all the same, it finds
/// nothing to run.
async fn give_up(app: &App, id: WorkerId) {
    let dir = app.home().worker(id);
    let removed = blocking(move || {
        // Whoever has the lock is a host.
        let lock = dir.try_lock().ok().flatten();
        lock.filter(|_| !is_begun(&dir)).map(|_lock| dir.remove())
    });
    match removed.await {
        Ok(Some(Ok(()))) => {
            app.write_down_beside(move |store| store.worker_failed(id, UNSTARTED, Timestamp::now())).await;
            app.changed(Changed::Worker(id));
        }
        Ok(Some(Err(error))) => {
            tracing::warn!(worker.id = %id, %error, "a worker that was not started is left");
        }
        Ok(None) | Err(_) => {}
    }
}
