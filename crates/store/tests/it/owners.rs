//! Two owners in one database: neither sees or changes anything of the other.

use std::sync::{Arc, Mutex};

use model::{OwnerId, RepositoryId};
use store::{Database, Object, SessionFilter, Store, StoreError, TaskFilter};
use testkit::Random;

use crate::changes::{Picture, picture};
use crate::steps::{Any, STEPS};
use crate::support::{add_repository, at, new_worktree, worktree_id};

/// Everything that an owner has, with what is told of no change: logs, tokens, the audit trail, consents.
pub(crate) fn everything(store: &Store) -> (Picture, String) {
    let repositories = store.repositories().unwrap();
    let tasks = store.tasks(TaskFilter::default()).unwrap();
    let logs: Vec<_> = tasks.iter().map(|task| store.session_logs(task.id).unwrap()).collect();
    let consents: Vec<_> =
        repositories.iter().map(|known| store.has_consent(known.id, &[1; 32]).unwrap()).collect();
    let rest = (logs, consents, store.tokens().unwrap(), store.audit(None, usize::MAX).unwrap());
    (picture(store), format!("{rest:?}"))
}

/// Asks for each of the other's things by its id.
fn sees_nothing_of(store: &Store, other: &Store) {
    fn is_hidden<T: std::fmt::Debug>(found: Result<T, StoreError>, what: Object) {
        assert_eq!(found.map(|found| format!("{found:?}")), Err(StoreError::NotFound { what }));
    }
    for known in other.repositories().unwrap() {
        let id: RepositoryId = known.id;
        is_hidden(store.repository(id), Object::Repository(id));
        assert_eq!(store.worktrees(Some(id)), Ok(Vec::new()));
        assert_eq!(store.tasks(TaskFilter { repository: Some(id), state: None }), Ok(Vec::new()));
        assert_eq!(store.has_consent(id, &[1; 32]), Ok(false));
    }
    for known in other.worktrees(None).unwrap() {
        is_hidden(store.worktree(known.id), Object::Worktree(known.id));
        let at_its_path = store.worktree_by_path(&known.path).unwrap();
        assert_ne!(at_its_path.map(|found| found.id), Some(known.id));
    }
    for known in other.tasks(TaskFilter::default()).unwrap() {
        is_hidden(store.task(known.id), Object::Task(known.id));
        is_hidden(store.session_logs(known.id), Object::Task(known.id));
    }
    for known in other.sessions_with_workers(SessionFilter::All).unwrap() {
        let id = known.session.id;
        is_hidden(store.session(id), Object::Session(id));
        is_hidden(store.session_with_workers(id), Object::Session(id));
        is_hidden(store.workers(id), Object::Session(id));
        for worker in known.workers {
            is_hidden(store.worker(worker.id), Object::Worker(worker.id));
        }
    }
    let own = everything(store);
    let (others, _) = everything(other);
    assert!(others.keys().all(|object| !own.0.contains_key(object)));
    let sessions = store.sessions(SessionFilter::All).unwrap().len();
    assert_eq!(sessions, own.0.keys().filter(|(kind, _)| kind == "session").count());
    for token in other.tokens().unwrap() {
        assert!(store.tokens().unwrap().iter().all(|known| known.id != token.id));
    }
    for entry in other.audit(None, usize::MAX).unwrap() {
        assert!(store.audit(None, usize::MAX).unwrap().iter().all(|known| known.seq != entry.seq));
    }
}

#[test]
fn no_step_of_one_owner_changes_anything_of_another() {
    for seed in 0..12 {
        println!("seed {seed}");
        let database = Database::in_memory();
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        database.on_change(move |owner, _| heard.lock().unwrap().push(owner));
        let owners = [OwnerId::ONLY, OwnerId::from_random([7; 8])].map(|owner| database.of(owner));
        let mut random = Random::new(seed);
        let mut most = [0; 2];
        let mut both = [0, 1].map(|index: usize| Any {
            store: owners[index].clone(),
            other: Some(owners[1 - index].clone()),
            random: Random::new(seed * 2 + index as u64),
            now: 0,
        });
        for round in 0..400 {
            let index = random.below(2);
            let (any, other) = (&mut both[index], &owners[1 - index]);
            let before = everything(other);
            any.now += 1;
            let (name, step) = STEPS[random.below(STEPS.len())];
            let result = step(any);
            assert_eq!(everything(other), before, "{name} gave {result:?}");
            let told = std::mem::take(&mut *told.lock().unwrap());
            assert!(told.iter().all(|owner| *owner == any.store.owner()), "{name}");
            most[index] = most[index].max(everything(&owners[index]).0.len());
            if round % 40 == 0 {
                sees_nothing_of(&owners[0], &owners[1]);
                sees_nothing_of(&owners[1], &owners[0]);
            }
        }
        assert!(most.iter().all(|most| *most > 4), "both have something at times: {most:?}");
    }
}

#[test]
fn two_owners_may_have_the_same_repository_and_worktree() {
    let database = Database::in_memory();
    for (number, owner) in [(1, OwnerId::ONLY), (2, OwnerId::from_random([7; 8]))] {
        let store = database.of(owner);
        let repository = add_repository(&store, 1);
        let mut worktree = new_worktree(1);
        worktree.id = worktree_id(number);
        store.add_worktree(repository, &worktree, at(1)).unwrap();
        assert_eq!(store.worktree_by_path(&worktree.path).unwrap().unwrap().id, worktree.id);
    }
}
