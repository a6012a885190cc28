//! The one exit for foreign text: titles, directories, questions, errors of other programs.

use std::ffi::OsString;
use std::sync::Arc;

use home::WorkerDir;
use masking::Rules;
use model::{ShownLines, ShownText};

use crate::masks::Masks;

/// Makes foreign text fit to leave. It knows what is secret for one source of text.
#[derive(Clone, Debug)]
pub struct Exit {
    rules: Arc<Rules>,
}

impl Exit {
    /// For text that comes from no worker, such as an error of git.
    pub fn common(masks: &Masks) -> Exit {
        Exit { rules: masks.common() }
    }

    /// For text that comes from a worker: the values of its secret variables are secret too.
    pub fn of(masks: &Masks, dir: &WorkerDir) -> Exit {
        Exit { rules: masks.of(dir) }
    }

    /// The same exit for text of a program that has these variables too.
    #[must_use]
    pub fn and_variables(self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Exit {
        let rules = self.rules.and_variables(variables).map_or(self.rules, Arc::new);
        Exit { rules }
    }

    /// The text as it may be shown. What is too long is cut at its end.
    pub fn show(&self, foreign: &str) -> ShownText {
        ShownText::masked(foreign, |text| self.rules.mask_text(text))
    }

    /// The same for a text of many lines.
    pub fn show_lines(&self, foreign: &str) -> ShownLines {
        ShownLines::masked(foreign, |text| self.rules.mask_text(text))
    }

    /// The same for a text whose end says most. Line ends become semicolons.
    pub fn show_end(&self, foreign: &str) -> ShownText {
        ShownText::masked_end(foreign, |text| self.rules.mask_text(text))
    }

    /// The text with its secrets masked and otherwise as it is, for programs that read it exactly.
    pub fn mask(&self, foreign: &str) -> String {
        self.rules.mask_text(foreign).into_owned()
    }
}
