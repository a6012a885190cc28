//! `abide debug frames`

use model::{Offset, TermSize};
use protocol::{HostMessage, ViewerMessage};

use crate::abide::{abide, output};

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text")
}

#[test]
fn each_frame_has_a_line() {
    let captured = [
        ViewerMessage::Status.to_bytes(),
        ViewerMessage::Resize(TermSize::clamped(100, 30)).to_bytes(),
        ViewerMessage::Input(b"ls\r\x1b[A".to_vec()).to_bytes(),
    ]
    .concat();
    let lines = text(output(&["debug", "frames", "--from", "viewer"], &captured));
    let expected = "         0  0x16 Status          0\n\
                    \u{20}        5  0x11 Resize          4  100x30\n\
                    \u{20}       14  0x10 Input           6  \"ls\\r\\x1b[A\"\n";
    assert_eq!(lines.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n", expected);
}

#[test]
fn the_command_says_where_the_bytes_stop_being_frames() {
    let whole = HostMessage::Output { at: Offset(3), bytes: b"text".to_vec() }.to_bytes();
    for (rest, way) in [(&b"\x02\xff\xff\xff\xff"[..], "stop being frames"), (b"\x02\x09", "not complete")] {
        let output = abide(&["debug", "frames"], &[&whole[..], rest].concat());
        let words = text(output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words}");
        assert!(words.contains(&format!("at byte {}", whole.len())) && words.contains(way), "{words}");
        assert!(text(output.stdout).contains("0x02 Output"), "what came before is shown");
    }
}
