//! What a viewer tells a host.

use model::{Epoch, Offset, TermSize};
use serde::{Deserialize, Serialize};

use crate::frame::Frame;
use crate::{MessageError, VERSION};

/// What a viewer tells a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewerMessage {
    /// Typed bytes, taken as a whole or refused as a whole.
    Input(Vec<u8>),
    /// The viewer's screen has this size now.
    Resize(TermSize),
    /// The worker shall end: hang up, then ask, then force.
    Shutdown,
    /// First from a viewer: it wants to see, and perhaps to type.
    Attach(Attach),
    /// The viewer has shown everything before this offset. For viewers that attached with `ack`.
    Ack(Offset),
    /// The viewer has the person's attention; it may own the size.
    Focus,
    /// A question without attaching; the answer is a status report.
    Status,
    /// Asks for a pong with the same number, after everything sent before has been handled.
    Ping(u64),
    /// The viewer lost its screen and wants it anew.
    Redraw,
    /// This signal, by its number, for the child's process group.
    Kill(u8),
    /// First from a lease holder: it wants the PTY and the child's descriptor.
    Lease,
    /// The host shall go on as another program.
    Upgrade(Upgrade),
    /// A principal may do nothing any more: what it typed and the child has not got is dropped, and its viewers go.
    Withdraw(Withdraw),
    /// A question for the text of the screen, also without attaching.
    Rows,
}

/// What a viewer wants to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attach {
    /// The language it speaks.
    pub version: u32,
    /// Which incarnation of the host `since` belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Epoch>,
    /// The offset up to which it has shown the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Offset>,
    /// Lines of history it wants in a full snapshot.
    #[serde(default)]
    pub history: u32,
    /// The form of the snapshots it wants.
    #[serde(default)]
    pub form: Form,
    /// Whether it only watches.
    #[serde(default)]
    pub read_only: bool,
    /// How large its screen is; a viewer that says so and may type takes the size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<TermSize>,
    /// Whether it acknowledges what it has shown, and must not be sent much more than that.
    #[serde(default)]
    pub ack: bool,
    /// Whether it wants to be told what the program signals and who watches.
    #[serde(default)]
    pub events: bool,
    /// Whether it wants no snapshot and no output, only the other messages. It is in no list of viewers.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quiet: bool,
    /// Whether it wants to be told when the child has printed something, so that it can ask for the rows.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prints: bool,
    /// The name under which the host counts its typed bytes across connections. Random, and used by this viewer alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typist: Option<String>,
    /// For whom it speaks: a name for all viewers that are to end together. A relay sets it, and no one else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// What it calls itself in the list of viewers.
    #[serde(default)]
    pub name: String,
}

impl Attach {
    /// A viewer with an emulator or a terminal model: it gets full snapshots without history, may type, and has no
    /// size of its own.
    pub fn full(name: impl Into<String>) -> Attach {
        Attach {
            version: VERSION,
            epoch: None,
            since: None,
            history: 0,
            form: Form::Full,
            read_only: false,
            size: None,
            ack: false,
            events: false,
            quiet: false,
            prints: false,
            typist: None,
            principal: None,
            name: name.into(),
        }
    }

    /// A viewer on a person's own terminal: it gets the visible screen, may type, and has no size of its own.
    pub fn screen(name: impl Into<String>) -> Attach {
        Attach { form: Form::Screen, ..Attach::full(name) }
    }

    /// A listener: it hears what happens, gets no output, and cannot type.
    pub fn listener(name: impl Into<String>) -> Attach {
        Attach { read_only: true, events: true, quiet: true, ..Attach::screen(name) }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// For whom a snapshot is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// For an emulator: a reset, history as asked, both screens.
    #[default]
    Full,
    /// For a person's own terminal: the visible screen, drawn on its alternate screen.
    Screen,
}

/// Which program a host shall go on as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upgrade {
    /// The path of the program.
    pub program: String,
}

/// Whose typed bytes and viewers shall go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdraw {
    /// As in [`Attach::principal`].
    pub principal: String,
}

#[derive(Serialize, Deserialize)]
struct Ack {
    offset: Offset,
}

#[derive(Serialize, Deserialize)]
struct Ping {
    token: u64,
}

#[derive(Serialize, Deserialize)]
struct Kill {
    signal: u8,
}

