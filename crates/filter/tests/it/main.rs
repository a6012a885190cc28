//! The filter: what passes, what does not, and the laws that hold for any output.

mod emulator;
mod laws;
mod rules;
mod snapshots;

use filter::{Filter, Passed};

/// What a filter shows of output that comes in these pieces. After a change of screens it goes on with the rest.
fn shown<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut filter = Filter::default();
    let mut scratch = Vec::new();
    let mut all = Vec::new();
    for mut rest in pieces {
        loop {
            match filter.pass(rest, &mut scratch) {
                Passed::All { shown } => {
                    all.extend(shown);
                    break;
                }
                Passed::Until { shown, used } => {
                    all.extend(shown);
                    rest = &rest[used..];
                }
            }
        }
    }
    all
}
