//! Makes a life that breaks a law as short as it can be.

use std::panic::{self, AssertUnwindSafe};

use model::TermSize;
use terminal::HistoryLimit;

use crate::laws::{Failure, Law};
use crate::life::ScriptedTerminal;

/// Judges a life; a panic breaks every law.
pub(crate) fn judge(law: Law, life: &ScriptedTerminal) -> Result<(), Failure> {
    panic::catch_unwind(AssertUnwindSafe(|| law(life)))
        .unwrap_or_else(|_| Err(Failure::Broken("it panics".into())))
}

/// How a life breaks the law, if it does.
pub(crate) fn broken(law: Law, life: &ScriptedTerminal) -> Option<String> {
    match judge(law, life) {
        Err(Failure::Broken(broken)) => Some(broken),
        Ok(()) | Err(Failure::Void) => None,
    }
}

/// In what way a law is broken, without what differs from case to case.
pub(crate) fn class(broken: &str) -> String {
    let when = broken.lines().next().unwrap_or_default();
    let what =
        broken.lines().find_map(|line| line.trim_start().strip_prefix("expected ")).unwrap_or_default();
    let what = what.split_whitespace().next().unwrap_or_default();
    format!("{when} {what}").chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The shortest life found that breaks the law in the same way.
pub(crate) fn shortest(law: Law, life: &ScriptedTerminal) -> ScriptedTerminal {
    let class = |life: &ScriptedTerminal| broken(law, life).map(|broken| class(&broken));
    let wanted = class(life);
    let fails = |life: &ScriptedTerminal| class(life) == wanted;
    let mut life = life.clone();
    loop {
        let before = life.to_string();
        for candidate in simpler(&life) {
            if fails(&candidate) {
                life = candidate;
                break;
            }
        }
        shorten(&mut life, fails);
        if life.to_string() == before {
            return life;
        }
    }
}

/// Simpler settings for the same output.
fn simpler(life: &ScriptedTerminal) -> Vec<ScriptedTerminal> {
    let mut simpler = Vec::new();
    for i in 0..life.resizes.len() {
        let mut fewer = life.clone();
        fewer.resizes.remove(i);
        simpler.push(fewer);
    }
    let (cols, rows) = (life.size.cols(), life.size.rows());
    for (cols, rows) in
        [(2, rows), (cols, 1), (cols / 2, rows), (cols, rows / 2), (cols - 1, rows), (cols, rows - 1)]
    {
        let size = TermSize::clamped(cols, rows);
        if size != life.size {
            simpler.push(ScriptedTerminal { size, ..life.clone() });
        }
    }
    let usual = HistoryLimit { lines: 9, bytes: 1 << 20 };
    if life.limit != usual {
        simpler.push(ScriptedTerminal { limit: usual, ..life.clone() });
    }
    simpler
}

/// Drops all output that does not matter, in ever smaller pieces.
fn shorten(life: &mut ScriptedTerminal, fails: impl Fn(&ScriptedTerminal) -> bool) {
    let mut step = life.output.len().div_ceil(2);
    while step > 0 {
        let mut at = 0;
        while at < life.output.len() {
            let end = (at + step).min(life.output.len());
            let candidate = life.without(at, end);
            if fails(&candidate) {
                *life = candidate;
            } else {
                at = end;
            }
        }
        step /= 2;
    }
}
