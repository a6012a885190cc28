//! The settings of a user, and where they come from.
//!
//! A flag wins over the environment, that over `config.toml`, that over the default. Flags are the commands' own;
//! the rest is read here, once, and handed down. `docs/configuration.md` documents every setting.

mod detach_key;
mod file;
mod scope;
mod setting;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context;
use home::{Home, Meta};
use model::{MaskPolicy, SizePolicy, TermSize};
use notify::{Destinations, QuietHours};

use crate::failure::Failure;
pub(crate) use detach_key::DetachKey;
pub(crate) use scope::{Scope, in_path, service_manager};
use setting::Setting;

/// A terminal that fits a good screen's window.
const SIZE: (u16, u16) = (120, 40);

/// Years of most people's output.
const RECORDINGS_MIB: u64 = 4096;

/// A port that no known program uses, so that bookmarks and other programs find the server again.
const PORT: u16 = 7433;

/// Often enough that no proxy or address translation on the way takes a quiet socket for a dead one.
const PING_INTERVAL: Duration = Duration::from_secs(30);

/// A phone that just woke up answers within it.
const PONG_TIMEOUT: Duration = Duration::from_secs(10);

/// An agent that works shows that it does much more often.
const STUCK_AFTER: Duration = Duration::from_secs(600);

/// What a user can set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// What detaches.
    pub(crate) detach_key: DetachKey,
    /// The size of a worker's terminal that starts without a viewer.
    pub(crate) size: TermSize,
    /// Who decides on the size of a worker's terminal.
    pub(crate) size_policy: SizePolicy,
    /// How long a child has to end by itself before it is forced.
    pub(crate) grace_ms: u64,
    /// How large a recording may become.
    pub(crate) recording_mib: u64,
    /// How large all recordings together may become.
    pub(crate) recordings_mib: u64,
    /// Whether recordings are masked when they come to rest.
    pub(crate) mask: MaskPolicy,
    /// Whether hosts get a scope of their own from the service manager.
    pub(crate) scope: Scope,
    /// Whether a keeper holds the leases of hosts.
    pub(crate) keeper: bool,
    /// The command of workers that are started without one; nothing for the login shell.
    pub(crate) shell: Option<String>,
    /// Whether shells are to mark their prompts, their commands and their directory.
    pub(crate) shell_integration: bool,
    /// Where the server listens.
    pub(crate) listen: SocketAddr,
    /// How often the server pings a viewer's socket.
    pub(crate) terminal_ping_interval: Duration,
    /// How long the viewer may take to answer.
    pub(crate) terminal_pong_timeout: Duration,
    /// Whether the server accepts bearer tokens.
    pub(crate) bearer_tokens: bool,
    /// Where a person is told of what enters the inbox.
    pub(crate) notify: Destinations,
    /// When a person wants to hear nothing.
    pub(crate) notify_quiet: Option<QuietHours>,
    /// How long an agent shows nothing new before it is stuck.
    pub(crate) stuck_after: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        let (cols, rows) = SIZE;
        Settings {
            detach_key: DetachKey::default(),
            size: TermSize::clamped(cols, rows),
            size_policy: SizePolicy::default(),
            grace_ms: Meta::GRACE_MS,
            recording_mib: Meta::RECORDING_BYTES >> 20,
            recordings_mib: RECORDINGS_MIB,
            mask: MaskPolicy::default(),
            scope: Scope::Auto,
            keeper: true,
            shell: None,
            shell_integration: true,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)),
            terminal_ping_interval: PING_INTERVAL,
            terminal_pong_timeout: PONG_TIMEOUT,
            bearer_tokens: true,
            notify: Destinations::default(),
            notify_quiet: None,
            stuck_after: STUCK_AFTER,
        }
    }
}

impl Settings {
    /// The settings of this home and this environment. Says on standard error which keys of the file it does not
    /// know.
    ///
    /// # Errors
    ///
    /// When a value makes no sense, with the line or the variable it stands in.
    pub(crate) fn read(home: &Home) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        let path = home.config_file();
        match fs::read_to_string(&path) {
            Ok(text) => {
                for warning in settings.apply_file(&text, &path)? {
                    eprintln!("warning: {warning}");
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let context = format!("cannot read `{}`", path.display());
                return Err(Failure::from(anyhow::Error::from(error).context(context))
                    .hint("make it a readable text file, or remove it to use the defaults"));
            }
        }
        settings.apply_environment(|name| env::var_os(name).map(OsString::into_string))?;
        Ok(settings)
    }

    fn apply_file(&mut self, text: &str, path: &std::path::Path) -> Result<Vec<String>, Failure> {
        let mut warnings = Vec::new();
        for entry in file::entries(text, path)? {
            let place = format!("{}:{}", path.display(), entry.line);
            match Setting::named(&entry.key) {
                Some(setting) => self.set(setting, &entry.value, &place)?,
                None => warnings.push(format!(
                    "{place}: there is no setting `{}`; the settings are {}",
                    model::display_safe(&entry.key),
                    Setting::names()
                )),
            }
        }
        Ok(warnings)
    }

