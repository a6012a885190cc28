//! Which viewers may type, and which bytes never reach the program.

use std::fs;

use api::ErrorCode;
use protocol::{HostMessage, Refusal, ViewerMessage};
use serde_json::json;
use ureq::http::Method;

use super::{DOORS, Door, Seat, Stage};
use crate::house::wait_for;
use crate::server::raw;

/// Shows every byte that it is given, one in a line.
const WITNESS: &str = "stty raw -echo; printf 'ready\\r\\n'; exec od -An -c -v -w1";

#[test]
fn s9_a_token_that_may_only_watch_sends_no_byte_and_no_size_to_the_program() {
    let stage = Stage::new(WITNESS);
    let server = &stage.server;
    let scope = json!({"kind": "worker", "workerId": stage.worker, "drive": false});
    let token: api::NewToken = server.post("/api/tokens", json!({"name": "guest", "scope": scope})).ok(201);
    Seat::take(&stage, Door::Json).wait_for("ready");
    let before = stage.host().status();

    let mut frames = Seat::take_as(&stage, Door::Frames, &token.secret).expect("it may watch");
    let mut worker = Seat::take_as(&stage, Door::Json, &token.secret).expect("it may watch");
    for closed in [Door::Pipe, Door::Terminals] {
        assert_eq!(Seat::take_as(&stage, closed, &token.secret).err(), Some(403), "{closed:?}");
    }
    frames.wait_for("ready");
    worker.wait_for("ready");
    for message in [
        ViewerMessage::Input(b"X".to_vec()),
        ViewerMessage::Input(b"\x1b[?1;2c".to_vec()),
        ViewerMessage::Resize(model::TermSize::clamped(33, 11)),
        ViewerMessage::Focus,
        ViewerMessage::Redraw,
        ViewerMessage::Kill(9),
        ViewerMessage::Shutdown,
        ViewerMessage::Ping(7),
    ] {
        frames.socket.frame(&message);
    }
    let refused = |seat: &Seat, code| {
        let of =
            |message: &&HostMessage| matches!(message, HostMessage::Refused(refused) if refused.code == code);
        seat.heard.iter().filter(of).count()
    };
    // The host answers the last of them, and the server those that it does not pass on.
    frames.wait_until("all answers", |seat| {
        let said = (refused(seat, Refusal::ReadOnly), refused(seat, Refusal::BadMessage));
        seat.heard.contains(&HostMessage::Pong(7)) && said == (2, 2)
    });
    worker.keys("X");
    worker.resize(server, 33, 11);
    worker.socket.say(&json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}));
    // What is no picture is answered, so that what came before was heard.
    worker.socket.say(&json!({"type": "image", "data": "?", "mimeType": "image/png"}));
    assert_eq!(worker.wait_to_hear("error")["code"], "bad-request");
    let upload = format!("/api/workers/{}/uploads", stage.worker);
    server.send(Method::POST, &upload, Some(json!({})), Some(&token.secret)).problem(ErrorCode::Forbidden);
    let resize = format!("/api/tasks/{}/terminal/resize", stage.task.id);
    let size = Some(json!({"cols": 33, "rows": 11}));
    server.send(Method::POST, &resize, size, Some(&token.secret)).problem(ErrorCode::Forbidden);

    let after = stage.host().status();
    assert_eq!((after.offset, after.size), (before.offset, before.size));
    assert!(!stage.host().dir.path().join("uploads").exists());
    // The first byte that the program gets is from a viewer that may type.
    let mut owner = Seat::take(&stage, Door::Pipe);
    owner.keys("Z");
    for seat in [&mut owner, &mut frames, &mut worker] {
        seat.wait_for("Z");
        let words: Vec<String> = seat.terminal.text(100).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["ready", "Z"], "{:?}", seat.door);
    }
}

#[test]
fn s15_keys_reach_the_program_and_answers_of_emulators_do_not() {
    for door in DOORS {
        // Frames are for clients that know to leave them out.
        if door == Door::Frames {
            continue;
        }
        let stage = Stage::new(WITNESS);
        let mut seat = Seat::take(&stage, door);
        seat.wait_for("ready");
        for keys in ["\x1b[?1;2c", "\x1b[2", "4;80R", "\x1b]11;rgb:0000/0000/0000\x07", "\x1b[A", "Z"] {
            seat.keys(keys);
        }
        seat.wait_for("Z");
        let words: Vec<String> = seat.terminal.text(100).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["ready", "033", "[", "A", "Z"], "{door:?}");
    }
}

#[test]
fn s16_a_picture_of_ten_mebibytes_is_accepted_and_a_larger_one_is_refused() {
    let stage = Stage::new("stty -echo; echo ready; exec cat -v");
    // Nine bytes with the head, and so many times three zeros.
    let png = |threes: usize| {
        let data = format!("iVBORw0KGgoA{}", "AAAA".repeat(threes));
        json!({"type": "image", "data": data, "mimeType": "image/png"})
    };
    let largest: usize = ((10 << 20) - 9) / 3;
    let mut seat = Seat::take(&stage, Door::Json);
    seat.wait_for("ready");
    seat.socket.say(&png(largest));
    seat.keys("|\r");
    seat.wait_for("|");
    let uploads = stage.host().dir.path().join("uploads");
    let kept = fs::read_dir(&uploads).expect("it was kept").next().expect("a file").expect("a file").path();
    let file = fs::read(kept).expect("it is there");
    assert_eq!(file.len(), 9 + 3 * largest);
    assert!(file.starts_with(b"\x89PNG\r\n\x1a\n") && file[8..].iter().all(|byte| *byte == 0));

    // The reason may not arrive while so much is still on its way.
    seat.socket.try_send(tungstenite::Message::text(png(largest + 1024).to_string()));
    assert!(matches!(seat.socket.wait_for_close().0, 1006 | 1009));
    assert_eq!(fs::read_dir(&uploads).expect("it is there").count(), 1);
}

#[test]
fn s16_s28_a_picture_is_kept_and_its_path_is_pasted() {
    for (brackets, script) in [
        (false, "stty -echo; echo ready; exec cat -v"),
        (true, r"stty -echo; printf '\033[?2004hready\r\n'; exec cat -v"),
    ] {
        let stage = Stage::new(script);
        let mut seat = Seat::take(&stage, Door::Json);
        seat.wait_for("ready");
        seat.socket.say(&json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}));
        seat.keys("|\r");
        seat.wait_for("|");
        let uploads = stage.host().dir.path().join("uploads");
        let kept: Vec<_> =
            fs::read_dir(&uploads).expect("it was kept").map(|entry| entry.expect("a file").path()).collect();
        let [file] = kept.as_slice() else { panic!("{kept:?}") };
        // Long paths are broken where the screen ends.
        let typed = String::from_utf8_lossy(&seat.shown).replace(['\r', '\n'], "");
        let path = file.to_str().expect("text");
        let expected = if brackets { format!("^[[200~{path} ^[[201~|") } else { format!("{path} |") };
        assert!(typed.ends_with(&expected), "{typed:?}");

        // Through REST it is kept and nothing is typed.
        let url = format!("/api/workers/{}/uploads", stage.worker);
        let before = stage.host().status().offset;
        let answer = raw::post(&stage.server, &url, "image/png", b"\x89PNG\r\n\x1a\n");
        assert!(answer.status < 300, "{answer:?}");
        assert_eq!(stage.host().status().offset, before);
        wait_for("the second one", || {
            (fs::read_dir(&uploads).expect("it is there").count() == 2).then_some(())
        });
    }
}
