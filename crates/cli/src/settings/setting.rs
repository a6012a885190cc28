//! Each setting: its name, what it may be, and its place among the others.

use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};

use super::Settings;
use crate::duration;

/// One of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    DetachKey,
    Size,
    SizePolicy,
    GraceMs,
    RecordingMib,
    RecordingsMib,
    Mask,
    Scope,
    Keeper,
    Shell,
    ShellIntegration,
    Listen,
    TerminalPingInterval,
    TerminalPongTimeout,
    BearerTokens,
    NotifyCommand,
    NotifyUrl,
    NotifyForm,
    NotifyQuiet,
    StuckAfter,
}

/// A child may take an hour to end, and not for ever.
const MOST_GRACE_MS: u64 = 3_600_000;

/// Recordings may take a tebibyte.
const MOST_RECORDING_MIB: u64 = 1 << 20;

/// Pings more often than this would be most of the traffic.
const LEAST_PING: Duration = Duration::from_millis(100);

/// A viewer that has been gone for longer should have been noticed.
const MOST_PING: Duration = Duration::from_secs(3600);

/// A program may pause for a moment; and an agent that is stuck for a day is found without abide.
const LEAST_STUCK: Duration = Duration::from_secs(1);
const MOST_STUCK: Duration = Duration::from_secs(24 * 3600);

impl Setting {
    /// All there are, in the order in which they are documented.
    pub(super) const ALL: [Setting; 20] = [
        Setting::DetachKey,
        Setting::Size,
        Setting::SizePolicy,
        Setting::GraceMs,
        Setting::RecordingMib,
        Setting::RecordingsMib,
        Setting::Mask,
        Setting::Scope,
        Setting::Keeper,
        Setting::Shell,
        Setting::ShellIntegration,
        Setting::Listen,
        Setting::TerminalPingInterval,
        Setting::TerminalPongTimeout,
        Setting::BearerTokens,
        Setting::NotifyCommand,
        Setting::NotifyUrl,
        Setting::NotifyForm,
        Setting::NotifyQuiet,
        Setting::StuckAfter,
    ];

    /// The setting of this name.
    pub(super) fn named(name: &str) -> Option<Setting> {
        Setting::ALL.into_iter().find(|setting| setting.name() == name)
    }

    /// All names, for a person who looks for one.
    pub(super) fn names() -> String {
        Setting::ALL.map(Setting::name).join(", ")
    }

