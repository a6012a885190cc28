//! What a host tells a viewer.

use jiff::Timestamp;
use model::{Epoch, ExitStatus, Offset, TermSize, WorkerId, WorkerName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::MessageError;
use crate::frame::{Frame, HEADER_BYTES};
use crate::report::{ChildState, RowsReport, StatusReport, ViewerId, ViewerReport};
use crate::signal::SignalMessage;

/// What a host tells a viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostMessage {
    /// A part of the screen after the first `at` bytes of output. The output that follows starts there.
    Snapshot {
        /// The offset that the snapshot stands for.
        at: Offset,
        /// Whether it is complete with this part.
        last: bool,
        /// The part.
        bytes: Vec<u8>,
    },
    /// Output of the child, starting at byte `at`.
    Output {
        /// The offset of the first byte.
        at: Offset,
        /// The bytes, as the host read them from the PTY.
        bytes: Vec<u8>,
    },
    /// The child has ended, and the host has sent all output.
    Exited(Exited),
    /// The first answer to Attach.
    Welcome(Welcome),
    /// The terminal has this size now. A snapshot follows.
    Resized(Resized),
    /// The program said something through its terminal.
    Signal(SignalMessage),
    /// The list of viewers.
    Viewers(Viewers),
    /// The host did not do what a viewer asked for.
    Refused(Refused),
    /// The answer to a ping.
    Pong(u64),
    /// The answer to a question for the status.
    Status(Box<StatusReport>),
    /// The answer to a lease; descriptors of the PTY, of the child and of the host come with it.
    Leased(Leased),
    /// The lease is over: the worker has ended.
    Returned,
    /// The answer to a question for the rows.
    Rows(Box<RowsReport>),
    /// The child has printed something: so many bytes in all. For viewers that attached with `prints`, once until they
    /// ask for the rows.
    Printed(Offset),
}

/// How the child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exited {
    /// How.
    pub status: ExitStatus,
    /// When.
    pub at: Timestamp,
}

/// What a viewer needs to know first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// The language the host speaks.
    pub version: u32,
    /// Which worker this is.
    pub worker: WorkerId,
    /// What the worker is called.
    pub name: WorkerName,
    /// Which incarnation of the host.
    pub epoch: Epoch,
    /// How much the child has printed.
    pub offset: Offset,
    /// How large its terminal is.
    pub size: TermSize,
    /// Where the worker is in its life.
    pub state: ChildState,
    /// What this viewer is called in the list of viewers.
    pub viewer: ViewerId,
    /// How many bytes of its typist's input the host has taken or refused, if the host knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<u64>,
}

/// A new size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resized {
    /// How large the terminal is now.
    pub size: TermSize,
    /// The viewer whose size it is, if it is anyone's.
    #[serde(default)]
    pub owner: Option<ViewerId>,
}

/// All viewers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewers {
    /// All viewers.
    pub viewers: Vec<ViewerReport>,
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Why, for programs.
    pub code: Refusal,
    /// Why, for people.
    pub message: String,
}

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// The host speaks no version of the language that the viewer speaks.
    Version,
    /// The frame does not hold a valid message, or the message is not allowed now.
    BadMessage,
    /// The viewer only watches.
    ReadOnly,
    /// The child does not read its input, and the buffer is full. The host took nothing of the message.
    InputFull,
    /// The worker has ended.
    Exited,
    /// The host has no room for another viewer.
    Full,
    /// The new program is not fit to take over; the old one runs on.
    Upgrade,
    /// The signal could not be sent.
    Signal,
    /// A reason of a newer host.
    #[serde(other)]
    Other,
}

/// What a lease holder needs to know about the descriptors it gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Leased {
    /// Which worker.
    pub worker: WorkerId,
    /// The host's process; its descriptor comes as well.
    pub host_pid: u32,
    /// The child's process.
    pub child_pid: u32,
}

