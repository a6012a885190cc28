//! The server of the user's data directory, and what a person sees when it does not do what they ask.

use std::time::Duration;

use api::{ErrorCode, ProblemBody};
use client::{Client, Error};

use crate::failure::Failure;
use crate::settings::Settings;
use crate::workers;

/// What to do when abide and its server do not understand each other.
const RELEASES: &str = "abide and its server may be of different releases: end the server, and start it again with `abide serve`";

/// The server of the data directory that the environment names.
///
/// # Errors
///
/// When none runs, or we cannot show that we are its user.
pub(crate) fn find() -> Result<Client, Failure> {
    Ok(Client::of(&workers::home()?)?)
}

/// The same, for a request that ends a session's workers: it may take as long as they do.
///
/// # Errors
///
/// As [`find`], and when the settings cannot be read.
pub(crate) fn find_to_end_workers() -> Result<Client, Failure> {
    let home = workers::home()?;
    let client = Client::of(&home)?;
    Ok(client.while_workers_end(Duration::from_millis(Settings::read(&home)?.grace_ms)))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let hint = match &error {
            Error::NotRunning => "start it with `abide serve`",
            Error::NoSocket { .. } => "end it, and start it again with `abide serve`; terminals keep running",
            Error::NoToken { .. } => "start the server again; it writes the token when it starts",
            Error::Unreachable { .. } => "it may just have ended; `abide serve` starts it",
            Error::TimedOut { .. } => {
                "it may be stopped, or the machine is overloaded; `abide doctor` shows its process"
            }
            Error::Unfinished { .. } => "it still works on this, unless it is stopped; look again later",
            Error::TokenRefused => "start the server again; it reads or writes the token when it starts",
            Error::Misunderstood(_) | Error::Unexplained { .. } | Error::Unreadable(_) => RELEASES,
            Error::Problem(problem) => return of_problem(problem, &error),
        };
        Failure::from(anyhow::Error::from(error)).hint(hint)
    }
}

/// A refusal of the server is a plain no. A failure of the server is a failure of ours.
fn of_problem(problem: &ProblemBody, error: &Error) -> Failure {
    let failure = if problem.code.status() < 500 { Failure::no(error) } else { Failure::ours(error) };
    match (own_hint(problem.code), problem.hint.as_deref()) {
        (Some(hint), _) => failure.hint(hint),
        (None, Some(hint)) => failure.hint(model::display_safe(hint)),
        (None, None) => failure,
    }
}

/// Our own hint, which names a command. The server's hint can only name its routes.
fn own_hint(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::KnownRepository => Some("`abide repo ls` lists the registered ones"),
        ErrorCode::HasSession => Some(
            "`abide task done` ends it, `abide task retry` starts another, `abide task cancel` cancels its start",
        ),
        ErrorCode::NoSession => Some("`abide task start` starts one"),
        ErrorCode::TaskNotActive => Some(
            "`abide task start` starts a task of the backlog, `abide task reopen` reopens one that is done",
        ),
        ErrorCode::CommandsChanged => Some("`abide repo agree` shows them as they are now"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(code: ErrorCode, message: &str, hint: Option<&str>) -> Box<ProblemBody> {
        let hint = hint.map(str::to_owned);
        Box::new(ProblemBody { code, message: message.to_owned(), hint, detail: None })
    }

    fn of(code: ErrorCode, message: &str, hint: &str) -> Failure {
        Failure::from(Error::Problem(problem(code, message, Some(hint))))
    }

    #[test]
    fn a_refusal_exits_with_1_and_a_server_failure_with_125() {
        let no = of(ErrorCode::InUse, "a task needs it", "ask its owner");
        assert_eq!((no.code(), no.sentence()), (1, "a task needs it".to_owned()));
        assert_eq!(no.way_on(), Some("ask its owner"));
        let own_hint = of(ErrorCode::HasSession, "it has one", "call `session/retry`");
        assert!(own_hint.way_on().unwrap().contains("`abide task retry`"), "{own_hint:?}");
        for code in [ErrorCode::Internal, ErrorCode::Unavailable, ErrorCode::GitTooSlow] {
            assert_eq!(of(code, "alas", "wait").code(), 125, "{code:?}");
        }
    }

    #[test]
    fn an_answer_that_we_cannot_read_exits_with_125_and_a_hint() {
        let unreadable = serde_json::from_str::<u8>("hi").unwrap_err();
        for error in [
            Error::Misunderstood(problem(ErrorCode::UnknownPath, "what?", None)),
            Error::Unexplained { status: 418 },
            Error::Unreadable(unreadable),
        ] {
            let failure = Failure::from(error);
            assert_eq!((failure.code(), failure.way_on()), (125, Some(RELEASES)), "{failure:?}");
        }
    }

    #[test]
    fn an_unfinished_change_and_a_timeout_get_different_hints() {
        let socket = || "/home/user/server.sock".into();
        let unfinished = Failure::from(Error::Unfinished { socket: socket() });
        assert!(unfinished.way_on().unwrap().contains("it still works on this"), "{unfinished:?}");
        let timed_out = Failure::from(Error::TimedOut { socket: socket() });
        assert!(timed_out.way_on().unwrap().contains("`abide doctor`"), "{timed_out:?}");
    }

    #[test]
    fn s24_server_texts_are_shown_safely() {
        let failure = of(ErrorCode::GitRefused, "\u{1b}[2Jno", "\u{7}ask");
        assert_eq!((failure.sentence(), failure.way_on()), ("\u{fffd}[2Jno".to_owned(), Some("\u{fffd}ask")));
    }
}
