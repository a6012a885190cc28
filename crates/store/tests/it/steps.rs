//! Every step that a store can take, with things that are picked at random: some of them there, some not.

use model::{
    Activity, ExitStatus, InboxItemId, InboxReason, PromptId, RepositoryId, SessionId, SessionLogId, TaskId,
    TokenId, WorkerId, WorkerLife, WorktreeId,
};
use store::{
    AdoptedSession, AdoptedWorker, AdoptedWorktree, ImportedSession, ImportedWorktree, NewAuditEntry,
    NewInboxItem, NewPrompt, NewSession, NewToken, PromptState, Scope, SessionKind, Store, StoreError,
    TaskChange, TaskFilter, Trash, Verifier,
};
use testkit::Random;

use crate::support::{
    agent, at, new_task, new_task_session, new_worktree, quick, repository_id, session_id, task_id, terminal,
    worker_id, worktree_id,
};

/// A store, and things in it or near it to take steps with.
pub(crate) struct Any {
    pub(crate) store: Store,
    /// Another owner's things, if there is one. They are picked too.
    pub(crate) other: Option<Store>,
    pub(crate) random: Random,
    pub(crate) now: i64,
}

impl Any {
    fn now(&self) -> jiff::Timestamp {
        at(self.now)
    }

    fn number(&mut self) -> u32 {
        self.random.below(8) as u32
    }

    fn pick<T: Copy>(&mut self, there: &[T], other: T) -> T {
        there.get(self.random.below(there.len() + 1)).copied().unwrap_or(other)
    }

    /// The store whose things are picked: mostly one's own.
    fn shelf(&mut self) -> Store {
        let others = self.random.percent(30);
        self.other.clone().filter(|_| others).unwrap_or_else(|| self.store.clone())
    }

    fn repository(&mut self) -> RepositoryId {
        let all: Vec<_> = self.shelf().repositories().unwrap().iter().map(|known| known.id).collect();
        self.pick(&all, repository_id(999))
    }

    fn task(&mut self) -> TaskId {
        let all: Vec<_> = self.shelf().tasks(TaskFilter::default()).unwrap();
        self.pick(&all.iter().map(|known| known.id).collect::<Vec<_>>(), task_id(999))
    }

    fn session(&mut self) -> SessionId {
        session_id(self.number())
    }

    fn worker(&mut self) -> WorkerId {
        worker_id(self.number())
    }

    fn inbox_item(&mut self) -> InboxItemId {
        let all: Vec<_> = self.shelf().inbox().unwrap().iter().map(|item| item.id).collect();
        self.pick(&all, InboxItemId::from_random([9; 8]))
    }

    fn prompt(&mut self) -> PromptId {
        let shelf = self.shelf();
        let workers = shelf.worker_ids().unwrap();
        let all = workers
            .iter()
            .flat_map(|id| shelf.prompts(*id).unwrap())
            .filter(|prompt| !prompt.state.is_settled());
        let all: Vec<_> = all.map(|prompt| prompt.id).collect();
        self.pick(&all, PromptId::from_random([9; 8]))
    }

    fn prompt_state(&mut self) -> PromptState {
        let busy = self.random.percent(50);
        match self.random.below(4) {
            0 => PromptState::Queued,
            1 => PromptState::Pasting { busy },
            2 => PromptState::Submitted { busy },
            _ => PromptState::Unknown { reason: "it is not known".to_owned() },
        }
    }

    fn worktree(&mut self) -> WorktreeId {
        worktree_id(self.number())
    }

    fn log(&mut self) -> SessionLogId {
        let (shelf, task) = (self.shelf(), self.task());
        let logs = shelf.session_logs(task).unwrap_or_default();
        let all: Vec<_> = logs.iter().map(|log| log.id).collect();
        self.pick(&all, SessionLogId::from_random([9; 8]))
    }

    fn token(&mut self) -> TokenId {
        let all: Vec<_> = self.shelf().tokens().unwrap().iter().map(|token| token.id).collect();
        self.pick(&all, TokenId::from_random([9; 8]))
    }

