//! The machine: what it is called, how long it has been up, and how much it has.

use std::fs;
use std::io;
use std::time::Duration;

use rustix::rand::{GetRandomFlags, getrandom};

/// Which start of the machine this is: no two have the same text.
pub fn boot_id() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

/// What the machine is called; empty if the system does not say.
pub fn name() -> String {
    kernel("hostname")
}

/// Which version of the system it runs; empty if the system does not say.
pub fn system_version() -> String {
    kernel("osrelease")
}

/// How long the machine has been up; for ever if the system does not say.
pub fn uptime() -> Duration {
    let text = fs::read_to_string("/proc/uptime").unwrap_or_default();
    let seconds = text.split_whitespace().next().and_then(|seconds| seconds.parse::<f64>().ok());
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(Duration::MAX)
}

/// How many PTYs there are on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ptys {
    /// So many are in use.
    pub used: u64,
    /// So many may be.
    pub most: u64,
}

/// The PTYs of the machine, if the system says how many there are.
pub fn ptys() -> Option<Ptys> {
    Some(Ptys { used: kernel("pty/nr").parse().ok()?, most: kernel("pty/max").parse().ok()? })
}

/// Random bytes that nothing can foresee.
///
/// # Errors
///
/// When the machine has none.
pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    match getrandom(&mut bytes, GetRandomFlags::empty())? {
        length if length == N => Ok(bytes),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn kernel(file: &str) -> String {
    fs::read_to_string(format!("/proc/sys/kernel/{file}")).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_boot_has_one_id() {
        let id = boot_id().unwrap();
        assert!(id.len() >= 32 && !id.contains(char::is_whitespace), "{id}");
        assert_eq!(boot_id(), Some(id));
    }

    #[test]
    fn the_machine_says_its_name_as_programs_see_it() {
        let uname = |option: &str| {
            let output = Command::new("uname").arg(option).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
        };
        assert_eq!(name(), uname("-n"));
        assert_eq!(system_version(), uname("-r"));
    }

    #[test]
    fn the_time_since_the_machines_start_grows() {
        let before = uptime();
        assert!(before > Duration::ZERO && before < Duration::MAX);
        assert!(uptime() >= before);
    }

    #[test]
    fn an_open_pty_is_in_use() {
        let _open =
            rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
        let ptys = ptys().unwrap();
        assert!(ptys.used > 0 && ptys.used <= ptys.most, "{ptys:?}");
    }

    #[test]
    fn random_bytes_are_never_the_same() {
        assert_ne!(random_bytes::<16>().unwrap(), random_bytes::<16>().unwrap());
    }
}
