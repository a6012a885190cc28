//! Every method, called by an owner with the things of another: it answers as if these were not there.

use std::collections::BTreeSet;

use model::{
    Activity, ExitStatus, InboxItemId, InboxReason, OwnerId, PromptId, RepositoryId, SessionLogId, TaskId,
    TokenId, WorkerLife,
};
use store::{
    AdoptedSession, AdoptedWorker, AdoptedWorktree, Database, ImportedSession, ImportedWorktree,
    NewAuditEntry, NewInboxItem, NewPrompt, NewSession, NewToken, PromptState, Scope, SessionFilter,
    SessionKind, Store, StoreError, TaskChange, TaskFilter, Trash, Verifier,
};

use crate::changes::{reading_methods, writing_methods};
use crate::owners::everything;
use crate::support::{
    active_task, add_repository, agent, archive, at, new_task, new_task_session, new_worktree, quick,
    repository_id, session_id, terminal, worker_id, worktree_id,
};

/// One of everything that an owner can have, in a state that allows the steps to be taken.
///
/// Session 1 is that of a task: its worktree 1 is being made, its worker 1 is pending. Session 2 was archived with its
/// worktree 2. Worktree 3 is ready, 4 is missing, 5 is in the trash. Session 6 is in a directory and has the workers 6,
/// which is pending, and 7, which is live.
struct Things {
    repository: RepositoryId,
    empty_repository: RepositoryId,
    backlog: TaskId,
    active: TaskId,
    done: TaskId,
    busy: TaskId,
    archived: TaskId,
    log: SessionLogId,
    asks: InboxItemId,
    prompt: PromptId,
    token: TokenId,
}

fn fill(store: &Store) -> Things {
    let (repository, empty_repository) = (add_repository(store, 1), add_repository(store, 2));
    store.give_consent(repository, &[1; 32], at(1)).unwrap();
    let backlog = store.create_task(&new_task(repository, "a task"), at(1)).unwrap().id;
    let [active, done, busy, archived] = [(); 4].map(|()| active_task(store, repository).id);
    store.complete_task(done).unwrap();
    store.begin_session(busy, &new_task_session(1), &agent(1), at(1)).unwrap();
    store.begin_session(archived, &new_task_session(2), &agent(2), at(1)).unwrap();
    store.worktree_ready(worktree_id(2), None).unwrap();
    let log = archive(store, archived, at(2), None, false).unwrap().unwrap().log.id;
    for number in 3..=5 {
        store.add_worktree(repository, &new_worktree(number), at(1)).unwrap();
        store.worktree_ready(worktree_id(number), None).unwrap();
    }
    store.worktree_missing(worktree_id(4), at(2)).unwrap();
    store.trash_worktree(worktree_id(5), trash(), at(2)).unwrap();
    store.create_session(&quick(6), Some(&terminal(6)), at(1)).unwrap();
    store.add_worker(session_id(6), &terminal(7), at(1)).unwrap();
    store.worker_live(worker_id(7), at(1)).unwrap();
    store.import_session(&imported(8), at(1)).unwrap();
    let asks = store.enter_inbox(worker_id(7), &asking("which one?")).unwrap().id;
    let prompt = store.add_prompt(worker_id(7), &prompt("fix it"), at(1)).unwrap().id;
    let token = store.add_token(&new_token(Scope::All), at(1)).unwrap().id;
    store.add_audit_entry(ENTRY, at(1)).unwrap();
    Things { repository, empty_repository, backlog, active, done, busy, archived, log, asks, prompt, token }
}

fn asking(mark: &str) -> NewInboxItem {
    let (reason, mark) = (InboxReason::Asking, mark.to_owned());
    NewInboxItem { reason, mark, words: None, since: at(1) }
}

fn prompt(text: &str) -> NewPrompt {
    let token = TokenId::from_random([3; 8]);
    NewPrompt { key: None, text: text.to_owned(), when_idle: true, sender: "a person".to_owned(), token }
}

const ENTRY: NewAuditEntry<'_> =
    NewAuditEntry { actor: "a person", action: "look", object: "it", detail: None };

