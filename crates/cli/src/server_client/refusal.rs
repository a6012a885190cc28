//! Answers of the server that are not what was asked for, as a person sees them.

use api::{ErrorCode, Problem};

use crate::failure::Failure;

/// What to do when the two do not understand each other.
pub(super) const RELEASES: &str = "abide and its server may be of different releases: end the server, and start it again with `abide serve`";

/// The failure that an answer stands for: a plain no where the server has one, and otherwise a failure of ours.
pub(super) fn failure(status: u16, body: &[u8]) -> Failure {
    let Ok(Problem { error }) = serde_json::from_slice(body) else {
        return Failure::ours(format!("the server answers with status {status} and says no more"))
            .hint(RELEASES);
    };
    let sentence = model::display_safe(&error.message);
    match error.code {
        ErrorCode::Unauthenticated => Failure::ours("the server does not know this data directory's token")
            .hint("start the server again; it reads or writes the token when it starts"),
        code if is_misunderstanding(code) => {
            Failure::ours(format!("the server does not understand: {sentence}")).hint(RELEASES)
        }
        code => {
            let failure = if code.status() < 500 { Failure::no(sentence) } else { Failure::ours(sentence) };
            match (own_hint(code), error.hint.as_deref()) {
                (Some(hint), _) => failure.hint(hint),
                (None, Some(hint)) => failure.hint(model::display_safe(hint)),
                (None, None) => failure,
            }
        }
    }
}

/// Whether it was not for what was asked, but for how.
fn is_misunderstanding(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::SecretInUrl
            | ErrorCode::BadJson
            | ErrorCode::BadQuery
            | ErrorCode::BadRequest
            | ErrorCode::InvalidBody
            | ErrorCode::UnknownPath
            | ErrorCode::MethodNotAllowed
            | ErrorCode::UnsupportedMediaType
            | ErrorCode::Misdirected
            | ErrorCode::UpgradeRequired
    )
}

/// The way on in our commands, where the server can only name its own routes.
fn own_hint(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::KnownRepository => Some("`abide repo ls` lists those that are registered"),
        ErrorCode::HasSession => Some("`abide task done` ends it, `abide task retry` starts another"),
        ErrorCode::NoSession => Some("`abide task start` starts one"),
        ErrorCode::TaskNotActive => Some(
            "`abide task start` starts one of the backlog, `abide task reopen` takes up one that is done",
        ),
        ErrorCode::CommandsChanged => Some("`abide repo agree` shows them as they are now"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(problem: &Problem) -> Failure {
        failure(problem.status(), &serde_json::to_vec(problem).unwrap())
    }

    #[test]
    fn a_no_of_the_server_is_a_no_and_its_failures_are_ours() {
        let no = of(&Problem::new(ErrorCode::InUse, "somebody needs it").hint("ask them"));
        assert_eq!((no.code(), no.sentence()), (1, "somebody needs it".to_owned()));
        assert_eq!(no.way_on(), Some("ask them"));
        let ours = of(&Problem::new(ErrorCode::HasSession, "it has one").hint("call `session/retry`"));
        assert!(ours.way_on().unwrap().contains("`abide task retry`"), "{ours:?}");
        for code in [ErrorCode::Internal, ErrorCode::Unavailable, ErrorCode::GitTooSlow] {
            assert_eq!(of(&Problem::new(code, "alas")).code(), 125, "{code:?}");
        }
    }

    #[test]
    fn a_misunderstanding_is_ours_and_has_a_way_on() {
        for code in [ErrorCode::Unauthenticated, ErrorCode::UnknownPath, ErrorCode::InvalidBody] {
            let failure = of(&Problem::new(code, "what?"));
            assert_eq!(failure.code(), 125, "{code:?}");
            assert!(failure.way_on().is_some(), "{code:?}");
        }
        for body in ["", "<html>", r#"{"error":{"code":"of-tomorrow","message":"?"}}"#] {
            let failure = failure(418, body.as_bytes());
            assert_eq!(failure.code(), 125);
            assert!(failure.sentence().contains("418") && failure.way_on().is_some(), "{body}");
        }
    }

    #[test]
    fn s24_what_the_server_quotes_is_shown_safely() {
        let failure = of(&Problem::new(ErrorCode::GitRefused, "\u{1b}[2Jno").hint("\u{7}ask"));
        assert_eq!((failure.sentence(), failure.way_on()), ("\u{fffd}[2Jno".to_owned(), Some("\u{fffd}ask")));
    }
}