    fn apply_environment<E>(
        &mut self,
        value_of: impl Fn(&str) -> Option<Result<String, E>>,
    ) -> Result<(), Failure> {
        for setting in Setting::ALL {
            let variable = setting.variable();
            match value_of(&variable) {
                None => {}
                Some(Ok(value)) if value.is_empty() => {}
                Some(Ok(value)) => self.set(setting, &value, &variable)?,
                Some(Err(_)) => {
                    return Err(Failure::ours(format!("{variable} is not valid UTF-8"))
                        .hint(format!("set it to {}, or unset it", setting.remedy())));
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, setting: Setting, value: &str, place: &str) -> Result<(), Failure> {
        let set = setting.set(self, value).with_context(|| format!("{place}: `{}`", setting.name()));
        set.map_err(|error| Failure::from(error).hint(format!("set it to {}", setting.remedy())))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const DOCUMENT: &str = include_str!("../../../docs/configuration.md");

    fn words(failure: Failure) -> String {
        format!("{failure:?}")
    }

    fn with_file(text: &str) -> Result<(Settings, Vec<String>), Failure> {
        let mut settings = Settings::default();
        let warnings = settings.apply_file(text, Path::new("config.toml"))?;
        Ok((settings, warnings))
    }

    #[test]
    fn the_documented_defaults_are_the_real_ones() {
        let defaults = Settings::default();
        for setting in Setting::ALL {
            let value = Some(setting.get(&defaults)).filter(|value| !value.is_empty());
            let row = format!("| `{}` | `{}` |", setting.name(), value.as_deref().unwrap_or("\"\""));
            assert!(DOCUMENT.contains(&row), "docs/configuration.md has no row `{row}`");
            assert!(DOCUMENT.contains(&format!("`{}`", setting.variable())), "{}", setting.variable());
        }
        let settings = DOCUMENT.split("\n## ").next().unwrap_or_default();
        let rows = settings.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, Setting::ALL.len(), "docs/configuration.md documents unknown settings");
    }

    #[test]
    fn the_documented_example_is_read_without_a_warning() {
        let example = DOCUMENT.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        let (settings, warnings) = with_file(example).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        assert_ne!(settings, Settings::default());
    }

    #[test]
    fn every_setting_can_be_set_to_its_own_default() {
        for setting in Setting::ALL {
            let mut settings = Settings::default();
            let value = setting.get(&settings);
            setting.set(&mut settings, &value).unwrap();
            assert_eq!(setting.get(&settings), value);
        }
    }

    #[test]
    fn the_environment_wins_over_the_file_and_the_file_over_the_default() {
        let (mut settings, _) = with_file("size = \"100x30\"\ngrace_ms = 1_000\nkeeper = false\n").unwrap();
        assert_eq!(settings.grace_ms, 1000);
        assert!(!settings.keeper);
        settings
            .apply_environment(|name| (name == "ABIDE_SIZE").then(|| Ok::<_, ()>("90x20".to_owned())))
            .unwrap();
        assert_eq!(settings.size, TermSize::clamped(90, 20));
        assert_eq!(settings.detach_key, DetachKey::default());
    }

    #[test]
    fn n5_a_bad_value_names_its_line_and_the_remedy() {
        for (text, line, remedy) in [
            ("\n\nsize = \"big\"\n", "config.toml:3", "120x40"),
            ("grace_ms = -1", "config.toml:1", "milliseconds"),
            ("keeper = [1]", "config.toml:1", "true or false"),
            ("detach_key = \"ctrl-[ d\"", "config.toml:1", "ctrl-"),
            ("scope = \"sometimes\"", "config.toml:1", "auto"),
            ("size_policy = \"biggest\"", "config.toml:1", "latest"),
            ("listen = \"7433\"", "config.toml:1", "127.0.0.1:7433"),
            ("terminal_ping_interval = 0", "config.toml:1", "30s"),
            ("terminal_pong_timeout = \"soon\"", "config.toml:1", "30s"),
            ("notify_command = \"tell\"", "config.toml:1", "absolute path"),
            ("notify_url = \"ntfy.example\"", "config.toml:1", "https://"),
            ("notify_quiet = \"night\"", "config.toml:1", "22:00-07:00"),
            ("stuck_after = \"1ms\"", "config.toml:1", "10m"),
            ("a = 1\nsize = = 2", "config.toml:2", "TOML"),
        ] {
            let words = words(with_file(text).unwrap_err());
            assert!(words.contains(line) && words.contains(remedy), "{text:?}: {words}");
        }
    }

    #[test]
    fn times_are_with_a_unit_or_in_seconds() {
        for (text, ms) in [("30", 30_000), ("\"30s\"", 30_000), ("\"500ms\"", 500), ("\"1h\"", 3_600_000)] {
            let (settings, _) = with_file(&format!("terminal_ping_interval = {text}")).unwrap();
            assert_eq!(settings.terminal_ping_interval, Duration::from_millis(ms), "{text}");
        }
    }

    #[test]
    fn s7_no_setting_makes_the_server_listen_beyond_this_machine() {
        for address in ["0.0.0.0:7433", "[::]:7433", "192.0.2.1:7433"] {
            let words = words(with_file(&format!("listen = \"{address}\"")).unwrap_err());
            assert!(words.contains(address) && words.contains("other machines"), "{words}");
        }
        let (settings, _) = with_file("listen = \"localhost:80\"").unwrap();
        assert_eq!(settings.listen.to_string(), "127.0.0.1:80");
    }

    #[test]
    fn n5_unknown_keys_warn_with_their_line() {
        let (settings, warnings) = with_file("\nsizes = \"100x30\"\n[server]\nport = 1\n").unwrap();
        assert_eq!(settings, Settings::default());
        assert!(warnings[0].contains("config.toml:2") && warnings[0].contains("`sizes`"), "{warnings:?}");
        assert!(warnings[1].contains("config.toml:3") && warnings[1].contains("`server`"), "{warnings:?}");
    }
}
