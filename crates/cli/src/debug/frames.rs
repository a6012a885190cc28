//! `abide debug frames`: a captured connection, frame by frame.

use std::fmt::Write;

use anyhow::Result;
use clap::{Args, ValueEnum};
use protocol::{Decoder, Frame, HEADER_BYTES, HostMessage, MessageError, ViewerMessage};

use super::{feed_input, write_output};
use crate::failure::Failure;

/// Bytes of output and input that are shown of a frame.
const BYTES_SHOWN: usize = 48;

#[derive(Args)]
pub(crate) struct Frames {
    /// Which side sent the bytes; by default the type of each frame decides
    #[arg(long, value_enum, value_name = "WHO")]
    from: Option<From>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum From {
    /// A host
    Host,
    /// A viewer
    Viewer,
}

impl Frames {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut decoder = Decoder::default();
        let mut at = 0_u64;
        let mut broken = None;
        feed_input(|bytes| {
            if broken.is_some() {
                return Ok(());
            }
            decoder.push(bytes);
            let mut lines = String::new();
            loop {
                match decoder.next_frame() {
                    Ok(Some(frame)) => {
                        line(&mut lines, at, frame, self.from);
                        at += (HEADER_BYTES + frame.payload.len()) as u64;
                    }
                    Ok(None) => break,
                    Err(error) => {
                        broken = Some(error);
                        break;
                    }
                }
            }
            write_output(lines.as_bytes())
        })?;
        if let Some(error) = broken {
            return Err(Failure::no(format!("at byte {at} the bytes stop being frames: {error}"))
                .hint("check that the capture is one direction of one connection, from its first byte on"));
        }
        match decoder.unfinished().len() {
            0 => Ok(()),
            left => Err(Failure::no(format!(
                "at byte {at} a frame begins that is not complete: {left} bytes are there"
            ))
            .hint("the capture ends in the middle of a frame; the frames above are complete")),
        }
    }
}

/// Appends a line on a frame. The line is safe to show, with any content of the frame.
fn line(out: &mut String, at: u64, frame: Frame<'_>, from: Option<From>) {
    let (name, message) = match read(frame, from) {
        Ok(Some((name, message))) => (name, message),
        Ok(None) => ("?", "unknown type, or a type of the other side".to_owned()),
        Err(error) => ("!", model::display_safe(&error.to_string())),
    };
    let _ = writeln!(out, "{at:>10}  {:#04x} {name:<9} {:>7}  {message}", frame.kind, frame.payload.len());
}

/// The name and the words of the message in a frame.
fn read(frame: Frame<'_>, from: Option<From>) -> Result<Option<(&'static str, String)>, MessageError> {
    if from != Some(From::Viewer)
        && let Some(message) = HostMessage::read(frame)?
    {
        return Ok(Some(host_message(&message, frame)));
    }
    if from != Some(From::Host)
        && let Some(message) = ViewerMessage::read(frame)?
    {
        return Ok(Some(viewer_message(&message, frame)));
    }
    Ok(None)
}

fn host_message(message: &HostMessage, frame: Frame<'_>) -> (&'static str, String) {
    match message {
        HostMessage::Snapshot { at, last, bytes } => {
            let part = if *last { "last part" } else { "part" };
            ("Snapshot", format!("at {at}, {part}: {}", escaped(bytes)))
        }
        HostMessage::Output { at, bytes } => ("Output", format!("at {at}: {}", escaped(bytes))),
        HostMessage::Exited(exited) => ("Exited", format!("{}, at {}", exited.status, exited.at)),
        HostMessage::Welcome(_) => ("Welcome", json(frame)),
        HostMessage::Resized(_) => ("Resized", json(frame)),
        HostMessage::Signal(_) => ("Signal", json(frame)),
        HostMessage::Viewers(_) => ("Viewers", json(frame)),
        HostMessage::Refused(_) => ("Refused", json(frame)),
        HostMessage::Pong(_) => ("Pong", json(frame)),
        HostMessage::Status(_) => ("Status", json(frame)),
        HostMessage::Leased(_) => ("Leased", json(frame)),
        HostMessage::Returned => ("Returned", String::new()),
        HostMessage::Rows(_) => ("Rows", json(frame)),
        HostMessage::Printed(_) => ("Printed", json(frame)),
    }
}

fn viewer_message(message: &ViewerMessage, frame: Frame<'_>) -> (&'static str, String) {
    match message {
        ViewerMessage::Input(bytes) => ("Input", escaped(bytes)),
        ViewerMessage::Resize(size) => ("Resize", size.to_string()),
        ViewerMessage::Shutdown => ("Shutdown", String::new()),
        ViewerMessage::Attach(_) => ("Attach", json(frame)),
        ViewerMessage::Ack(_) => ("Ack", json(frame)),
        ViewerMessage::Focus => ("Focus", String::new()),
        ViewerMessage::Status => ("Status", String::new()),
        ViewerMessage::Ping(_) => ("Ping", json(frame)),
        ViewerMessage::Redraw => ("Redraw", String::new()),
        ViewerMessage::Kill(_) => ("Kill", json(frame)),
        ViewerMessage::Lease => ("Lease", String::new()),
        ViewerMessage::Upgrade(_) => ("Upgrade", json(frame)),
        ViewerMessage::Withdraw(_) => ("Withdraw", json(frame)),
        ViewerMessage::Rows => ("Rows", String::new()),
    }
}

fn json(frame: Frame<'_>) -> String {
    model::display_safe(&String::from_utf8_lossy(frame.payload))
}

fn escaped(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(BYTES_SHOWN)];
    let more = if shown.len() < bytes.len() { "…" } else { "" };
    format!("\"{}\"{more}", shown.escape_ascii())
}

#[cfg(test)]
mod tests {
    use model::Offset;

    use super::*;

    fn lines(bytes: &[u8], from: Option<From>) -> String {
        let mut decoder = Decoder::default();
        decoder.push(bytes);
        let mut out = String::new();
        while let Ok(Some(frame)) = decoder.next_frame() {
            line(&mut out, 0, frame, from);
        }
        out
    }

    #[test]
    fn output_is_shown_escaped_and_cut() {
        let output = HostMessage::Output { at: Offset(7), bytes: b"\x1b[2J\xff".repeat(30) }.to_bytes();
        let line = lines(&output, None);
        assert!(line.contains("0x02 Output") && line.contains(r#"at 7: "\x1b[2J\xff"#), "{line}");
        assert!(line.ends_with("\"…\n") && !line.contains('\x1b'), "{line}");
    }

    #[test]
    fn a_frame_that_is_no_message_says_so() {
        assert!(lines(&[0x02, 1, 0, 0, 0, 9], None).contains("0x02 !"), "too short");
        assert!(lines(&[0x04, 2, 0, 0, 0, b'{', b'}'], None).contains("0x04 !"), "no welcome");
        assert!(lines(&[0xee, 0, 0, 0, 0], None).contains("0xee ?"), "unknown");
        let ping = ViewerMessage::Ping(5).to_bytes();
        assert!(lines(&ping, Some(From::Host)).contains("0x17 ?"), "from the other side");
        assert!(lines(&ping, None).contains("{\"token\":5}"));
    }
}
