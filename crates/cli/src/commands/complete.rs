//! `abide complete`: what a shell's completion script asks us.

use std::ffi::OsString;

use clap::{Args, CommandFactory};

use super::Abide;
use crate::completion;
use crate::failure::Failure;
use crate::output;

/// Print the words that could come next on a command line
///
/// The scripts of `abide completions` run this. Each line is a word, a tab, and a description. The line `:files` or
/// `:directories` asks the shell to complete a path by itself.
#[derive(Args)]
pub(super) struct Complete {
    /// Which word is completed; the first one, the program's name, is 0
    #[arg(long, value_name = "N")]
    index: usize,
    /// The words of the command line, up to the cursor
    #[arg(last = true, value_name = "WORD")]
    words: Vec<OsString>,
}

impl Complete {
    pub(super) fn run(self) -> Result<u8, Failure> {
        output::write(completion::answer(Abide::command(), self.words, self.index))?;
        Ok(0)
    }
}