    /// A session in any directory or worktree.
    fn place(&mut self) -> NewSession {
        let new = quick(self.number());
        let worktree = if self.random.percent(50) { self.worktree() } else { worktree_id(999) };
        match self.shelf().worktree(worktree) {
            Ok(found) => {
                let kind = SessionKind::Worktree { repository: found.repository, worktree: found.id };
                NewSession { kind, location: found.path, ..new }
            }
            Err(_) => new,
        }
    }

    fn life(&mut self) -> WorkerLife {
        let reason = "so it is".to_owned();
        let all = [WorkerLife::Live, WorkerLife::Paused, WorkerLife::Lost { reason }];
        all[self.random.below(all.len())].clone()
    }
}

pub(crate) type Step = fn(&mut Any) -> Result<(), StoreError>;

/// Every method that writes, by its name.
pub(crate) const STEPS: &[(&str, Step)] = &[
    ("add_repository", |any| {
        let path = format!("/code/{}", any.random.below(3));
        any.store.add_repository(path.as_ref(), &path, any.now()).map(drop)
    }),
    ("remove_repository", |any| {
        let (id, with_tasks) = (any.repository(), any.random.percent(80));
        any.store.remove_repository(id, with_tasks, any.now())
    }),
    ("give_consent", |any| {
        let id = any.repository();
        any.store.give_consent(id, &[1; 32], any.now())
    }),
    ("create_task", |any| {
        let new = new_task(any.repository(), "a task");
        any.store.create_task(&new, any.now()).map(drop)
    }),
    ("update_task", |any| {
        let (id, pinned) = (any.task(), any.random.percent(50));
        let position = any.random.percent(50).then(|| any.random.below(4));
        let change = TaskChange { pinned: Some(pinned), position, ..TaskChange::default() };
        any.store.update_task(id, &change).map(drop)
    }),
    ("delete_task", |any| {
        let id = any.task();
        any.store.delete_task(id)
    }),
    ("activate_task", |any| {
        let id = any.task();
        any.store.activate_task(id).map(drop)
    }),
    ("complete_task", |any| {
        let id = any.task();
        any.store.complete_task(id).map(drop)
    }),
    ("reopen_task", |any| {
        let id = any.task();
        any.store.reopen_task(id).map(drop)
    }),
    ("begin_session", |any| {
        // Often with ids that nothing has, since each of the four may be taken.
        let most = if any.random.percent(30) { 8 } else { 1000 };
        let (id, number) = (any.task(), any.random.below(most) as u32);
        let (new, worker) = (new_task_session(number), agent(number));
        any.store.begin_session(id, &new, &worker, any.now()).map(drop)
    }),
    ("archive_this_session", |any| {
        let (id, complete) = (any.task(), any.random.percent(50));
        let session = any.shelf().task(id)?.session.unwrap_or_else(|| session_id(99));
        any.store.archive_this_session(id, session, any.now(), None, complete).map(drop)
    }),
    ("start_failed", |any| {
        let (worktree, worker) = (any.worktree(), any.worker());
        any.store.start_failed(worktree, worker, "no such program", any.now())
    }),
    ("keep_archived_worktree", |any| {
        let (log, worktree) = (any.log(), any.worktree());
        any.store.keep_archived_worktree(log, worktree, "the disk is full").map(drop)
    }),
    ("create_session", |any| {
        let (new, worker) = (any.place(), terminal(any.number()));
        let worker = any.random.percent(50).then_some(worker);
        any.store.create_session(&new, worker.as_ref(), any.now()).map(drop)
    }),
    ("import_session", |any| {
        let workers = vec![(terminal(any.number()), any.now()), (agent(any.number()), any.now())];
        let (repository_path, worktree) =
            (format!("/code/{}", any.random.below(3)).into(), new_worktree(any.number()));
        let imported = ImportedSession {
            id: any.session(),
            location: worktree.path.clone(),
            worktree: any.random.percent(50).then_some(ImportedWorktree { repository_path, worktree }),
            origin: format!("session {}", any.number()),
            notice: "it is imported".to_owned(),
            workers,
            created_at: any.now(),
        };
        any.store.import_session(&imported, any.now()).map(drop)
    }),
    ("set_session_title", |any| {
        let id = any.session();
        let title = any.random.percent(50).then_some("a title");
        any.store.set_session_title(id, title).map(drop)
    }),
    ("add_notice", |any| {
        let id = any.session();
        any.store.add_notice(id, "a notice").map(drop)
    }),
    ("close_session", |any| {
        let id = any.session();
        any.store.close_session(id, any.now()).map(drop)
    }),
    ("delete_session", |any| {
        let id = any.session();
        any.store.delete_session(id)
    }),
    ("add_worker", |any| {
        let (session, worker) = (any.session(), terminal(any.number()));
        any.store.add_worker(session, &worker, any.now()).map(drop)
    }),
    ("rename_worker", |any| {
        let (id, name) = (any.worker(), format!("name {}", any.random.below(2)));
        any.store.rename_worker(id, &name).map(drop)
    }),
    ("set_activity", |any| {
        let id = any.worker();
        let activity = if any.random.percent(50) { Activity::Idle } else { Activity::Asking };
        any.store.set_activity(id, activity).map(drop)
    }),
    ("reorder_workers", |any| {
        let session = any.session();
        let mut order: Vec<_> = any.shelf().workers(session)?.iter().map(|worker| worker.id).collect();
        if !order.is_empty() {
            let by = any.random.below(order.len());
            order.rotate_left(by);
        }
        any.store.reorder_workers(session, &order).map(drop)
    }),
    ("replace_worker", |any| {
        let (old, new) = (any.worker(), any.worker());
        any.store.replace_worker(old, "earlier", new)
    }),
    ("remove_worker", |any| {
        let id = any.worker();
        any.store.remove_worker(id)
    }),
    ("worker_provisioning", |any| {
        let id = any.worker();
        any.store.worker_provisioning(id).map(drop)
    }),
    ("worker_live", |any| {
        let id = any.worker();
        any.store.worker_live(id, any.now()).map(drop)
    }),
    ("worker_exited", |any| {
        let (id, on_request) = (any.worker(), any.random.percent(50));
        any.store.worker_exited(id, ExitStatus::Exited { code: 1 }, any.now(), on_request).map(drop)
    }),
    ("worker_failed", |any| {
        let id = any.worker();
        any.store.worker_failed(id, "no such program", any.now()).map(drop)
    }),
    ("worker_lost", |any| {
        let id = any.worker();
        any.store.worker_lost(id, "no host", any.now()).map(drop)
    }),
    ("worker_paused", |any| {
        let id = any.worker();
        any.store.worker_paused(id, any.now()).map(drop)
    }),
    ("enter_inbox", |any| {
        let (id, asks) = (any.worker(), any.random.percent(50));
        let reason = if asks { InboxReason::Asking } else { InboxReason::Finished };
        let new = NewInboxItem { reason, mark: any.number().to_string(), words: None, since: any.now() };
        any.store.enter_inbox(id, &new).map(drop)
    }),
    ("leave_inbox", |any| {
        let id = any.worker();
        any.store.leave_inbox(id).map(drop)
    }),
    ("note_told", |any| {
        let id = any.inbox_item();
        any.store.note_told(&[id], any.now())
    }),
    ("say_why_failed", |any| {
        let (id, why) = (any.worker(), any.number().to_string());
        any.store.say_why_failed(id, &why)
    }),
    ("read_inbox_item", |any| {
        let id = any.inbox_item();
        any.store.read_inbox_item(id, any.now())
    }),
    ("snooze_inbox_item", |any| {
        let id = any.inbox_item();
        let until = any.random.percent(50).then(|| any.now());
        any.store.snooze_inbox_item(id, until).map(drop)
    }),
    ("add_prompt", |any| {
        let shelf = any.shelf();
        let mut open = shelf.worker_ids().unwrap();
        open.retain(|id| shelf.worker(*id).is_ok_and(|worker| worker.life.is_open()));
        let id = any.pick(&open, WorkerId::from_random([9; 8]));
        let (text, token) = (any.number().to_string(), TokenId::from_random([3; 8]));
        let key = any.random.percent(50).then(|| any.number().to_string());
        let new = NewPrompt { key, text, when_idle: true, sender: "a person".to_owned(), token };
        any.store.add_prompt(id, &new, any.now()).map(drop)
    }),
    ("edit_prompt", |any| {
        let (id, text, when_idle) = (any.prompt(), any.number().to_string(), any.random.percent(50));
        any.store.edit_prompt(id, &text, when_idle).map(drop)
    }),
    ("cancel_prompt", |any| {
        let id = any.prompt();
        any.store.cancel_prompt(id, "removed", any.now()).map(drop)
    }),
    ("empty_prompts", |any| {
        let id = any.worker();
        any.store.empty_prompts(id, "emptied", any.now()).map(drop)
    }),
    ("cancel_prompts_of_token", |any| {
        let token = TokenId::from_random([any.random.below(4) as u8; 8]);
        any.store.cancel_prompts_of_token(token, "revoked", any.now()).map(drop)
    }),
    ("prompt_step", |any| {
        let (id, to) = (any.prompt(), any.prompt_state());
        let known = any.store.prompt(id).map(|prompt| prompt.state);
        let from = known.unwrap_or_else(|_| any.prompt_state());
        any.store.prompt_step(id, &from, &to, any.now()).map(drop)
    }),
    ("adopt_worker", |any| {
        let (worker, number) = (agent(any.number()), any.number());
        let session = if any.random.percent(30) {
            AdoptedSession::Quick { id: any.session() }
        } else {
            AdoptedSession::Worktree {
                id: any.session(),
                repository: any.repository(),
                repository_path: format!("/code/{}", any.random.below(3)).into(),
                worktree: any.worktree(),
                branch: "main".to_owned(),
                made_by_abide: true,
                task: any.random.percent(50).then(|| any.task()),
            }
        };
        let (location, life) = (format!("/worktrees/{number}").into(), any.life());
        let adopted =
            AdoptedWorker { worker, session, location, life, created_at: any.now(), ended_at: None };
        any.store.adopt_worker(&adopted, any.now()).map(drop)
    }),
    ("adopt_worktree", |any| {
        let worktree = new_worktree(any.number());
        let repository_path = format!("/code/{}", any.random.below(3)).into();
        let trash = any.random.percent(50).then(|| (trash(), any.now()));
        let adopted = AdoptedWorktree { worktree, repository_path, trash, created_at: any.now() };
        any.store.adopt_worktree(&adopted).map(drop)
    }),
    ("add_worktree", |any| {
        let (repository, new) = (any.repository(), new_worktree(any.number()));
        any.store.add_worktree(repository, &new, any.now()).map(drop)
    }),
    ("set_worktree_branch", |any| {
        let (id, branch) = (any.worktree(), format!("branch-{}", any.random.below(2)));
        any.store.set_worktree_branch(id, &branch).map(drop)
    }),
    ("worktree_ready", |any| {
        let id = any.worktree();
        any.store.worktree_ready(id, Some("c0ffee")).map(drop)
    }),
    ("worktree_missing", |any| {
        let id = any.worktree();
        any.store.worktree_missing(id, any.now()).map(drop)
    }),
    ("worktree_found_again", |any| {
        let id = any.worktree();
        any.store.worktree_found_again(id).map(drop)
    }),
    ("keep_worktree", |any| {
        let id = any.worktree();
        any.store.keep_worktree(id, "it is dirty").map(drop)
    }),
    ("trash_worktree", |any| {
        let id = any.worktree();
        any.store.trash_worktree(id, trash(), any.now()).map(drop)
    }),
    ("take_back_worktree", |any| {
        let id = any.worktree();
        any.store.take_back_worktree(id).map(drop)
    }),
    ("worktree_gone", |any| {
        let id = any.worktree();
        any.store.worktree_gone(id, any.now()).map(drop)
    }),
    ("add_token", |any| {
        let worker = any.worker();
        let scope = if any.random.percent(50) { Scope::All } else { Scope::Worker { worker, drive: true } };
        let new = NewToken {
            name: "a token".to_owned(),
            scope,
            verifier: Verifier::Hash([1; 32]),
            expires_at: None,
        };
        any.store.add_token(&new, any.now()).map(drop)
    }),
    ("revoke_token", |any| {
        let id = any.token();
        any.store.revoke_token(id, any.now()).map(drop)
    }),
    ("touch_token", |any| {
        let id = any.token();
        any.store.touch_token(id, any.now())
    }),
    ("add_audit_entry", |any| {
        let entry = NewAuditEntry { actor: "me", action: "look", object: "it", detail: None };
        any.store.add_audit_entry(entry, any.now()).map(drop)
    }),
];

fn trash() -> Trash {
    Trash { path: "/trash".into(), head: None, branch: None }
}
