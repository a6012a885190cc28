//! The store tells what changed: exactly the things that look different after a step.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use model::{OwnerId, WorkerId};
use store::{Database, Object, SessionFilter, Store, TaskFilter};
use testkit::Random;

use crate::steps::{Any, STEPS};
use crate::support::{
    active_task, add_repository, agent, at, new_task_session, session_id, worker_id, worktree_id,
};

/// Who listens to a store, and what it was told in each transaction.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<Vec<Object>>>>);

impl Told {
    fn by(database: &Database) -> Told {
        let told = Told::default();
        let heard = told.clone();
        database.on_change(move |_, changed| heard.0.lock().unwrap().push(changed.to_vec()));
        told
    }

    fn take(&self) -> Vec<Vec<Object>> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

pub(crate) fn key(object: Object) -> (String, String) {
    (object.kind().to_owned(), object.id().to_owned())
}

pub(crate) type Picture = BTreeMap<(String, String), String>;

/// Everything that can be read of the things whose changes are told.
pub(crate) fn picture(store: &Store) -> Picture {
    let mut picture = Picture::new();
    let mut put = |object: Object, looks: String| picture.insert(key(object), looks);
    for known in store.repositories().unwrap() {
        put(Object::Repository(known.id), format!("{known:?}"));
    }
    for known in store.worktrees(None).unwrap() {
        put(Object::Worktree(known.id), format!("{known:?}"));
    }
    for known in store.tasks(TaskFilter::default()).unwrap() {
        put(Object::Task(known.id), format!("{known:?}"));
    }
    for known in store.sessions_with_workers(SessionFilter::All).unwrap() {
        let order: Vec<WorkerId> = known.workers.iter().map(|worker| worker.id).collect();
        put(Object::Session(known.session.id), format!("{:?} {order:?}", known.session));
        for worker in known.workers {
            put(Object::Worker(worker.id), format!("{worker:?}"));
        }
    }
    for item in store.inbox().unwrap() {
        put(Object::InboxItem(item.id), format!("{item:?}"));
    }
    for worker in store.worker_ids().unwrap() {
        for prompt in store.prompts(worker).unwrap() {
            put(Object::Prompt(prompt.id), format!("{prompt:?}"));
        }
    }
    picture
}

/// The things that look different.
fn difference(before: &Picture, after: &Picture) -> BTreeSet<(String, String)> {
    let all: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    all.into_iter().filter(|object| before.get(*object) != after.get(*object)).cloned().collect()
}

#[test]
fn every_step_reports_exactly_the_objects_that_it_changed() {
    let mut taken: HashMap<&str, u32> = HashMap::new();
    for seed in 0..12 {
        println!("seed {seed}");
        let database = Database::in_memory();
        let (store, told) = (database.of(OwnerId::ONLY), Told::by(&database));
        let mut any = Any { store, other: None, random: Random::new(seed), now: 0 };
        let mut before = picture(&any.store);
        for _ in 0..700 {
            any.now += 1;
            let (name, step) = STEPS[any.random.below(STEPS.len())];
            let result = step(&mut any);
            let after = picture(&any.store);
            let told: Vec<_> = told.take().into_iter().flatten().map(key).collect();
            let distinct: BTreeSet<_> = told.iter().cloned().collect();
            assert_eq!(told.len(), distinct.len(), "{name} tells a thing twice");
            assert_eq!(distinct, difference(&before, &after), "{name} gave {result:?}");
            if result.is_err() {
                assert!(told.is_empty(), "{name} was refused");
            } else {
                *taken.entry(name).or_default() += 1;
            }
            before = after;
        }
    }
    let never: Vec<_> =
        STEPS.iter().map(|(name, _)| name).filter(|name| !taken.contains_key(*name)).collect();
    assert!(never.is_empty(), "never taken: {never:?}");
}

/// The methods in the sources that write, by their names.
pub(crate) fn writing_methods() -> BTreeSet<String> {
    methods(|body| body.contains("self.write(") || body.contains("self.worktree_step("))
}

/// The methods in the sources that read and do not write, by their names.
pub(crate) fn reading_methods() -> BTreeSet<String> {
    &methods(|body| body.contains("self.read(")) - &writing_methods()
}

/// The public methods in the sources, by their names.
fn methods(is_one: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        for method in source.split("    pub fn ").skip(1) {
            if is_one(method) {
                let name = method.split(['(', '<']).next().expect("a name");
                names.insert(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn every_method_that_writes_is_among_the_steps() {
    let steps: BTreeSet<String> = STEPS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(writing_methods(), steps);
}

#[test]
fn a_transaction_reports_its_changes_at_once_and_none_when_it_is_undone() {
    let database = Database::in_memory();
    let store = database.of(OwnerId::ONLY);
    let repository = add_repository(&store, 1);
    let task = active_task(&store, repository).id;
    let other = active_task(&store, repository).id;
    let told = Told::by(&database);
    store.begin_session(task, &new_task_session(1), &agent(1), at(1)).unwrap();
    let begun = [
        Object::Worktree(worktree_id(1)),
        Object::Task(task),
        Object::Session(session_id(1)),
        Object::Worker(worker_id(1)),
    ];
    assert_eq!(told.take(), [begun.to_vec()]);
    // Its worktree and its session are written, and then its worker is refused.
    store.begin_session(other, &new_task_session(2), &agent(1), at(2)).unwrap_err();
    assert_eq!(told.take(), Vec::<Vec<Object>>::new());
    store.worker_live(worker_id(1), at(3)).unwrap();
    assert_eq!(told.take(), [[Object::Worker(worker_id(1))].to_vec()]);
    store.worker_live(worker_id(1), at(4)).unwrap();
    assert_eq!(told.take(), Vec::<Vec<Object>>::new(), "it was live already");
}

#[test]
#[should_panic = "the database has a listener already"]
fn a_second_listener_is_refused() {
    let database = Database::in_memory();
    let _first = Told::by(&database);
    let _second = Told::by(&database);
}
