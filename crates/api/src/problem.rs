//! The one body of every error answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Each code once, with its HTTP status beside it.
macro_rules! codes {
    ($($(#[$words:meta])* $Code:ident = $status:literal)*) => {
        /// What went wrong, for programs: a code never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum ErrorCode {
            $($(#[$words])* $Code,)*
        }

        impl ErrorCode {
            /// All of them.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$Code),*];

            /// The HTTP status that goes with it.
            pub fn status(self) -> u16 {
                match self {
                    $(ErrorCode::$Code => $status,)*
                }
            }
        }
    };
}

codes! {
    /// A secret was in the path or the query.
    SecretInUrl = 400
    /// The body is not JSON.
    BadJson = 400
    /// The query cannot be read, or lacks something.
    BadQuery = 400
    /// The request cannot be understood.
    BadRequest = 400
    /// No credential came along, or none that is right.
    Unauthenticated = 401
    /// The one-time code is wrong, used or too old.
    WrongCode = 401
    /// The bond that the request is bound to is over: make another one with a hello.
    BondOver = 401
    /// Bearer tokens are turned off.
    BearerOff = 403
    /// The page that asks is not one of ours.
    ForeignOrigin = 403
    /// A browser asks on behalf of another site.
    CrossSite = 403
    /// The credential is right and does not reach that far.
    Forbidden = 403
    /// There is no such thing, or none that the credential may know of.
    NotFound = 404
    /// There is no such path.
    UnknownPath = 404
    /// The path is right and the method is not.
    MethodNotAllowed = 405
    /// It is not where it would have to be for that.
    WrongState = 409
    /// The task has a session already.
    HasSession = 409
    /// The task has no session.
    NoSession = 409
    /// The repository is registered already.
    KnownRepository = 409
    /// Something still needs it.
    InUse = 409
    /// The worktree holds work that would be lost.
    HasWork = 409
    /// The branch is checked out in another place.
    BranchElsewhere = 409
    /// There is such a branch already.
    BranchExists = 409
    /// Something is there already.
    PathTaken = 409
    /// Another program works on the repository and has locked it.
    RepositoryLocked = 409
    /// The directory is not there any more.
    Missing = 409
    /// The worker does not ask that any more, or asks something else.
    QuestionChanged = 409
    /// A prompt with this key and another text was sent before.
    OtherPrompt = 409
    /// The commands are not the ones that were shown.
    CommandsChanged = 409
    /// The worker has ended.
    NotLive = 409
    /// The body is larger than it may be.
    BodyTooLarge = 413
    /// The path and query are longer than they may be.
    UriTooLong = 414
    /// The body is of another type than can be read here.
    UnsupportedMediaType = 415
    /// The request names a host that we are not.
    Misdirected = 421
    /// The body is JSON, and not what is expected here.
    InvalidBody = 422
    /// The task is not active.
    TaskNotActive = 422
    /// The directory is not one that can be used.
    BadPath = 422
    /// A name, a title or another text cannot be used.
    BadText = 422
    /// The directory is in no git repository that can be worked in.
    NotARepository = 422
    /// There is no such agent.
    UnknownAgent = 422
    /// The question cannot be answered like that.
    CannotAnswer = 422
    /// The program could not be started.
    CannotStart = 422
    /// Git refuses.
    GitRefused = 422
    /// Only a WebSocket's upgrade is answered here.
    UpgradeRequired = 426
    /// There is too much of it, or it comes too fast: the token, or the other user, has reached a limit.
    TooMany = 429
    /// The headers are more than they may be.
    HeadTooLarge = 431
    /// The server failed; its log has more.
    Internal = 500
    /// Git is missing or too old.
    NoGit = 503
    /// The worker's host is there and does not answer.
    NotAnswering = 503
    /// Git took too long.
    GitTooSlow = 504
    /// The server cannot do that now: its disk or its database refuses, or it has no room.
    Unavailable = 503
}

/// An error: the server did not do what the request asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// What went wrong.
    pub error: ProblemBody,
}

/// What went wrong: a code for programs, a sentence for people and a way on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProblemBody {
    /// What went wrong, for programs.
    pub code: ErrorCode,
    /// What went wrong, for people.
    pub message: String,
    /// What may help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// More, where the code has more to say: the id of what is in the way, for instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub detail: Option<Value>,
}

impl Problem {
    /// A problem with nothing but a code and a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Problem {
        Problem { error: ProblemBody { code, message: message.into(), hint: None, detail: None } }
    }

    /// The same, with a way on.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.error.hint = Some(hint.into());
        self
    }

    /// The same, with more for programs: a JSON object.
    #[must_use]
    pub fn detail(mut self, detail: Value) -> Problem {
        self.error.detail = Some(detail);
        self
    }

    /// What went wrong, for programs.
    pub fn code(&self) -> ErrorCode {
        self.error.code
    }

    /// The HTTP status that goes with it.
    pub fn status(&self) -> u16 {
        self.error.code.status()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_problem_is_an_object_with_one_error() {
        let problem = Problem::new(ErrorCode::ForeignOrigin, "no");
        assert_eq!(
            serde_json::to_value(&problem).unwrap(),
            json!({"error": {"code": "foreign-origin", "message": "no"}})
        );
        let problem = problem.hint("open our page").detail(json!({"origin": "null"}));
        let text = serde_json::to_value(&problem).unwrap();
        assert_eq!(text["error"]["hint"], "open our page");
        assert_eq!(text["error"]["detail"], json!({"origin": "null"}));
        assert_eq!(serde_json::from_value::<Problem>(text).unwrap(), problem);
    }

    #[test]
    fn every_code_has_an_http_error_status() {
        for code in ErrorCode::ALL {
            assert!((400..600).contains(&code.status()), "{code:?}");
        }
    }
}
