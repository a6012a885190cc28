//! Secrets known from the environment.

use std::ffi::OsString;
use std::ops::Range;

use crate::columns::columns_of;
use crate::encodings;
use crate::folded::{self, Piece};
use crate::path::is_path;

/// A value to be masked wherever it stands, in one of its encodings.
#[derive(Clone, Debug)]
pub(crate) struct KnownValue {
    /// What is said to have found it.
    pub(crate) name: String,
    pub(crate) columns: Vec<u8>,
    /// In base64, the characters beside the value hold a few of its bits.
    base64: bool,
    /// The bytes that it has in a dump; none of forms that are not the value itself.
    pub(crate) bytes: Vec<u8>,
}

/// Shorter values stand in ordinary words.
const SHORTEST: usize = 8;
/// Longer ones are known by their beginnings.
const LONGEST: usize = 4096;
/// An environment has a few secrets. One that has more gets so many forms of them.
const MAX_FORMS: usize = 4096;
/// Shorter numbers are ports, sizes and process ids, unless the name ends as a secret's does.
const LONG_NUMBER: usize = 12;

/// Parts of a name, between underscores, that make the value a secret.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "KEY", "KEYS", "TOKENS", "SECRETS", "PASSWORDS", "PWD", "PW", "PASS", "PASSCODE", "CREDENTIAL", "CREDS", "AUTH",
    "COOKIE", "COOKIES", "DSN", "PAT", "JWT", "BEARER", "SIGNATURE", "SALT",
];

/// Ends of such parts, also where no underscore is before them: `GITHUBTOKEN`.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY",
    "ENCRYPTIONKEY", "CREDENTIALS", "DBPASS",
];

/// Names, or their ends, of variables that hold a URL with a password in it.
#[rustfmt::skip]
const URLS: &[&str] = &[
    "DATABASE_URL", "CONNECTION_STRING", "CONN_STR", "REDIS_URL", "MONGODB_URI", "MONGO_URL", "AMQP_URL",
    "BROKER_URL",
];

/// Names that look like a secret's and are none.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY", "GPG_KEY", "SSH_ASKPASS", "SUDO_ASKPASS", "GIT_ASKPASS",
    "KEYBOARD_KEY", "XKB_KEY", "AUTHOR", "KEYMAP", "SSH_AUTH_INFO", "DBUS_COOKIE_SOCKET",
];

/// Values that are settings, not secrets.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "true", "false", "enabled", "disabled", "none", "null", "undefined", "default", "required", "optional",
    "password", "changeme", "keychain", "plaintext", "prohibit", "environment", "interactive", "anonymous",
];

/// Adds the values of those variables that are secrets, in all encodings.
pub(crate) fn known_values(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    values: &mut Vec<KnownValue>,
) {
    for (name, value) in variables {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
        if let Some(secret) = secret_of(name, value) {
            add(name, secret, values);
        }
    }
    // A form that several variables have is looked for once.
    values.sort_by(|one, other| one.columns.cmp(&other.columns));
    values.dedup_by(|one, other| one.columns == other.columns);
}

fn add(variable: &str, secret: &str, values: &mut Vec<KnownValue>) {
    let name = format!("variable {variable}");
    let mut add = |form: &str, base64, is_itself: bool| {
        let mut columns = columns_of(form);
        columns.truncate(LONGEST);
        if columns.len() >= SHORTEST && values.len() < MAX_FORMS {
            let bytes = form.as_bytes()[..if is_itself { form.len().min(LONGEST) } else { 0 }].to_vec();
            values.push(KnownValue { name: name.clone(), columns, base64, bytes });
        }
    };
    // A value of several lines is seen a line at a time.
    for line in secret.lines().map(str::trim) {
        add(line, false, true);
    }
    let (plain, base64) = encodings::encoded(secret);
    plain.iter().for_each(|form| add(form, false, false));
    base64.iter().for_each(|form| add(form, true, false));
}

/// What of a variable's value is secret, if anything.
fn secret_of<'v>(name: &str, value: &'v str) -> Option<&'v str> {
    let name = name.to_ascii_uppercase();
    if ORDINARY.contains(&name.as_str()) || name.ends_with("_SOCK") || name.ends_with("_FILE") {
        return None;
    }
    if let Some(password) = url_password(value) {
        return long_enough(password);
    }
    let by_name = name.split('_').any(is_secret);
    let is_url = value.contains("://");
    if !by_name && !URLS.iter().any(|url| name.ends_with(url)) || is_url {
        return None;
    }
    let value = value.trim();
    let plain = PLAIN.iter().any(|plain| value.eq_ignore_ascii_case(plain));
    // `MAX_TOKENS` and `TOKEN_LIMIT` are numbers.
    let is_last =
        name.rsplit('_').next().is_some_and(|last| is_secret(last) && !last.ends_with('S') || last == "PASS");
    let number = value.bytes().all(|byte| byte.is_ascii_digit()) && value.len() < LONG_NUMBER && !is_last;
    if is_path(value.as_bytes()) || plain || number { None } else { long_enough(value) }
}