#[derive(Serialize, Deserialize)]
struct ExitedRest {
    status: ExitStatus,
    at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct Printed {
    offset: Offset,
}

#[derive(Serialize, Deserialize)]
struct Pong {
    token: u64,
}

/// The numbers of frames to a viewer. A number, once used, is never used for anything else.
pub mod kind {
    /// [`HostMessage::Snapshot`](crate::HostMessage::Snapshot).
    pub const SNAPSHOT: u8 = 0x01;
    /// [`HostMessage::Output`](crate::HostMessage::Output).
    pub const OUTPUT: u8 = 0x02;
    /// [`HostMessage::Exited`](crate::HostMessage::Exited).
    pub const EXITED: u8 = 0x03;
    /// [`HostMessage::Welcome`](crate::HostMessage::Welcome).
    pub const WELCOME: u8 = 0x04;
    /// [`HostMessage::Resized`](crate::HostMessage::Resized).
    pub const RESIZED: u8 = 0x05;
    /// [`HostMessage::Signal`](crate::HostMessage::Signal).
    pub const SIGNAL: u8 = 0x06;
    /// [`HostMessage::Viewers`](crate::HostMessage::Viewers).
    pub const VIEWERS: u8 = 0x07;
    /// [`HostMessage::Refused`](crate::HostMessage::Refused).
    pub const REFUSED: u8 = 0x08;
    /// [`HostMessage::Pong`](crate::HostMessage::Pong).
    pub const PONG: u8 = 0x09;
    /// [`HostMessage::Status`](crate::HostMessage::Status).
    pub const STATUS: u8 = 0x0a;
    /// [`HostMessage::Leased`](crate::HostMessage::Leased).
    pub const LEASED: u8 = 0x0b;
    /// [`HostMessage::Returned`](crate::HostMessage::Returned).
    pub const RETURNED: u8 = 0x0c;
    /// [`HostMessage::Rows`](crate::HostMessage::Rows).
    pub const ROWS: u8 = 0x0d;
    /// [`HostMessage::Printed`](crate::HostMessage::Printed).
    pub const PRINTED: u8 = 0x0e;
}

/// What stands before the bytes in an output frame's payload.
const OUTPUT_HEAD: usize = 8;

/// The bytes before `length` bytes of output from `at` on, for a host that sends those from where they are.
pub fn output_header(at: Offset, length: usize) -> [u8; HEADER_BYTES + OUTPUT_HEAD] {
    let mut header = [0; HEADER_BYTES + OUTPUT_HEAD];
    header[0] = kind::OUTPUT;
    header[1..5].copy_from_slice(&((length + OUTPUT_HEAD) as u32).to_le_bytes());
    header[5..].copy_from_slice(&at.0.to_le_bytes());
    header
}

impl HostMessage {
    /// The message in a frame, or `None` for a frame of an unknown kind. Skip such a frame.
    ///
    /// # Errors
    ///
    /// When the frame is of a kind we know and does not hold such a message.
    pub fn read(frame: Frame<'_>) -> Result<Option<HostMessage>, MessageError> {
        Ok(Some(match frame.kind {
            kind::SNAPSHOT => {
                let head: [u8; 9] = fixed(frame)?;
                let [at @ .., flags] = head;
                HostMessage::Snapshot {
                    at: Offset(u64::from_le_bytes(at)),
                    last: flags & 1 != 0,
                    bytes: frame.payload[head.len()..].to_vec(),
                }
            }
            kind::OUTPUT => HostMessage::Output {
                at: Offset(u64::from_le_bytes(fixed(frame)?)),
                bytes: frame.payload[OUTPUT_HEAD..].to_vec(),
            },
            kind::EXITED => {
                let code: [u8; 4] = fixed(frame)?;
                let rest = Frame { kind: frame.kind, payload: &frame.payload[code.len()..] };
                let ExitedRest { status, at } = json(rest)?;
                HostMessage::Exited(Exited { status, at })
            }
            kind::WELCOME => HostMessage::Welcome(json(frame)?),
            kind::RESIZED => HostMessage::Resized(json(frame)?),
            kind::SIGNAL => HostMessage::Signal(json(frame)?),
            kind::VIEWERS => HostMessage::Viewers(json(frame)?),
            kind::REFUSED => HostMessage::Refused(json(frame)?),
            kind::PONG => HostMessage::Pong(json::<Pong>(frame)?.token),
            kind::STATUS => HostMessage::Status(json(frame)?),
            kind::LEASED => HostMessage::Leased(json(frame)?),
            kind::RETURNED => HostMessage::Returned,
            kind::ROWS => HostMessage::Rows(json(frame)?),
            kind::PRINTED => HostMessage::Printed(json::<Printed>(frame)?.offset),
            _ => return Ok(None),
        }))
    }

    /// Appends the message's frame.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            HostMessage::Snapshot { at, last, bytes } => {
                let payload = [&at.0.to_le_bytes()[..], &[u8::from(*last)], bytes].concat();
                Frame { kind: kind::SNAPSHOT, payload: &payload }.write(out);
            }
            HostMessage::Output { at, bytes } => {
                out.extend(output_header(*at, bytes.len()));
                out.extend(bytes);
            }
            HostMessage::Exited(Exited { status, at }) => {
                let mut payload = i32::from(status.code()).to_le_bytes().to_vec();
                payload.extend(to_json(&ExitedRest { status: *status, at: *at }));
                Frame { kind: kind::EXITED, payload: &payload }.write(out);
            }
            HostMessage::Welcome(welcome) => write_json(kind::WELCOME, welcome, out),
            HostMessage::Resized(resized) => write_json(kind::RESIZED, resized, out),
            HostMessage::Signal(signal) => write_json(kind::SIGNAL, signal, out),
            HostMessage::Viewers(viewers) => write_json(kind::VIEWERS, viewers, out),
            HostMessage::Refused(refused) => write_json(kind::REFUSED, refused, out),
            HostMessage::Pong(token) => write_json(kind::PONG, &Pong { token: *token }, out),
            HostMessage::Status(report) => write_json(kind::STATUS, report, out),
            HostMessage::Leased(leased) => write_json(kind::LEASED, leased, out),
            HostMessage::Returned => Frame { kind: kind::RETURNED, payload: &[] }.write(out),
            HostMessage::Rows(rows) => write_json(kind::ROWS, rows, out),
            HostMessage::Printed(offset) => write_json(kind::PRINTED, &Printed { offset: *offset }, out),
        }
    }

    /// The message's frame.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}

/// The bytes with which every frame of this kind begins.
pub(crate) fn fixed<const N: usize>(frame: Frame<'_>) -> Result<[u8; N], MessageError> {
    frame
        .payload
        .first_chunk::<N>()
        .copied()
        .ok_or(MessageError::Short { kind: frame.kind, length: frame.payload.len() })
}

pub(crate) fn json<T: DeserializeOwned>(frame: Frame<'_>) -> Result<T, MessageError> {
    serde_json::from_slice(frame.payload).map_err(|source| MessageError::Json { kind: frame.kind, source })
}

pub(crate) fn write_json(kind: u8, message: &impl Serialize, out: &mut Vec<u8>) {
    Frame { kind, payload: &to_json(message) }.write(out);
}

fn to_json(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("our messages have no keys that JSON lacks")
}
