//! The Program Status Protocol (OSC 7501): a program's own word on what it is doing.

/// One report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramStatus {
    /// Which part of the program speaks: segments from the outside in, empty for the program itself.
    pub id: Vec<String>,
    /// What it is doing.
    pub state: ProgramState,
    /// The program's name.
    pub app: Option<String>,
    /// Per cent done.
    pub progress: Option<u8>,
    /// A short heading.
    pub title: Option<String>,
    /// What to tell the person.
    pub message: Option<String>,
}

/// What a program says it is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramState {
    /// Waits for the next task.
    Idle,
    /// Works.
    Working,
    /// Waits for the person.
    Blocked(Option<BlockedOn>),
    /// Has finished.
    Done,
    /// Has failed.
    Error,
    /// Takes its record back, and those of its parts.
    Clear,
}

/// What a blocked program waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockedOn {
    /// Leave to do something.
    Permission,
    /// An answer.
    Question,
    /// A login.
    Auth,
}

const MAX_REPORT: usize = 4096;
const MAX_SEGMENTS: usize = 8;
const MAX_SEGMENT: usize = 32;
const MAX_TITLE: usize = 192;
const MAX_MESSAGE: usize = 2048;

impl ProgramStatus {
    /// Writes the report as a program would.
    pub(crate) fn report(&self) -> String {
        let state = match self.state {
            ProgramState::Idle => "idle",
            ProgramState::Working => "working",
            ProgramState::Blocked(None) => "blocked",
            ProgramState::Blocked(Some(BlockedOn::Permission)) => "blocked:kind=permission",
            ProgramState::Blocked(Some(BlockedOn::Question)) => "blocked:kind=question",
            ProgramState::Blocked(Some(BlockedOn::Auth)) => "blocked:kind=auth",
            ProgramState::Done => "done",
            ProgramState::Error => "error",
            ProgramState::Clear => "clear",
        };
        let encoded = |text: &String| crate::base64::encode(text.as_bytes());
        let id = (!self.id.is_empty()).then(|| self.id.join("/"));
        let fields = [
            ("id", id),
            ("app", self.app.clone()),
            ("progress", self.progress.map(|percent| percent.to_string())),
            ("title", self.title.as_ref().map(encoded)),
            ("msg", self.message.as_ref().map(encoded)),
        ];
        let mut report = format!("state={state}");
        for (key, value) in fields {
            if let Some(value) = value {
                report += &format!(":{key}={value}");
            }
        }
        report
    }

    /// The sequence with which a program says this. Nothing if a text in it is too long, or has controls.
    pub fn sequence(&self) -> Option<String> {
        let report = self.report();
        ProgramStatus::parse(&report).map(|_| format!("\x1b]7501;{report}\x1b\\"))
    }

    /// Reads `key=value:key=value…`. Unknown keys are passed over; a report that breaks a rule is none.
    pub(crate) fn parse(report: &str) -> Option<ProgramStatus> {
        if report.len() > MAX_REPORT {
            return None;
        }
        let mut state = None;
        let mut kind = None;
        let mut status = ProgramStatus {
            id: Vec::new(),
            state: ProgramState::Clear,
            app: None,
            progress: None,
            title: None,
            message: None,
        };
        for field in report.split(':') {
            let Some((key, value)) = field.split_once('=') else { continue };
            match key {
                "state" => state = Some(value),
                "kind" => kind = Some(value),
                "id" => status.id = parse_id(value)?,
                "app" => status.app = Some(plain(value, MAX_SEGMENT)?),
                "progress" => status.progress = Some(value.parse().ok().filter(|&n: &u8| n <= 100)?),
                "title" => status.title = Some(text(value, MAX_TITLE)?),
                "msg" => status.message = Some(text(value, MAX_MESSAGE)?),
                _ => {}
            }
        }
        status.state = match state? {
            "idle" => ProgramState::Idle,
            "working" => ProgramState::Working,
            "blocked" => ProgramState::Blocked(match kind {
                Some("permission") => Some(BlockedOn::Permission),
                Some("question") => Some(BlockedOn::Question),
                Some("auth") => Some(BlockedOn::Auth),
                _ => None,
            }),
            "done" => ProgramState::Done,
            "error" => ProgramState::Error,
            "clear" => ProgramState::Clear,
            _ => return None,
        };
        Some(status)
    }
}

fn parse_id(value: &str) -> Option<Vec<String>> {
    let segments: Vec<&str> = value.split('/').collect();
    if segments.len() > MAX_SEGMENTS {
        return None;
    }
    segments.into_iter().map(|segment| plain(segment, MAX_SEGMENT)).collect()
}

fn plain(value: &str, limit: usize) -> Option<String> {
    (value.len() <= limit && !value.chars().any(char::is_control)).then(|| value.to_owned())
}

fn text(base64: &str, limit: usize) -> Option<String> {
    let text = String::from_utf8(crate::base64::decode(base64)?).ok()?;
    plain(&text, limit)
}

/// The latest report of each part of a program.
#[derive(Default)]
pub(crate) struct ProgramStatuses(Vec<ProgramStatus>);

/// So many parts are remembered; the oldest makes room.
const MAX_RECORDS: usize = 64;

impl ProgramStatuses {
    pub(crate) fn all(&self) -> &[ProgramStatus] {
        &self.0
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn update(&mut self, status: &ProgramStatus) {
        if status.state == ProgramState::Clear {
            self.0.retain(|record| !record.id.starts_with(&status.id));
            return;
        }
        self.0.retain(|record| record.id != status.id);
        if self.0.len() == MAX_RECORDS {
            self.0.remove(0);
        }
        self.0.push(status.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_state_kind_and_message() {
        let status =
            ProgramStatus::parse("state=blocked:kind=permission:app=claude:msg=YXBwcm92ZSBCYXNo:x=1");
        let status = status.expect("a report");
        assert_eq!(status.state, ProgramState::Blocked(Some(BlockedOn::Permission)));
        assert_eq!(status.message.as_deref(), Some("approve Bash"));
        assert_eq!(status.app.as_deref(), Some("claude"));
    }

    #[test]
    fn a_report_can_be_written_again() {
        for report in [
            "state=idle",
            "state=blocked:kind=auth:id=a/b:app=x:progress=7:title=YQ==:msg=YWI=",
            "state=done:msg=YWJj",
        ] {
            assert_eq!(ProgramStatus::parse(report).expect("a report").report(), report);
        }
    }

    #[test]
    fn a_report_that_breaks_a_rule_is_not_parsed() {
        for report in [
            "",
            "kind=auth",
            "state=tired",
            "state=idle:msg=***",
            "state=idle:title=Gwo=",
            "state=idle:id=1/2/3/4/5/6/7/8/9",
        ] {
            assert_eq!(ProgramStatus::parse(report), None, "{report}");
        }
        assert_eq!(ProgramStatus::parse(&format!("state=idle:pad={}", "x".repeat(5000))), None);
    }

    #[test]
    fn clear_takes_back_a_record_and_its_parts() {
        let mut records = ProgramStatuses::default();
        for report in ["state=working:id=a", "state=working:id=a/b", "state=idle:id=c", "state=clear:id=a"] {
            records.update(&ProgramStatus::parse(report).expect("a report"));
        }
        assert_eq!(records.all().len(), 1);
        assert_eq!(records.all()[0].id, ["c"]);
    }
}