/// Whether a part of a name says that the value is secret.
fn is_secret(part: &str) -> bool {
    PARTS.contains(&part) || ENDS.iter().any(|end| part.ends_with(end))
}

fn long_enough(value: &str) -> Option<&str> {
    (value.chars().count() >= SHORTEST).then_some(value)
}

/// The password in a URL: `scheme://user:password@host`.
///
/// Passwords are sometimes written with a bare `@` or `/`: the last `@` before the host counts, and one behind a slash if
/// what is before the slash would be too short.
fn url_password(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let strict = before_host(authority);
    let is_port = |password: &str| password.split('/').next().is_some_and(|port| port.parse::<u16>().is_ok());
    strict
        .filter(|password| long_enough(password).is_some())
        .or_else(|| before_host(rest).filter(|password| !is_port(password)))
        .or(strict)
}

/// The password in `user:password@host`.
fn before_host(text: &str) -> Option<&str> {
    let (user, _) = text.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    Some(password).filter(|password| !password.is_empty())
}

impl KnownValue {
    /// The columns that the value takes in a line, if all of it stands at `at`.
    pub(crate) fn found_at(&self, line: &[u8], at: usize) -> Option<Range<usize>> {
        let end = at + self.columns.len();
        if line.get(at..end)? != self.columns {
            return None;
        }
        if !self.base64 {
            return Some(at..end);
        }
        let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
        let start = if at > 0 && belongs(&line[at - 1]) { at - 1 } else { at };
        let end = if line.get(end).is_some_and(belongs) { end + 1 } else { end };
        Some(start..end)
    }

    /// The piece of the value that the columns from `offset` on, which stand at `at`, belong to.
    pub(crate) fn piece(&self, offset: usize, line: &[u8], at: usize) -> Option<Piece> {
        folded::piece(&self.columns, offset, line, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_variable_decides_whether_its_value_is_secret() {
        let secret = "s3cr3t-value";
        for name in [
            "API_KEY",
            "github_token",
            "DB_PASSWORD",
            "MY_PASS",
            "SENTRY_DSN",
            "AWS_SECRET_ACCESS_KEY",
            "X_AUTH",
            "GITHUBTOKEN",
            "DBPASSWORD",
            "DB_PW",
            "MYAPIKEY",
        ] {
            assert_eq!(secret_of(name, secret), Some(secret), "{name}");
        }
        for name in [
            "PWD",
            "OLDPWD",
            "SSH_AUTH_SOCK",
            "XAUTHORITY",
            "HOME",
            "KEYBOARD",
            "COMPASS",
            "AUTHOR",
            "MONKEY",
            "BYPASS",
            "TOKENIZER",
            "PWA",
        ] {
            assert_eq!(secret_of(name, secret), None, "{name}");
        }
    }

    #[test]
    fn paths_settings_and_short_values_are_no_secrets() {
        for value in [
            "/home/me/.key",
            "~/.token",
            "./secret.txt",
            "/opt/app/keys/prod",
            "/srv1/keys/prod.pem",
            "disabled",
            "short",
            "https://example.org/",
        ] {
            assert_eq!(secret_of("MY_TOKEN", value), None, "{value}");
        }
        for name in ["MAX_TOKENS", "TOKEN_LIMIT", "KEY_TIMEOUT"] {
            assert_eq!(secret_of(name, "12345678"), None, "{name}");
        }
    }

    #[test]
    fn a_secret_may_begin_as_paths_do_and_be_a_number() {
        for value in [
            "/vVdK9xQ2+Lk83mNw=",
            "/ab/vVdK9xQ2/Lk83mNw",
            "~sunshine9",
            ".sunshine9",
            "12345678",
            "123456789012",
        ] {
            assert_eq!(secret_of("MY_TOKEN", value), Some(value), "{value}");
        }
    }

    #[test]
    fn of_a_url_only_the_password_is_secret() {
        let url = "postgres://app:p4ss-w0rd@db.example.org:5432/app";
        assert_eq!(secret_of("DATABASE_URL", url), Some("p4ss-w0rd"));
        assert_eq!(secret_of("PROXY", "http://u:p4ssw0rd!@proxy:3128"), Some("p4ssw0rd!"));
        assert_eq!(secret_of("DATABASE_URL", "postgres://u:p@ss/w0rd99@h/db"), Some("p@ss/w0rd99"));
        assert_eq!(secret_of("DATABASE_URL", "postgres://u:p4ss@w0rd99@h/db"), Some("p4ss@w0rd99"));
        for url in [
            "postgres://db.example.org/app",
            "http://localhost:3000/@scope/package",
            "https://me@example.org/x@y",
        ] {
            assert_eq!(secret_of("DATABASE_URL", url), None, "{url}");
        }
    }
}