    /// Its name in the file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Setting::DetachKey => "detach_key",
            Setting::Size => "size",
            Setting::SizePolicy => "size_policy",
            Setting::GraceMs => "grace_ms",
            Setting::RecordingMib => "recording_mib",
            Setting::RecordingsMib => "recordings_mib",
            Setting::Mask => "mask",
            Setting::Scope => "scope",
            Setting::Keeper => "keeper",
            Setting::Shell => "shell",
            Setting::ShellIntegration => "shell_integration",
            Setting::Listen => "listen",
            Setting::TerminalPingInterval => "terminal_ping_interval",
            Setting::TerminalPongTimeout => "terminal_pong_timeout",
            Setting::BearerTokens => "bearer_tokens",
            Setting::NotifyCommand => "notify_command",
            Setting::NotifyUrl => "notify_url",
            Setting::NotifyForm => "notify_form",
            Setting::NotifyQuiet => "notify_quiet",
            Setting::StuckAfter => "stuck_after",
        }
    }

    /// Its name in the environment.
    pub(super) fn variable(self) -> String {
        format!("ABIDE_{}", self.name().to_uppercase())
    }

    /// What it may be.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Setting::DetachKey => r"a key with Ctrl, a space and a letter or digit, as in 'ctrl-\ d'",
            Setting::Size => "columns, an x and rows, as in \"120x40\"",
            Setting::SizePolicy => "\"latest\", \"smallest\" or \"fixed\"",
            Setting::GraceMs => "a number of milliseconds from 0 to 3600000",
            Setting::RecordingMib | Setting::RecordingsMib => "a number of mebibytes from 1 to 1048576",
            Setting::Mask => "\"always\" or \"never\"",
            Setting::Scope => "\"auto\" or \"never\"",
            Setting::Keeper | Setting::ShellIntegration | Setting::BearerTokens => "true or false",
            Setting::Shell => "the absolute path of a program, or \"\" for the login shell",
            Setting::Listen => "an address of this machine alone and a port, as in \"127.0.0.1:7433\"",
            Setting::TerminalPingInterval | Setting::TerminalPongTimeout => {
                "a time from 100ms to 1h, as in \"30s\""
            }
            Setting::NotifyCommand => "the absolute path of a program, or \"\" for none",
            Setting::NotifyUrl => "a URL that begins with http:// or https://, or \"\" for none",
            Setting::NotifyForm => "\"json\" or \"text\"",
            Setting::NotifyQuiet => "two times of the day, as in \"22:00-07:00\", or \"\" for none",
            Setting::StuckAfter => "a time from 1s to 24h, as in \"10m\"",
        }
    }

    /// Sets it among the others.
    pub(super) fn set(self, settings: &mut Settings, value: &str) -> Result<()> {
        match self {
            Setting::DetachKey => settings.detach_key = value.parse()?,
            Setting::Size => settings.size = value.parse()?,
            Setting::SizePolicy => settings.size_policy = value.parse()?,
            Setting::GraceMs => settings.grace_ms = number(value, 0, MOST_GRACE_MS)?,
            Setting::RecordingMib => settings.recording_mib = number(value, 1, MOST_RECORDING_MIB)?,
            Setting::RecordingsMib => settings.recordings_mib = number(value, 1, MOST_RECORDING_MIB)?,
            Setting::Mask => settings.mask = value.parse()?,
            Setting::Scope => settings.scope = value.parse()?,
            Setting::Keeper => settings.keeper = truth(value)?,
            Setting::Shell => settings.shell = program(value)?,
            Setting::ShellIntegration => settings.shell_integration = truth(value)?,
            Setting::Listen => settings.listen = server::listen::parse_address(value)?,
            Setting::TerminalPingInterval => settings.terminal_ping_interval = ping(value)?,
            Setting::TerminalPongTimeout => settings.terminal_pong_timeout = ping(value)?,
            Setting::BearerTokens => settings.bearer_tokens = truth(value)?,
            Setting::NotifyCommand => settings.notify.command = program(value)?.map(PathBuf::from),
            Setting::NotifyUrl => settings.notify.url = unless_empty(value)?,
            Setting::NotifyForm => settings.notify.form = value.parse()?,
            Setting::NotifyQuiet => settings.notify_quiet = unless_empty(value)?,
            Setting::StuckAfter => settings.stuck_after = patience(value)?,
        }
        Ok(())
    }

    /// What it is, as it would be written.
    #[cfg(test)]
    pub(super) fn get(self, settings: &Settings) -> String {
        match self {
            Setting::DetachKey => settings.detach_key.to_string(),
            Setting::Size => settings.size.to_string(),
            Setting::SizePolicy => settings.size_policy.to_string(),
            Setting::GraceMs => settings.grace_ms.to_string(),
            Setting::RecordingMib => settings.recording_mib.to_string(),
            Setting::RecordingsMib => settings.recordings_mib.to_string(),
            Setting::Mask => settings.mask.to_string(),
            Setting::Scope => settings.scope.to_string(),
            Setting::Keeper => settings.keeper.to_string(),
            Setting::Shell => settings.shell.clone().unwrap_or_default(),
            Setting::ShellIntegration => settings.shell_integration.to_string(),
            Setting::Listen => settings.listen.to_string(),
            Setting::TerminalPingInterval => format!("{:?}", settings.terminal_ping_interval),
            Setting::TerminalPongTimeout => format!("{:?}", settings.terminal_pong_timeout),
            Setting::BearerTokens => settings.bearer_tokens.to_string(),
            Setting::NotifyCommand => {
                settings.notify.command.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
            }
            Setting::NotifyUrl => {
                settings.notify.url.as_ref().map(|url| url.secret().to_owned()).unwrap_or_default()
            }
            Setting::NotifyForm => settings.notify.form.to_string(),
            Setting::NotifyQuiet => settings.notify_quiet.map(|quiet| quiet.to_string()).unwrap_or_default(),
            Setting::StuckAfter => format!("{:?}", settings.stuck_after),
        }
    }
}

fn number(value: &str, least: u64, most: u64) -> Result<u64> {
    let number = value.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| anyhow!("`{}` is not a number from {least} to {most}", model::display_safe(value)))
}

fn truth(value: &str) -> Result<bool> {
    value.parse().map_err(|_| anyhow!("`{}` is neither true nor false", model::display_safe(value)))
}

fn program(value: &str) -> Result<Option<String>> {
    match value {
        "" => Ok(None),
        _ if value.starts_with('/') => Ok(Some(value.to_owned())),
        _ => bail!("`{}` is not an absolute path", model::display_safe(value)),
    }
}

fn unless_empty<T: FromStr<Err: Error + Send + Sync + 'static>>(value: &str) -> Result<Option<T>> {
    Ok(if value.is_empty() { None } else { Some(value.parse()?) })
}

fn ping(value: &str) -> Result<Duration> {
    let time = duration::parse_us(value).map(Duration::from_micros);
    time.filter(|time| (LEAST_PING..=MOST_PING).contains(time)).ok_or_else(|| {
        anyhow!("`{}` is not a time from {LEAST_PING:?} to an hour", model::display_safe(value))
    })
}

fn patience(value: &str) -> Result<Duration> {
    let time = duration::parse_us(value).map(Duration::from_micros);
    time.filter(|time| (LEAST_STUCK..=MOST_STUCK).contains(time))
        .ok_or_else(|| anyhow!("`{}` is not a time from a second to a day", model::display_safe(value)))
}