/// The numbers of frames to a host. A number, once used, is never used for anything else.
pub(crate) mod kind {
    pub(crate) const INPUT: u8 = 0x10;
    pub(crate) const RESIZE: u8 = 0x11;
    pub(crate) const SHUTDOWN: u8 = 0x12;
    pub(crate) const ATTACH: u8 = 0x13;
    pub(crate) const ACK: u8 = 0x14;
    pub(crate) const FOCUS: u8 = 0x15;
    pub(crate) const STATUS: u8 = 0x16;
    pub(crate) const PING: u8 = 0x17;
    pub(crate) const REDRAW: u8 = 0x18;
    pub(crate) const KILL: u8 = 0x19;
    pub(crate) const LEASE: u8 = 0x1a;
    pub(crate) const UPGRADE: u8 = 0x1b;
    pub(crate) const WITHDRAW: u8 = 0x1c;
    pub(crate) const ROWS: u8 = 0x1d;
}

impl ViewerMessage {
    /// The message in a frame, or `None` for a frame of an unknown kind. Skip such a frame.
    ///
    /// # Errors
    ///
    /// When the frame is of a kind we know and does not hold such a message.
    pub fn read(frame: Frame<'_>) -> Result<Option<ViewerMessage>, MessageError> {
        Ok(Some(match frame.kind {
            kind::INPUT => ViewerMessage::Input(frame.payload.to_vec()),
            kind::RESIZE => {
                let [c0, c1, r0, r1] = crate::host_message::fixed(frame)?;
                ViewerMessage::Resize(TermSize::clamped(
                    u16::from_le_bytes([c0, c1]),
                    u16::from_le_bytes([r0, r1]),
                ))
            }
            kind::SHUTDOWN => ViewerMessage::Shutdown,
            kind::ATTACH => ViewerMessage::Attach(crate::host_message::json(frame)?),
            kind::ACK => ViewerMessage::Ack(crate::host_message::json::<Ack>(frame)?.offset),
            kind::FOCUS => ViewerMessage::Focus,
            kind::STATUS => ViewerMessage::Status,
            kind::PING => ViewerMessage::Ping(crate::host_message::json::<Ping>(frame)?.token),
            kind::REDRAW => ViewerMessage::Redraw,
            kind::KILL => ViewerMessage::Kill(crate::host_message::json::<Kill>(frame)?.signal),
            kind::LEASE => ViewerMessage::Lease,
            kind::UPGRADE => ViewerMessage::Upgrade(crate::host_message::json(frame)?),
            kind::WITHDRAW => ViewerMessage::Withdraw(crate::host_message::json(frame)?),
            kind::ROWS => ViewerMessage::Rows,
            _ => return Ok(None),
        }))
    }

    /// Appends the message's frame.
    pub fn write(&self, out: &mut Vec<u8>) {
        use crate::host_message::write_json;
        let mut plain = |kind, payload| Frame { kind, payload }.write(out);
        match self {
            ViewerMessage::Input(bytes) => plain(kind::INPUT, bytes),
            ViewerMessage::Resize(size) => {
                let [c0, c1] = size.cols().to_le_bytes();
                let [r0, r1] = size.rows().to_le_bytes();
                plain(kind::RESIZE, &[c0, c1, r0, r1]);
            }
            ViewerMessage::Shutdown => plain(kind::SHUTDOWN, &[]),
            ViewerMessage::Attach(attach) => write_json(kind::ATTACH, attach, out),
            ViewerMessage::Ack(offset) => write_json(kind::ACK, &Ack { offset: *offset }, out),
            ViewerMessage::Focus => plain(kind::FOCUS, &[]),
            ViewerMessage::Status => plain(kind::STATUS, &[]),
            ViewerMessage::Ping(token) => write_json(kind::PING, &Ping { token: *token }, out),
            ViewerMessage::Redraw => plain(kind::REDRAW, &[]),
            ViewerMessage::Kill(signal) => write_json(kind::KILL, &Kill { signal: *signal }, out),
            ViewerMessage::Lease => plain(kind::LEASE, &[]),
            ViewerMessage::Rows => plain(kind::ROWS, &[]),
            ViewerMessage::Upgrade(upgrade) => write_json(kind::UPGRADE, upgrade, out),
            ViewerMessage::Withdraw(withdraw) => write_json(kind::WITHDRAW, withdraw, out),
        }
    }

    /// The message's frame.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}
