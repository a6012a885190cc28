//! A process that gives the outer terminal back when we are killed and cannot.
//!
//! It waits at a pipe from us. A byte in it means that all is well; its end without one, that we are gone.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, ExitCode, Stdio};
use std::{env, io};

use rustix::io::Errno;
use rustix::termios::{
    ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr,
    tcsetattr,
};

use crate::outer::{Outer, open_output, size_of, write_all};
use crate::takeover::{PATIENCE, reset};

/// The command that `abide` calls itself with. It is for internal use, and not in the help.
pub const GUARD: &str = "attach-guard";

/// The way to a guard.
pub(crate) struct Guard {
    pipe: ChildStdin,
}

impl Guard {
    /// Starts a guard for this terminal.
    pub(crate) fn start(outer: &Outer) -> io::Result<Guard> {
        // The program that we are, even if its file was replaced or removed since.
        let mut command = Command::new(system::program::SAME);
        command.arg0("abide").arg(GUARD).arg(write_settings(outer.settings()));
        command.stdin(Stdio::piped()).stdout(Stdio::inherit()).stderr(Stdio::null());
        // We do not wait for it: it ends after us.
        let pipe = command.spawn()?.stdin.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Guard { pipe })
    }

    /// Sends the guard away: the terminal has been given back.
    pub(crate) fn dismiss(mut self) {
        // Fails only when there is no guard any more.
        let _ = self.pipe.write_all(b".");
    }
}

/// Runs as the guard of the terminal on standard output, until its caller is gone.
pub fn run() -> ExitCode {
    // A session of its own has no controlling terminal: no key and no hang-up reaches us, and no job control keeps us
    // from the terminal once a shell has taken it back. Fails only if a session leader started us by hand.
    let _ = system::sessions::start();
    let is_well = io::stdin().read(&mut [0]).is_ok_and(|length| length > 0);
    let settings = env::args().nth(2).as_deref().and_then(read_settings);
    if !is_well && let Some(settings) = settings {
        // Fails only when the terminal is gone.
        let _ = give_back(&settings);
    }
    ExitCode::SUCCESS
}

fn give_back(settings: &Settings) -> Result<(), Errno> {
    let output = open_output().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    write_all(output.as_fd(), &reset(size_of(output.as_fd())?), Some(PATIENCE))?;
    let mut termios = tcgetattr(&output)?;
    settings.put_into(&mut termios);
    tcsetattr(&output, OptionalActions::Drain, &termios)
}

/// All that raw mode changes in a terminal's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Settings {
    input: u32,
    output: u32,
    control: u32,
    local: u32,
    min: u8,
    time: u8,
}

impl Settings {
    fn of(termios: &Termios) -> Settings {
        Settings {
            input: termios.input_modes.bits(),
            output: termios.output_modes.bits(),
            control: termios.control_modes.bits(),
            local: termios.local_modes.bits(),
            min: termios.special_codes[SpecialCodeIndex::VMIN],
            time: termios.special_codes[SpecialCodeIndex::VTIME],
        }
    }

    fn put_into(self, termios: &mut Termios) {
        termios.input_modes = InputModes::from_bits_retain(self.input);
        termios.output_modes = OutputModes::from_bits_retain(self.output);
        termios.control_modes = ControlModes::from_bits_retain(self.control);
        termios.local_modes = LocalModes::from_bits_retain(self.local);
        termios.special_codes[SpecialCodeIndex::VMIN] = self.min;
        termios.special_codes[SpecialCodeIndex::VTIME] = self.time;
    }
}

/// The settings as an argument for the guard.
fn write_settings(termios: &Termios) -> String {
    let Settings { input, output, control, local, min, time } = Settings::of(termios);
    format!("{input}:{output}:{control}:{local}:{min}:{time}")
}

fn read_settings(text: &str) -> Option<Settings> {
    let numbers: Vec<u32> = text.split(':').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [input, output, control, local, min, time] = numbers[..] else { return None };
    let (min, time) = (u8::try_from(min).ok()?, u8::try_from(time).ok()?);
    Some(Settings { input, output, control, local, min, time })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_from_their_text() {
        let settings = Settings { input: 0x500, output: 5, control: 0xbf, local: 0x8a3b, min: 1, time: 0 };
        assert_eq!(read_settings("1280:5:191:35387:1:0"), Some(settings));
        for text in
            ["", "1280:5:191:35387:1", "1280:5:191:35387:1:256", "1280:5:191:35387:1:0:0", "a:b:c:d:e:f"]
        {
            assert_eq!(read_settings(text), None, "{text}");
        }
    }
}
