//! A principal may do nothing any more.

use std::collections::VecDeque;
use std::io;

use protocol::ViewerId;

use crate::host::Host;
use crate::log;
use crate::viewer::Viewer;

/// How many names are remembered. A name matters only until the last connection of that principal has been read.
const MOST: usize = 256;

/// The principals that may do nothing any more, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Withdrawn {
    names: VecDeque<String>,
}

impl Withdrawn {
    /// Whether a principal is among them.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|withdrawn| withdrawn == name)
    }

    fn add(&mut self, name: &str) {
        if self.has(name) {
            return;
        }
        if self.names.len() >= MOST {
            self.names.pop_front();
        }
        self.names.push_back(name.to_owned());
    }
}

impl Host {
    /// Lets the viewers of a principal go, without reading what they still say, and takes back what it typed.
    pub(crate) fn withdraw(&mut self, principal: &str) -> io::Result<()> {
        self.withdrawn.add(principal);
        let is_its = |viewer: &&Viewer| {
            viewer.watching().is_some_and(|watching| watching.principal.as_deref() == Some(principal))
        };
        let viewers: Vec<ViewerId> = self.viewers.iter().filter(is_its).map(|viewer| viewer.id).collect();
        for id in viewers {
            self.dismiss(id)?;
        }
        self.input.withdraw(principal);
        log::line(&format!("took back what {} typed", model::display_safe(principal)));
        self.await_pty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s12_the_number_of_remembered_principals_is_bounded() {
        let mut withdrawn = Withdrawn::default();
        for number in 0..=MOST {
            withdrawn.add(&number.to_string());
            withdrawn.add(&number.to_string());
        }
        assert!(!withdrawn.has("0") && withdrawn.has("1") && withdrawn.has(&MOST.to_string()));
    }
}
