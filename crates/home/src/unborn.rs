//! Workers that are made from a file, before they are whole.
//!
//! Such a worker has no host. Until its recording is whole, its directory has a name that is no worker's, so no other
//! program asks it anything, seals it or shows it. When it is whole, the directory gets its name in one step. The
//! process that makes it holds a lock meanwhile: what is left of a process that was killed is removed later.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};

use crate::find::Worker;
use crate::private::lock_file;
use crate::root::Home;
use crate::start::{NewWorker, StartError, describe};
use crate::worker_dir::{WorkerDir, remove_all};

/// How the names of these directories begin: like no id.
const UNBORN: &str = "importing-";

/// The file in such a directory whose lock says that a process still makes it.
const LOCK: &str = "importing.lock";

/// A worker that is being made from a file. When it is dropped before it is [published](UnbornWorker::publish), nothing
/// of it is left.
#[derive(Debug)]
pub struct UnbornWorker {
    home: Home,
    worker: Worker,
    /// Whether the name was chosen by the caller, so that no other may take its place.
    has_chosen_name: bool,
    near: String,
    place: Arc<Place>,
}

/// The directory, as long as it is not published.
#[derive(Debug)]
struct Place {
    path: Mutex<Option<PathBuf>>,
    _lock: File,
}

/// Removes an unborn worker from another thread, for a process that is told to end.
#[derive(Clone, Debug)]
pub struct Forget(Arc<Place>);

impl UnbornWorker {
    /// Makes the directory of a worker that started elsewhere at some time. Without a name of its own it is called after
    /// `near`.
    ///
    /// # Errors
    ///
    /// See [`StartError`].
    pub fn begin(
        home: &Home,
        new: &NewWorker,
        near: &str,
        started_at: Timestamp,
    ) -> Result<UnbornWorker, StartError> {
        home.make()?;
        // Also held against a process that removes what was left: the directory has no lock yet.
        let _names = home.lock_names().map_err(StartError::Disk)?;
        let meta = describe(home, new, near, started_at)?;
        let path = home.workers_dir().join(format!("{UNBORN}{}", meta.worker));
        let dir = WorkerDir::new(path.clone(), meta.worker);
        dir.make()?;
        let locked = lock_file(&path.join(LOCK)).and_then(|lock| {
            flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
            Ok(lock)
        });
        let lock = locked.map_err(StartError::Disk)?;
        let place = Arc::new(Place { path: Mutex::new(Some(path)), _lock: lock });
        Ok(UnbornWorker {
            home: home.clone(),
            worker: Worker { dir, meta },
            has_chosen_name: new.name.is_some(),
            near: near.to_owned(),
            place,
        })
    }

    /// The worker, in its provisional directory.
    pub fn worker(&self) -> &Worker {
        &self.worker
    }

    /// What removes it from another thread.
    pub fn forget(&self) -> Forget {
        Forget(Arc::clone(&self.place))
    }

    /// Makes it a worker like any other: from now on all programs see it. It gets another name if another worker took
    /// its name meanwhile, unless the caller chose the name.
    ///
    /// # Errors
    ///
    /// When the disk refuses, or when another worker has the chosen name by now.
    pub fn publish(mut self) -> Result<Worker, StartError> {
        let _names = self.home.lock_names().map_err(StartError::Disk)?;
        let chosen = self.has_chosen_name.then(|| self.worker.meta.name.clone());
        self.worker.meta.name = self.home.free_name(chosen.as_ref(), &self.near)?;
        self.worker.dir.write_meta(&self.worker.meta).map_err(StartError::Disk)?;
        let dir = self.home.worker(self.worker.dir.id());
        let mut place = self.place.lock();
        let path = place.as_deref().ok_or_else(|| StartError::Disk(io::ErrorKind::NotFound.into()))?;
        fs::remove_file(path.join(LOCK))
            .and_then(|()| fs::rename(path, dir.path()))
            .map_err(StartError::Disk)?;
        *place = None;
        Ok(Worker { dir, meta: self.worker.meta.clone() })
    }
}

