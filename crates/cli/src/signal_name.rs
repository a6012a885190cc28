//! Signals by name and by number.

use rustix::process::Signal;

/// The signals that have a name on every Linux.
const NAMES: [(&str, Signal); 30] = [
    ("HUP", Signal::HUP),
    ("INT", Signal::INT),
    ("QUIT", Signal::QUIT),
    ("ILL", Signal::ILL),
    ("TRAP", Signal::TRAP),
    ("ABRT", Signal::ABORT),
    ("BUS", Signal::BUS),
    ("FPE", Signal::FPE),
    ("KILL", Signal::KILL),
    ("USR1", Signal::USR1),
    ("SEGV", Signal::SEGV),
    ("USR2", Signal::USR2),
    ("PIPE", Signal::PIPE),
    ("ALRM", Signal::ALARM),
    ("TERM", Signal::TERM),
    ("CHLD", Signal::CHILD),
    ("CONT", Signal::CONT),
    ("STOP", Signal::STOP),
    ("TSTP", Signal::TSTP),
    ("TTIN", Signal::TTIN),
    ("TTOU", Signal::TTOU),
    ("URG", Signal::URG),
    ("XCPU", Signal::XCPU),
    ("XFSZ", Signal::XFSZ),
    ("VTALRM", Signal::VTALARM),
    ("PROF", Signal::PROF),
    ("WINCH", Signal::WINCH),
    ("IO", Signal::IO),
    ("PWR", Signal::POWER),
    ("SYS", Signal::SYS),
];

/// The highest number of a signal on Linux.
const LAST: u8 = 64;

/// A signal's name, as in `SIGTERM`; its number where it has none.
pub(crate) fn signal_name(number: u8) -> String {
    let named = NAMES.iter().find(|(_, signal)| signal.as_raw() == i32::from(number));
    named.map_or_else(|| format!("signal {number}"), |(name, _)| format!("SIG{name}"))
}

/// The number of a signal that is named with or without `SIG`, or by its number.
pub(crate) fn signal_number(text: &str) -> Result<u8, String> {
    let upper = text.to_ascii_uppercase();
    let short = upper.strip_prefix("SIG").unwrap_or(&upper);
    let named = NAMES.iter().find(|(name, _)| *name == short);
    let number = match named {
        Some((_, signal)) => u8::try_from(signal.as_raw()).ok(),
        None => text.parse().ok().filter(|number| (1..=LAST).contains(number)),
    };
    number.ok_or_else(|| format!("give a signal's name, as in TERM or SIGTERM, or a number from 1 to {LAST}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_known_by_name_and_by_number() {
        for text in ["TERM", "SIGTERM", "term", "sigterm", "15"] {
            assert_eq!(signal_number(text), Ok(15), "{text}");
        }
        assert_eq!(signal_number("34"), Ok(34));
        for text in ["", "SIG", "0", "65", "-9", "NOPE"] {
            assert!(signal_number(text).is_err(), "{text}");
        }
        assert_eq!(signal_name(9), "SIGKILL");
        assert_eq!(signal_name(40), "signal 40");
    }
}
