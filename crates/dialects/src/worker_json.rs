//! One worker of a session in JSON.

use agents::Tracker;
use api::{ErrorCode, Problem, WorkerClientMessage, WorkerServerMessage};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::{Activity, ExitStatus, TermSize};
use protocol::HostMessage;

use crate::words::{refusal, signal_name, words};
use crate::{Dialect, Heard, Malformed, Picture, Piece, Said, Wish, parse};

/// One worker in JSON.
#[derive(Debug)]
pub struct WorkerJson {
    /// Tracks the activity of an agent.
    tracker: Option<Tracker>,
}

impl WorkerJson {
    /// For an agent, whose activity is sent, or for a plain terminal.
    pub fn new(is_agent: bool) -> WorkerJson {
        WorkerJson { tracker: is_agent.then(Tracker::default) }
    }
}

impl Dialect for WorkerJson {
    fn hear(message: Heard<'_>) -> Result<Wish, Malformed> {
        Ok(match parse(message)? {
            WorkerClientMessage::Input { data } => Wish::Keys(data.into_bytes()),
            WorkerClientMessage::Resize { cols, rows } => Wish::Size(TermSize::clamped(cols, rows)),
            WorkerClientMessage::Image { data, mime_type } => match decoded(&data) {
                Some(file) => Wish::Image(file, mime_type),
                None => Wish::Nothing(Problem::new(ErrorCode::BadRequest, "the picture is not in base64")),
            },
        })
    }

    fn end(status: ExitStatus) -> Option<Said> {
        let signal = match status {
            ExitStatus::Killed { signal } => Some(signal_name(signal)),
            ExitStatus::Exited { .. } | ExitStatus::Unknown => None,
        };
        Some(Said::json(&WorkerServerMessage::Exit { exit_code: status.code(), signal }))
    }

    fn problem(problem: &Problem) -> Option<Said> {
        let (code, message) = words(problem);
        Some(Said::json(&WorkerServerMessage::Error { code, message }))
    }

    fn tells_signals(&self) -> bool {
        self.tracker.is_some()
    }

    fn tell(&mut self, message: HostMessage, picture: &mut Picture, said: &mut Vec<Said>) {
        match message {
            HostMessage::Snapshot { at, last, bytes } => {
                said.extend(shown(picture.snapshot(at, last, &bytes)));
            }
            HostMessage::Output { at, bytes } => said.extend(shown(picture.output(at + bytes.len(), &bytes))),
            HostMessage::Resized(_) => picture.resized(),
            HostMessage::Exited(exited) => said.extend(WorkerJson::end(exited.status)),
            HostMessage::Refused(refused) => {
                let (code, message) = refusal(&refused);
                said.push(Said::json(&WorkerServerMessage::Error { code, message }));
            }
            HostMessage::Status(report) => {
                // Sent first, even if the activity is unknown.
                if let Some(tracker) = &mut self.tracker {
                    tracker.of_report(&report.program);
                    said.push(activity(tracker.activity()));
                }
            }
            HostMessage::Signal(signal) => {
                let news = self.tracker.as_mut().and_then(|tracker| tracker.hear(&signal));
                said.extend(news.map(activity));
            }
            _ => {}
        }
    }
}

fn shown(Piece { text: data, anew, .. }: Piece) -> Option<Said> {
    match (anew, data.is_empty()) {
        (true, _) => Some(Said::json(&WorkerServerMessage::History { data })),
        (false, false) => Some(Said::json(&WorkerServerMessage::Output { data })),
        (false, true) => None,
    }
}

fn activity(state: Activity) -> Said {
    Said::json(&WorkerServerMessage::Activity { state })
}

