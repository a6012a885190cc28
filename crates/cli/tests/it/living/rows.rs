//! The text of the screen for viewers that look now and then, and the notice that there is more to look at.

use std::io::Write;
use std::time::Instant;

use model::TermSize;
use protocol::{Attach, HostMessage, RowsReport, SignalMessage, ViewerMessage};
use testkit::{WAIT, Watcher};
use viewer::{Connection, Received};

use crate::house::{House, receive, wait_for, watching};

/// A listener that is told when its worker prints.
fn listener() -> Attach {
    Attach { prints: true, ..Attach::listener("test") }
}

/// What the host tells this listener until it has handled all that was asked before.
fn told(listener: &mut Watcher) -> Vec<HostMessage> {
    listener.catch_up();
    let is_of_rows =
        |message: &HostMessage| matches!(message, HostMessage::Rows(_) | HostMessage::Printed(_));
    std::mem::take(&mut listener.messages).into_iter().filter(is_of_rows).collect()
}

/// Waits for the notice that the child has printed something.
fn wait_for_print(listener: &mut Watcher) {
    let is_print = |message: &HostMessage| matches!(message, HostMessage::Printed(_));
    listener.wait_until("a notice", |watcher| watcher.messages.iter().any(is_print));
}

/// Asks for the text of the screen, and gives it. Forgets what the host told before it answered.
fn rows(listener: &mut Watcher) -> RowsReport {
    listener.say(&ViewerMessage::Rows);
    let is_rows = |message: &HostMessage| matches!(message, HostMessage::Rows(_));
    listener.wait_until("rows", |watcher| watcher.messages.iter().any(is_rows));
    let at = listener.messages.iter().position(is_rows).expect("they came");
    match listener.messages.drain(..=at).next_back() {
        Some(HostMessage::Rows(rows)) => RowsReport::clone(&rows),
        other => panic!("no rows: {other:?}"),
    }
}

#[test]
fn a_program_that_does_not_attach_gets_the_rows_too() {
    let house = House::new();
    let script = "printf '\\033[?1049h\\033[2;3Hone \\033[31mred\\033[m\\033[?25l'; read x";
    let worker = house.worker_with(&["--size", "20x3"], &["sh", "-c", script]);
    Watcher::watch(&worker).wait_for("red");
    assert!(worker.status().answers_rows);
    let mut connection = worker.connect();
    connection.send(&ViewerMessage::Rows).unwrap();
    let HostMessage::Rows(rows) = receive(&mut connection) else { panic!("no rows") };
    assert_eq!(rows.rows, ["", "  one red", ""]);
    assert_eq!((rows.cursor.row, rows.cursor.col, rows.cursor.shown), (1, 9, false));
    assert_eq!((rows.offset, rows.size), (worker.status().offset, TermSize::clamped(20, 3)));
    assert!(rows.alternate_screen);
    // It may go on asking, and may still attach.
    connection.send(&ViewerMessage::Rows).unwrap();
    assert!(matches!(receive(&mut connection), HostMessage::Rows(_)));
    connection.send(&ViewerMessage::Attach(watching())).unwrap();
    assert!(matches!(receive(&mut connection), HostMessage::Welcome(_)));
}

#[test]
fn a_listener_is_told_of_output_once_until_it_has_looked() {
    let house = House::new();
    let worker = house.script("stty -echo; echo ready; while read x; do echo \"<$x>\"; done");
    Watcher::watch(&worker).wait_for("ready");
    let mut listener = Watcher::attach(&worker, listener());
    assert_eq!(told(&mut listener), [], "the child has printed nothing since");
    for word in ["one", "two", "three"] {
        worker.send(format!("{word}\r").as_bytes());
        Watcher::watch(&worker).wait_for(&format!("<{word}>"));
    }
    wait_for_print(&mut listener);
    let notices = told(&mut listener);
    assert!(matches!(notices[..], [HostMessage::Printed(_)]), "{notices:?}");
    let seen = rows(&mut listener);
    assert!(seen.rows.iter().any(|row| row == "<three>"), "{seen:?}");
    assert_eq!(told(&mut listener), [], "nothing was printed after that");
    worker.send(b"four\r");
    listener.wait_until("the next notice", |watcher| {
        watcher
            .messages
            .iter()
            .any(|message| matches!(message, HostMessage::Printed(at) if *at > seen.offset))
    });
    // Without `prints` there are no notices.
    let mut deaf = Watcher::attach(&worker, Attach::listener("test"));
    worker.send(b"five\r");
    Watcher::watch(&worker).wait_for("<five>");
    assert_eq!(told(&mut deaf), []);
}