impl Drop for UnbornWorker {
    fn drop(&mut self) {
        self.forget().forget();
    }
}

impl Forget {
    /// Removes the worker, if it is not published. What the disk refuses to remove is tried again later.
    pub fn forget(&self) {
        if let Some(path) = self.0.lock().take() {
            let _ = remove_all(&path);
        }
    }
}

impl Place {
    fn lock(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.path.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the directories that killed processes left, and no directory that a process still fills.
pub(crate) fn remove_left(home: &Home) -> io::Result<()> {
    let entries = fs::read_dir(home.workers_dir()).into_iter().flatten().flatten();
    let is_unborn = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(UNBORN))
    };
    let left: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_unborn).collect();
    if left.is_empty() {
        return Ok(());
    }
    let _names = home.lock_names()?;
    left.iter().filter(|path| is_abandoned(path)).try_for_each(|path| remove_all(path))
}

fn is_abandoned(path: &Path) -> bool {
    // One that was published meanwhile is not there any more.
    path.exists()
        && lock_file(&path.join(LOCK))
            .is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok())
}

#[cfg(test)]
mod tests {
    use model::{MaskPolicy, SizePolicy, TermSize};

    use super::*;

    fn new(name: Option<&str>) -> NewWorker {
        NewWorker {
            id: None,
            session: None,
            agent: None,
            name: name.map(|name| name.parse().unwrap()),
            command: vec!["demo".into()],
            cwd: "/".into(),
            size: TermSize::clamped(80, 24),
            size_policy: SizePolicy::default(),
            grace_ms: 0,
            recording_bytes: 1,
            mask: MaskPolicy::default(),
            environment: Vec::new(),
            hook_settings: None,
            shell_integration: false,
            variables: Vec::new(),
            program: PathBuf::new(),
            scope: false,
        }
    }

    fn begin(home: &Home, name: Option<&str>) -> UnbornWorker {
        UnbornWorker::begin(home, &new(name), "demo", Timestamp::UNIX_EPOCH).unwrap()
    }

    fn entries(home: &Home) -> usize {
        fs::read_dir(home.workers_dir()).unwrap().count()
    }

    #[test]
    fn an_unborn_worker_is_seen_when_it_is_published_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path());
        let unborn = begin(&home, None);
        fs::write(unborn.worker().dir.path().join("x"), "").unwrap();
        assert!(home.workers().unwrap().is_empty());
        let worker = unborn.publish().unwrap();
        assert!(worker.dir.path().join("x").exists());
        let [found] = &home.workers().unwrap()[..] else { panic!("one worker") };
        assert_eq!((found.meta.name.as_str(), found.dir.id()), ("demo", worker.dir.id()));
        assert!(found.dir.identity().is_none(), "no process runs it");
        assert_eq!(fs::read_dir(worker.dir.path()).unwrap().count(), 2, "the lock's file is gone");
    }

    #[test]
    fn a_name_that_was_taken_meanwhile_is_replaced_unless_it_was_chosen() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path());
        let (first, second, third) = (begin(&home, None), begin(&home, None), begin(&home, Some("demo")));
        assert_eq!(first.publish().unwrap().meta.name.as_str(), "demo");
        assert_eq!(second.publish().unwrap().meta.name.as_str(), "demo-2");
        assert!(matches!(third.publish(), Err(StartError::NameTaken(_))));
        assert_eq!(entries(&home), 2, "nothing is left of the third");
    }

    #[test]
    fn what_was_left_is_removed_and_what_is_being_made_stays() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path());
        let unborn = begin(&home, None);
        let left = home.workers_dir().join("importing-zzzzzzzz");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("x"), "").unwrap();
        home.finish_removals().unwrap();
        assert!(!left.exists() && unborn.worker().dir.path().exists());
        unborn.forget().forget();
        assert_eq!(entries(&home), 0);
        assert!(unborn.publish().is_err());
        assert_eq!(entries(&home), 0);
    }
}