fn trash() -> Trash {
    Trash { path: "/trash".into(), head: None, branch: None }
}

fn new_token(scope: Scope) -> NewToken {
    NewToken { name: "a token".to_owned(), scope, verifier: Verifier::Hash([1; 32]), expires_at: None }
}

/// The other program's only session, in the worktree 3.
fn imported(number: u32) -> ImportedSession {
    let mut worktree = new_worktree(3);
    worktree.id = worktree_id(number);
    ImportedSession {
        id: session_id(number),
        location: worktree.path.clone(),
        worktree: Some(ImportedWorktree { repository_path: "/code/1".into(), worktree }),
        origin: "theirs".to_owned(),
        notice: "it is imported".to_owned(),
        workers: vec![(agent(number), at(1))],
        created_at: at(1),
    }
}

/// A worker in the worktree 3, for a task.
fn adopted(task: TaskId) -> AdoptedWorker {
    AdoptedWorker {
        worker: agent(100),
        session: AdoptedSession::Worktree {
            id: session_id(100),
            repository: repository_id(100),
            repository_path: "/code/1".into(),
            worktree: worktree_id(100),
            branch: "main".to_owned(),
            made_by_abide: true,
            task: Some(task),
        },
        location: new_worktree(3).path,
        life: WorkerLife::Live,
        created_at: at(3),
        ended_at: None,
    }
}

/// What a method answered, in words.
type Answer = Result<String, StoreError>;

fn shown<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> Answer {
    answer.map(|answer| format!("{answer:?}"))
}

fn done<T>(answer: Result<T, StoreError>) -> Answer {
    answer.map(|_| "done".to_owned())
}

type Call = fn(&Store, &Things) -> Answer;

/// Every method that reads, by its name.
const READS: &[(&str, Call)] = &[
    ("repositories", |store, _| shown(store.repositories())),
    ("repository", |store, their| shown(store.repository(their.repository))),
    ("tasks", |store, their| {
        shown(store.tasks(TaskFilter { repository: Some(their.repository), state: None }))
    }),
    ("task", |store, their| shown(store.task(their.busy))),
    ("session_logs", |store, their| shown(store.session_logs(their.archived))),
    ("sessions", |store, _| shown(store.sessions(SessionFilter::All))),
    ("session", |store, _| shown(store.session(session_id(1)))),
    ("sessions_with_workers", |store, _| shown(store.sessions_with_workers(SessionFilter::All))),
    ("session_with_workers", |store, _| shown(store.session_with_workers(session_id(6)))),
    ("worker", |store, _| shown(store.worker(worker_id(7)))),
    ("workers", |store, _| shown(store.workers(session_id(6)))),
    ("worker_ids", |store, _| shown(store.worker_ids())),
    ("inbox", |store, _| shown(store.inbox())),
    ("inbox_item", |store, their| shown(store.inbox_item(their.asks))),
    ("inbox_item_of", |store, _| shown(store.inbox_item_of(worker_id(7)))),
    ("prompts", |store, _| shown(store.prompts(worker_id(7)))),
    ("prompt", |store, their| shown(store.prompt(their.prompt))),
    ("workers_with_prompts", |store, _| shown(store.workers_with_prompts())),
    ("worktrees", |store, their| shown(store.worktrees(Some(their.repository)))),
    ("worktree", |store, _| shown(store.worktree(worktree_id(3)))),
    ("worktree_by_path", |store, _| shown(store.worktree_by_path(&new_worktree(3).path))),
    ("tokens", |store, _| shown(store.tokens())),
    ("has_consent", |store, their| shown(store.has_consent(their.repository, &[1; 32]))),
    ("audit", |store, _| shown(store.audit(None, 10))),
];

