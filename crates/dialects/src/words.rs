//! Texts for codes, refusals and signals.

use api::Problem;
use model::display_safe;
use protocol::Refused;
use rustix::process::Signal;
use serde::Serialize;

/// A problem's code and sentence.
pub(crate) fn words(problem: &Problem) -> (String, String) {
    (word(&problem.error.code), problem.error.message.clone())
}

/// A refusal's code and sentence, made safe to show.
pub fn refusal(refused: &Refused) -> (String, String) {
    (word(&refused.code), display_safe(&refused.message))
}

/// An enum's value as a word, as in JSON.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => "other".to_owned(),
    }
}

/// A signal's name, such as `SIGTERM`. Its number if it has no name.
pub(crate) fn signal_name(number: u8) -> String {
    const NAMES: [(Signal, &str); 16] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
    ];
    let named = NAMES.iter().find(|(signal, _)| signal.as_raw() == i32::from(number));
    named.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned())
}
