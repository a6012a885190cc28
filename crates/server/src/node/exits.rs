//! What is secret in the text of each worker, kept for a moment: titles change many times a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use home::Home;
use model::WorkerId;
use reading::{Exit, Masks};
use system::processes;

use super::Node;

/// The user may change the rules, and background programs may have secrets of their own. Looking at the environments of
/// all processes takes many milliseconds, so what was seen holds for this long.
const HOLDS: Duration = Duration::from_secs(10);

/// What was secret when the node looked last.
#[derive(Debug, Default)]
pub(super) struct Exits {
    last: Mutex<Option<(Instant, Arc<Masks>)>>,
}

impl Exits {
    /// The exit for text that comes from no worker.
    pub(super) fn common(&self, home: &Home) -> Exit {
        Exit::common(&self.masks(home))
    }

    fn masks(&self, home: &Home) -> Arc<Masks> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, masks)) = &*last
            && at.elapsed() < HOLDS
        {
            return Arc::clone(masks);
        }
        // If the user's rules cannot be used, the others still hold.
        let masks = Arc::new(Masks::read_at_least(home).0);
        *last = Some((Instant::now(), Arc::clone(&masks)));
        masks
    }
}

impl Node {
    /// The exit for text of a worker's programs. If its child is known, the variables of the child and of the program
    /// that has the terminal now are looked at each time: a program that has just begun may say a secret at once.
    pub(crate) fn exit_of(&self, worker: WorkerId, child: Option<u32>) -> Exit {
        let dir = self.0.home.worker(worker);
        let exit = Exit::of(&self.0.exits.masks(&self.0.home), &dir);
        let foreground = child.and_then(processes::foreground_group).filter(|group| Some(*group) != child);
        let now = [child, foreground].into_iter().flatten().filter_map(processes::environment).flatten();
        exit.and_variables(now)
    }

    /// The exit for text that comes from no worker.
    pub(crate) fn exit(&self) -> Exit {
        self.0.exits.common(&self.0.home)
    }
}