/// Every method that writes, by its name. New things have ids that nothing has.
const WRITES: &[(&str, Call)] = &[
    ("add_repository", |store, _| done(store.add_repository("/code/1".as_ref(), "code", at(3)))),
    ("remove_repository", |store, their| done(store.remove_repository(their.empty_repository, true, at(3)))),
    ("give_consent", |store, their| done(store.give_consent(their.repository, &[2; 32], at(3)))),
    ("create_task", |store, their| done(store.create_task(&new_task(their.repository, "new"), at(3)))),
    ("update_task", |store, their| {
        let change = TaskChange { pinned: Some(true), position: Some(0), ..TaskChange::default() };
        done(store.update_task(their.active, &change))
    }),
    ("delete_task", |store, their| done(store.delete_task(their.backlog))),
    ("activate_task", |store, their| done(store.activate_task(their.backlog))),
    ("complete_task", |store, their| done(store.complete_task(their.active))),
    ("reopen_task", |store, their| done(store.reopen_task(their.done))),
    ("begin_session", |store, their| {
        done(store.begin_session(their.active, &new_task_session(100), &agent(100), at(3)))
    }),
    ("start_failed", |store, _| done(store.start_failed(worktree_id(1), worker_id(1), "no room", at(3)))),
    ("archive_this_session", |store, their| {
        done(store.archive_this_session(their.busy, session_id(1), at(3), None, true))
    }),
    ("keep_archived_worktree", |store, their| {
        done(store.keep_archived_worktree(their.log, worktree_id(2), "no room"))
    }),
    ("create_session", |store, their| {
        let kind = SessionKind::Worktree { repository: their.repository, worktree: worktree_id(3) };
        done(store.create_session(&NewSession { kind, ..quick(100) }, Some(&terminal(100)), at(3)))
    }),
    ("import_session", |store, _| {
        let session = store.import_session(&imported(100), at(3));
        shown(session.map(|session| session.map(|session| session.id)))
    }),
    ("set_session_title", |store, _| done(store.set_session_title(session_id(6), Some("title")))),
    ("add_notice", |store, _| done(store.add_notice(session_id(6), "a notice"))),
    ("close_session", |store, _| done(store.close_session(session_id(8), at(3)))),
    ("delete_session", |store, _| done(store.delete_session(session_id(6)))),
    ("add_worker", |store, _| done(store.add_worker(session_id(6), &terminal(100), at(3)))),
    ("rename_worker", |store, _| done(store.rename_worker(worker_id(6), "name"))),
    ("set_activity", |store, _| done(store.set_activity(worker_id(7), Activity::Asking))),
    ("reorder_workers", |store, _| done(store.reorder_workers(session_id(6), &[worker_id(7), worker_id(6)]))),
    ("replace_worker", |store, _| done(store.replace_worker(worker_id(6), "earlier", worker_id(7)))),
    ("remove_worker", |store, _| done(store.remove_worker(worker_id(6)))),
    ("worker_provisioning", |store, _| done(store.worker_provisioning(worker_id(6)))),
    ("worker_live", |store, _| done(store.worker_live(worker_id(6), at(3)))),
    ("worker_exited", |store, _| {
        done(store.worker_exited(worker_id(7), ExitStatus::Exited { code: 1 }, at(3), false))
    }),
    ("worker_failed", |store, _| done(store.worker_failed(worker_id(6), "no room", at(3)))),
    ("worker_lost", |store, _| done(store.worker_lost(worker_id(7), "no host", at(3)))),
    ("worker_paused", |store, _| done(store.worker_paused(worker_id(7), at(3)))),
    ("enter_inbox", |store, _| done(store.enter_inbox(worker_id(7), &asking("why?")))),
    ("leave_inbox", |store, _| done(store.leave_inbox(worker_id(7)))),
    ("note_told", |store, their| {
        store.note_told(&[their.asks], at(3))?;
        shown(store.inbox())
    }),
    ("say_why_failed", |store, _| {
        done(store.worker_failed(worker_id(6), "no room", at(3)))?;
        store.say_why_failed(worker_id(6), "no disk")?;
        shown(store.inbox())
    }),
    ("read_inbox_item", |store, their| done(store.read_inbox_item(their.asks, at(3)))),
    ("snooze_inbox_item", |store, their| done(store.snooze_inbox_item(their.asks, Some(at(9))))),
    ("add_prompt", |store, _| done(store.add_prompt(worker_id(7), &prompt("and test it"), at(3)))),
    ("edit_prompt", |store, their| done(store.edit_prompt(their.prompt, "mend it", false))),
    ("cancel_prompt", |store, their| done(store.cancel_prompt(their.prompt, "removed", at(3)))),
    ("empty_prompts", |store, _| done(store.empty_prompts(worker_id(7), "emptied", at(3)))),
    ("cancel_prompts_of_token", |store, _| {
        shown(store.cancel_prompts_of_token(TokenId::from_random([3; 8]), "revoked", at(3)))
    }),
    ("prompt_step", |store, their| {
        let (from, to) = (PromptState::Queued, PromptState::Pasting { busy: true });
        done(store.prompt_step(their.prompt, &from, &to, at(3)))
    }),
    ("adopt_worker", |store, their| {
        store.adopt_worker(&adopted(their.active), at(3))?;
        shown(store.session(session_id(100)).map(|session| session.task))
    }),
    ("adopt_worktree", |store, _| {
        let mut worktree = new_worktree(3);
        worktree.id = worktree_id(100);
        let repository_path = "/code/1".into();
        let found = AdoptedWorktree { worktree, repository_path, trash: None, created_at: at(3) };
        done(store.adopt_worktree(&found))
    }),
    ("add_worktree", |store, their| done(store.add_worktree(their.repository, &new_worktree(100), at(3)))),
    ("set_worktree_branch", |store, _| done(store.set_worktree_branch(worktree_id(3), "branch"))),
    ("worktree_ready", |store, _| done(store.worktree_ready(worktree_id(1), Some("c0ffee")))),
    ("worktree_missing", |store, _| done(store.worktree_missing(worktree_id(3), at(3)))),
    ("worktree_found_again", |store, _| done(store.worktree_found_again(worktree_id(4)))),
    ("keep_worktree", |store, _| done(store.keep_worktree(worktree_id(3), "it is dirty"))),
    ("trash_worktree", |store, _| done(store.trash_worktree(worktree_id(3), trash(), at(3)))),
    ("take_back_worktree", |store, _| done(store.take_back_worktree(worktree_id(5)))),
    ("worktree_gone", |store, _| done(store.worktree_gone(worktree_id(3), at(3)))),
    ("add_token", |store, _| {
        done(store.add_token(&new_token(Scope::Worker { worker: worker_id(7), drive: true }), at(3)))
    }),
    ("revoke_token", |store, their| done(store.revoke_token(their.token, at(3)))),
    ("touch_token", |store, their| done(store.touch_token(their.token, at(3)))),
    ("add_audit_entry", |store, _| done(store.add_audit_entry(ENTRY, at(3)))),
];

