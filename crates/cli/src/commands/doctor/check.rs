//! One check of `abide doctor`.

use std::fmt;

use model::display_safe_lines;
use serde::Serialize;

use crate::failure::Failure;
use crate::table::Tint;

/// One check and its result.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    /// The subject of the check.
    pub(super) subject: &'static str,
    /// Whether it is well.
    pub(super) verdict: Verdict,
    /// The finding, safe to show.
    pub(super) finding: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
}

/// Whether a thing is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// It is.
    Ok,
    /// abide works, and something may be lost or surprise one day.
    Warn,
    /// abide does not work.
    Fail,
}

impl Check {
    pub(super) fn ok(subject: &'static str, finding: impl Into<String>) -> Check {
        Check::of(subject, Verdict::Ok, &finding.into(), None)
    }

    pub(super) fn warn(
        subject: &'static str,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Check {
        Check::of(subject, Verdict::Warn, &finding.into(), Some(&remedy.into()))
    }

    pub(super) fn fail(
        subject: &'static str,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Check {
        Check::of(subject, Verdict::Fail, &finding.into(), Some(&remedy.into()))
    }

    /// What would make every command fail.
    pub(super) fn of_failure(subject: &'static str, failure: &Failure) -> Check {
        Check::of(subject, Verdict::Fail, &failure.sentence(), failure.way_on())
    }

    /// The one way to a check: paths, names and errors in it may hold anything.
    fn of(subject: &'static str, verdict: Verdict, finding: &str, remedy: Option<&str>) -> Check {
        let (finding, remedy) = (display_safe_lines(finding), remedy.map(display_safe_lines));
        Check { subject, verdict, finding, remedy }
    }
}

impl Verdict {
    pub(super) fn tint(self) -> Tint {
        match self {
            Verdict::Ok => Tint::Green,
            Verdict::Warn => Tint::Yellow,
            Verdict::Fail => Tint::Red,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Ok => "ok",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        })
    }
}
