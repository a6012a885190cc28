//! One worker of a session in JSON: `/ws/session/{sid}/worker/{wid}`.

use agents::Tracker;
use api::{ErrorCode, Problem, WorkerClientMessage, WorkerKind, WorkerServerMessage};
use axum::extract::State;
use axum::extract::ws::Message;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::{Activity, ExitStatus, SessionId, TermSize, WorkerId};
use protocol::HostMessage;

use super::picture::{Picture, Piece};
use super::watch::{Dialect, Watch, Wish};
use super::{parse, signal_name, text};
use crate::app::App;
use crate::gate::SocketDoor;
use crate::problem::{Failure, Path};
use crate::relay::{Closing, Heard, open, serve};
use crate::uploads::MOST_FILE_BYTES;

/// The largest picture in base64, and what is around it.
const MOST_MESSAGE_BYTES: usize = MOST_FILE_BYTES.div_ceil(3) * 4 + 1024;

/// Shows a worker of a session. Both sides send text messages, each with a `type`: see WorkerClientMessage and
/// WorkerServerMessage.
#[utoipa::path(
    get,
    path = "/ws/session/{sid}/worker/{wid}",
    tag = "sockets",
    params(
        ("sid" = String, Path, description = "the session"),
        ("wid" = String, Path, description = "the worker, which is in that session"),
    ),
    responses(
        (status = 101, description = "text messages: WorkerServerMessage", body = WorkerServerMessage),
        (status = 404, description = "there is no such worker in this session", body = Problem),
    )
)]
pub(crate) async fn worker_socket(
    State(app): State<App>,
    Path((session, worker)): Path<(SessionId, WorkerId)>,
    door: SocketDoor,
) -> Result<Response, Failure> {
    let found = app.worker(worker).await?;
    if found.session_id != session {
        return Err(Failure::not_found("worker"));
    }
    let is_agent = matches!(found.kind, WorkerKind::Agent { .. });
    Ok(open(door.up_to(MOST_MESSAGE_BYTES), move |socket, who, over| async move {
        let relays = app.relays().clone();
        serve(&relays, app.keepalive(), socket, over, async |incoming, outgoing| {
            let watch = Watch { app: &app, who: &who, worker, name: "worker socket", wanted: None };
            watch.run(Json { tracker: is_agent.then(Tracker::default) }, incoming, outgoing).await
        })
        .await;
    }))
}

/// One worker in JSON.
struct Json {
    /// Follows what an agent is doing.
    tracker: Option<Tracker>,
}

impl Dialect for Json {
    fn hear(message: Heard) -> Result<Wish, Closing> {
        Ok(match parse(message)? {
            WorkerClientMessage::Input { data } => Wish::Keys(data.into_bytes()),
            WorkerClientMessage::Resize { cols, rows } => Wish::Size(TermSize::clamped(cols, rows)),
            WorkerClientMessage::Image { data, mime_type } => match decoded(&data) {
                Some(file) => Wish::Image(file, mime_type),
                None => Wish::Nothing(Problem::new(ErrorCode::BadRequest, "the picture is not in base64")),
            },
        })
    }

    fn end(status: ExitStatus) -> Option<Message> {
        let signal = match status {
            ExitStatus::Killed { signal } => Some(signal_name(signal)),
            ExitStatus::Exited { .. } | ExitStatus::Unknown => None,
        };
        Some(text(&WorkerServerMessage::Exit { exit_code: status.code(), signal }))
    }

    fn problem(problem: &Problem) -> Option<Message> {
        let (code, message) = super::words(problem);
        Some(text(&WorkerServerMessage::Error { code, message }))
    }

    fn tells_signals(&self) -> bool {
        self.tracker.is_some()
    }

    fn tell(&mut self, message: HostMessage, picture: &mut Picture, said: &mut Vec<Message>) {
        match message {
            HostMessage::Snapshot { at, last, bytes } => {
                said.extend(shown(picture.snapshot(at, last, &bytes)));
            }
            HostMessage::Output { at, bytes } => said.extend(shown(picture.output(at + bytes.len(), &bytes))),
            HostMessage::Resized(_) => picture.resized(),
            HostMessage::Exited(exited) => said.extend(Json::end(exited.status)),
            HostMessage::Refused(refused) => {
                let (code, message) = super::refusal(&refused);
                said.push(text(&WorkerServerMessage::Error { code, message }));
            }
            HostMessage::Status(report) => {
                // Said first of all, also when nothing is known.
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

fn shown(Piece { text: data, anew, .. }: Piece) -> Option<Message> {
    match (anew, data.is_empty()) {
        (true, _) => Some(text(&WorkerServerMessage::History { data })),
        (false, false) => Some(text(&WorkerServerMessage::Output { data })),
        (false, true) => None,
    }
}

fn activity(state: Activity) -> Message {
    text(&WorkerServerMessage::Activity { state: state.into() })
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
    use axum::extract::ws::Utf8Bytes;
    use jiff::Timestamp;
    use model::Offset;
    use protocol::{Exited, SignalMessage};

    use super::*;

    fn hear(json: &'static str) -> Result<Wish, Closing> {
        Json::hear(Heard::Text(Utf8Bytes::from_static(json)))
    }

    fn told(json: &mut Json, picture: &mut Picture, message: HostMessage) -> Vec<String> {
        let mut said = Vec::new();
        json.tell(message, picture, &mut said);
        said.into_iter().map(|message| message.into_text().unwrap().to_string()).collect()
    }

    #[test]
    fn messages_are_understood() {
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
    fn v3_what_is_no_message_closes_the_socket() {
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
            assert!(matches!(hear(json), Err(Closing::Malformed(_))), "{json}");
        }
        let deep = format!(r#"{{"type":"input","data":{}"#, "[".repeat(100_000));
        assert!(matches!(Json::hear(Heard::Text(deep.into())), Err(Closing::Malformed(_))));
        assert!(matches!(Json::hear(Heard::Binary("{}".into())), Err(Closing::Malformed(_))));
    }

    #[test]
    fn a_client_is_told_history_output_activity_and_the_end() {
        let mut json = Json { tracker: Some(Tracker::default()) };
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
            state: "working".into(),
            blocked: None,
            message: None,
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
        let mut json = Json { tracker: None };
        let bell = HostMessage::Signal(SignalMessage::Bell);
        assert_eq!(told(&mut json, &mut Picture::default(), bell), Vec::<String>::new());
        assert!(!json.tells_signals());
    }
}