/// The only method that names no thing.
const NAMES_NOTHING: &str = "add_audit_entry";

#[test]
fn the_things_of_another_owner_are_as_if_they_were_not_there() {
    let other = OwnerId::from_random([7; 8]);
    for (name, call) in READS.iter().chain(WRITES) {
        let (database, empty) = (Database::in_memory(), Database::in_memory());
        let owner = database.of(OwnerId::ONLY);
        let things = fill(&owner);
        let before = everything(&owner);
        let answer = call(&database.of(other), &things);
        assert_eq!(answer, call(&empty.of(other), &things), "{name} of another owner");
        assert_eq!(everything(&owner), before, "{name} of another owner");
        owner.check().unwrap();
        // The method has something to find or to change.
        let own = call(&owner, &things);
        assert!(*name == NAMES_NOTHING || own != answer, "{name} gave {own:?}");
    }
}

#[test]
fn every_method_is_among_them() {
    let names = |calls: &[(&str, Call)]| -> BTreeSet<String> {
        calls.iter().map(|(name, _)| (*name).to_owned()).collect()
    };
    assert_eq!(names(WRITES), writing_methods());
    let mut reading = reading_methods();
    // One looks through the whole file for damage. The other finds out whose token it is.
    assert!(reading.remove("check") && reading.remove("token_for_check"));
    assert_eq!(names(READS), reading);
}