/// A file in base64, with or without the head of a `data:` URL.
fn decoded(data: &str) -> Option<Vec<u8>> {
    let data = match data.strip_prefix("data:") {
        Some(url) => url.split_once(";base64,")?.1,
        None => data,
    };
    STANDARD.decode(data).ok()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::Offset;
    use protocol::{Exited, SignalMessage, StatusMessage, StatusState};

    use super::*;

    fn hear(json: &str) -> Result<Wish, Malformed> {
        WorkerJson::hear(Heard::Text(json))
    }

    fn told(json: &mut WorkerJson, picture: &mut Picture, message: HostMessage) -> Vec<String> {
        let mut said = Vec::new();
        json.tell(message, picture, &mut said);
        let text = |message| match message {
            Said::Text(text) => text,
            Said::Binary(bytes) => panic!("{bytes:?}"),
        };
        said.into_iter().map(text).collect()
    }

    #[test]
    fn every_kind_of_message_is_read() {
        assert_eq!(hear(r#"{"type":"input","data":"ls\r"}"#), Ok(Wish::Keys(b"ls\r".to_vec())));
        let size = TermSize::clamped(120, 40);
        assert_eq!(hear(r#"{"type":"resize","cols":120,"rows":40}"#), Ok(Wish::Size(size)));
        assert_eq!(
            hear(r#"{"type":"resize","cols":0,"rows":65535}"#),
            Ok(Wish::Size(TermSize::clamped(2, 1000)))
        );
        let image = Wish::Image(b"A".to_vec(), "image/png".into());
        assert_eq!(hear(r#"{"type":"image","data":"QQ==","mimeType":"image/png"}"#), Ok(image.clone()));
        let url = r#"{"type":"image","data":"data:image/png;base64,QQ==","mimeType":"image/png"}"#;
        assert_eq!(hear(url), Ok(image));
        assert!(matches!(
            hear(r#"{"type":"image","data":"?","mimeType":"image/png"}"#),
            Ok(Wish::Nothing(_))
        ));
    }

    #[test]
    fn v3_an_unknown_or_damaged_message_is_malformed() {
        for json in [
            "",
            "{}",
            "null",
            r#"{"type":"nothing"}"#,
            r#"{"type":"input"}"#,
            r#"{"type":"resize","cols":-1,"rows":2}"#,
            r#"{"type":"resize","cols":70000,"rows":2}"#,
            r#"{"type":"input","data":"\ud800"}"#,
        ] {
            assert!(hear(json).is_err(), "{json}");
        }
        let deep = format!(r#"{{"type":"input","data":{}"#, "[".repeat(100_000));
        assert!(hear(&deep).is_err());
        assert!(WorkerJson::hear(Heard::Binary(b"{}")).is_err());
    }

    #[test]
    fn a_client_gets_history_output_activity_and_the_end() {
        let mut json = WorkerJson::new(true);
        let mut picture = Picture::default();
        let snapshot =
            HostMessage::Snapshot { at: Offset(3), last: true, bytes: b"\x1bcone\x1b[6n".to_vec() };
        assert_eq!(told(&mut json, &mut picture, snapshot), [r#"{"type":"history","data":"\u001bcone"}"#]);
        let output = HostMessage::Output { at: Offset(3), bytes: b"two\xe6\xbc".to_vec() };
        assert_eq!(told(&mut json, &mut picture, output), [r#"{"type":"output","data":"two"}"#]);
        let output = HostMessage::Output { at: Offset(8), bytes: b"\xa2".to_vec() };
        assert_eq!(told(&mut json, &mut picture, output), [r#"{"type":"output","data":"漢"}"#]);
        let status = SignalMessage::Status {
            id: String::new(),
            status: StatusMessage { state: StatusState::Working, message: None },
        };
        let signal = HostMessage::Signal(status);
        assert_eq!(told(&mut json, &mut picture, signal), [r#"{"type":"activity","state":"active"}"#]);
        let killed = Exited { status: ExitStatus::Killed { signal: 9 }, at: Timestamp::UNIX_EPOCH };
        assert_eq!(
            told(&mut json, &mut picture, HostMessage::Exited(killed)),
            [r#"{"type":"exit","exitCode":137,"signal":"SIGKILL"}"#]
        );
    }

    #[test]
    fn a_plain_terminal_has_no_activity() {
        let mut json = WorkerJson::new(false);
        let bell = HostMessage::Signal(SignalMessage::Bell);
        assert_eq!(told(&mut json, &mut Picture::default(), bell), Vec::<String>::new());
        assert!(!json.tells_signals());
    }
}
