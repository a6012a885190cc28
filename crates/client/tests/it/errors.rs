//! Why a request has no reply.

use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use api::{ErrorCode, Problem};
use client::{Client, Error};
use home::{Home, Identity, ServerNote};
use testkit::{Answer, ScriptedServer};

use crate::desk::{Desk, TOKEN, URL, note};

/// The error after an answer with this problem.
fn after(problem: &Problem) -> Error {
    Desk::answering("GET /api/tasks", problem.status(), &serde_json::to_string(problem).unwrap()).error()
}

#[test]
fn without_a_server_the_error_is_not_running() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path());
    assert!(matches!(Client::of(&home), Err(Error::NotRunning)));
    let ended = Identity { start_ticks: 1, ..Identity::own().unwrap() };
    let left = ServerNote { url: URL.into(), socket: None, identity: ended, release: "0.0.0".into() };
    left.write(&home).unwrap();
    assert!(matches!(Client::of(&home), Err(Error::NotRunning)), "a note of a process that has ended");
}

#[test]
fn s18_a_server_without_a_socket_gets_no_token() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    port.set_nonblocking(true).unwrap();
    let url = format!("http://{}", port.local_addr().unwrap());
    let desk = Desk::with(Vec::new());
    let identity = Identity::own().unwrap();
    let note = ServerNote { url: url.clone(), socket: None, identity, release: "0.0.0".into() };
    note.write(&desk.home()).unwrap();
    match Client::of(&desk.home()) {
        Err(Error::NoSocket { url: named }) => assert_eq!(named, url),
        other => panic!("{other:?}"),
    }
    assert!(port.accept().is_err(), "nothing was sent to the port");
}

#[test]
fn a_socket_is_reached_in_a_directory_with_a_long_name() {
    let dir = tempfile::tempdir().unwrap();
    let long = dir.path().join("long".repeat(50));
    std::fs::create_dir(&long).unwrap();
    // The stand-in has no way to bind a long path itself.
    let short = dir.path().join("server.sock");
    let _server = ScriptedServer::start(&short, TOKEN, vec![Answer::body("GET /api/tasks", 200, "[]")]);
    let home = Home::at(&long);
    std::fs::rename(short, home.server_socket()).unwrap();
    note(&home, Some(ServerNote::SOCKET));
    files::replace_private(&home.token_file(), TOKEN.as_bytes()).unwrap();
    assert!(Client::of(&home).unwrap().tasks().unwrap().is_empty());
}

#[test]
fn s6_a_token_that_others_could_have_read_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with(Vec::new());
    let file = desk.home().token_file();
    let set_mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
    set_mode(0o644);
    match Client::of(&desk.home()) {
        Err(Error::NoToken { path, .. }) => assert_eq!(path, file),
        other => panic!("{other:?}"),
    }
    set_mode(0o600);
    assert!(Client::of(&desk.home()).is_ok());
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(Client::of(&desk.home()), Err(Error::NoToken { .. })));
}

#[test]
fn a_wrong_token_is_refused() {
    let desk = Desk::answering("GET /api/tasks", 200, "[]");
    files::replace_private(&desk.home().token_file(), b"another").unwrap();
    assert!(matches!(desk.error(), Error::TokenRefused));
}

#[test]
fn a_refusal_comes_with_its_code_its_sentence_and_its_hint() {
    match after(&Problem::new(ErrorCode::InUse, "a task needs it").hint("end the task")) {
        Error::Problem(problem) => {
            assert_eq!((problem.code, problem.message.as_str()), (ErrorCode::InUse, "a task needs it"));
            assert_eq!(problem.hint.as_deref(), Some("end the task"));
        }
        other => panic!("{other:?}"),
    }
    let failed = after(&Problem::new(ErrorCode::Internal, "alas"));
    assert!(matches!(failed, Error::Problem(_)), "{failed:?}");
}

#[test]
fn s24_the_sentence_of_an_error_is_safe_to_show() {
    let error = after(&Problem::new(ErrorCode::GitRefused, "\u{1b}[2Jno"));
    assert_eq!(error.to_string(), "\u{fffd}[2Jno");
}

#[test]
fn a_request_that_the_server_cannot_read_is_told_from_a_refusal() {
    for code in [ErrorCode::UnknownPath, ErrorCode::InvalidBody, ErrorCode::MethodNotAllowed] {
        let error = after(&Problem::new(code, "what?"));
        assert!(matches!(error, Error::Misunderstood(_)), "{error:?}");
    }
}

#[test]
fn an_error_without_a_body_keeps_its_status() {
    for body in ["", "<html>", r#"{"error":{"code":"of-tomorrow","message":"?"}}"#] {
        let error = Desk::answering("GET /api/tasks", 418, body).error();
        assert!(matches!(error, Error::Unexplained { status: 418 }), "{body}: {error:?}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere =
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://192.0.2.1/\r\ncontent-length: 0\r\n\r\n";
    let error = Desk::with(vec![Answer::raw("GET /api/tasks", elsewhere)]).error();
    assert!(matches!(error, Error::Unexplained { status: 307 }), "{error:?}");
}

#[test]
fn a_reply_of_another_form_is_unreadable() {
    for body in ["hi", "{}", r#"[{"id":1}]"#, ""] {
        let error = Desk::answering("GET /api/tasks", 200, body).error();
        assert!(matches!(error, Error::Unreadable(_)), "{body}: {error:?}");
    }
}

#[test]
fn a_server_that_just_ended_is_unreachable() {
    let desk = Desk::with(Vec::new());
    let path = desk.home().server_socket();
    std::fs::remove_file(&path).unwrap();
    let is_unreachable = || matches!(desk.error(), Error::Unreachable { socket, .. } if socket == path);
    assert!(is_unreachable(), "no socket");
    drop(UnixListener::bind(&path).unwrap());
    assert!(is_unreachable(), "a socket where no program listens");
}

#[test]
fn a_reply_that_breaks_off_is_unreachable() {
    for half in ["", "HTTP/1.1 200 OK\r\ncontent-le", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[]"] {
        let error = Desk::with(vec![Answer::raw("GET /api/tasks", half)]).error();
        assert!(matches!(error, Error::Unreachable { .. }), "{half:?}: {error:?}");
    }
}

#[test]
fn a_server_that_takes_no_connection_times_out() {
    let desk = Desk::with(Vec::new());
    let path = desk.home().server_socket();
    std::fs::remove_file(&path).unwrap();
    let stopped = UnixListener::bind(&path).unwrap();
    // It takes none, and has no more room for those that wait.
    rustix::net::listen(&stopped, 0).unwrap();
    let _waits = UnixStream::connect(&path).unwrap();
    let error = desk.client().answering_within(Duration::from_millis(50)).tasks().unwrap_err();
    assert!(matches!(&error, Error::TimedOut { socket } if *socket == path), "{error:?}");
}

#[test]
fn a_question_without_an_answer_times_out() {
    let desk = Desk::with(vec![Answer::nothing("GET /api/tasks")]);
    let error = desk.client().answering_within(Duration::from_millis(50)).tasks().unwrap_err();
    assert!(
        matches!(&error, Error::TimedOut { socket } if *socket == desk.home().server_socket()),
        "{error:?}"
    );
}