#[test]
fn a_flood_costs_a_listener_as_many_frames_as_it_asks_for() {
    let house = House::new();
    let worker = house.script("stty -echo; echo ready; read x; seq 300000; echo over; read x");
    Watcher::watch(&worker).wait_for("ready");
    let mut listener = Watcher::attach(&worker, listener());
    worker.send(b"\r");
    let mut asked = 0;
    while !rows(&mut listener).rows.iter().any(|row| row == "over") {
        asked += 1;
        wait_for_print(&mut listener);
        listener.messages.clear();
    }
    let left = told(&mut listener);
    assert_eq!(left, [], "after {asked} looks");
    assert_eq!(listener.output.len(), 0);
}

#[test]
fn questions_for_rows_that_wait_get_one_answer_together() {
    let house = House::new();
    let worker = house.script("echo ready; read x");
    Watcher::watch(&worker).wait_for("ready");
    let mut stream = viewer::connect(&worker.dir.socket()).unwrap();
    stream.set_nonblocking(false).unwrap();
    // The host reads them all at once.
    stream.write_all(&ViewerMessage::Rows.to_bytes().repeat(5000)).unwrap();
    let mut stream = Connection::from_stream(stream);
    // The last question is answered, and many before it only together with others.
    worker.send(b"\r");
    let mut answers = 0;
    while let Received::Message(message) = stream.receive_before(Instant::now() + WAIT).unwrap() {
        assert!(matches!(message, HostMessage::Rows(_)), "{message:?}");
        answers += 1;
    }
    assert!((1..1000).contains(&answers), "{answers}");
}

#[test]
fn s12_the_rows_of_the_largest_screen_fit_into_a_frame() {
    let house = House::new();
    let script = "stty -echo; printf 'ready'; read x; head -c 1000000 /dev/zero | tr '\\0' '\"'; read x";
    let worker = house.worker_with(&["--size", "1000x1000"], &["sh", "-c", script]);
    Watcher::watch(&worker).wait_for("ready");
    let before = worker.status().offset;
    worker.send(b"\r");
    wait_for("a full screen", || (worker.status().offset >= before + 1_000_000).then_some(()));
    let mut connection = worker.connect();
    connection.send(&ViewerMessage::Rows).unwrap();
    let HostMessage::Rows(rows) = receive(&mut connection) else { panic!("no rows") };
    assert_eq!(rows.rows.len(), 1000);
    let text: usize = rows.rows.iter().map(String::len).sum();
    assert!((200_000..=256 << 10).contains(&text), "{text}");
    assert!(rows.rows[0].is_empty() && rows.rows[998].starts_with("\"\"\""), "the lower rows are there");
}

#[test]
fn p5_a_listener_is_told_of_output_after_an_upgrade_too() {
    let house = House::new();
    let worker = house
        .script("stty -echo; echo ready; while read x; do printf '\\033]133;C\\007'; echo \"<$x>\"; done");
    Watcher::watch(&worker).wait_for("ready");
    let mut waiting = Watcher::attach(&worker, listener());
    let mut told_already = Watcher::attach(&worker, listener());
    worker.send(b"one\r");
    wait_for_print(&mut told_already);
    Watcher::watch(&worker).wait_for("<one>");
    rows(&mut waiting);
    wait_for("the mark", || (!worker.status().program.signals.is_empty()).then_some(()));
    house.output(["upgrade", "--force", worker.dir.id().as_str()]);
    let prompt = |signal: &SignalMessage| matches!(signal, SignalMessage::Prompt(_));
    assert!(worker.status().program.signals.iter().any(prompt), "the newest mark is kept");
    told(&mut waiting);
    worker.send(b"two\r");
    wait_for_print(&mut waiting);
    told_already.messages.clear();
    assert_eq!(told(&mut told_already), [], "it has not looked");
    assert!(rows(&mut told_already).rows.iter().any(|row| row == "<two>"));
}
