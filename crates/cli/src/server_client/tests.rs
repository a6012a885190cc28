//! What goes over the wire, seen from the other end of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::*;

/// Somebody who takes one request and gives this answer; then tells what was asked.
fn answering(answer: &'static str) -> (Server, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = read(&mut stream);
        stream.write_all(answer.as_bytes()).unwrap();
        request
    });
    (Server::at(url, "secret".into()).unwrap(), asked)
}

/// A request's head and body.
fn read(stream: &mut TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut request, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        request.push_str(&line);
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    request + str::from_utf8(&body).unwrap()
}

#[test]
fn a_request_carries_the_token_and_the_servers_own_name() {
    let (server, asked) = answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\":[1]}");
    let host = server.url.trim_start_matches("http://").to_owned();
    let answer: Value = server.get("/api/tasks?status=done").unwrap();
    assert_eq!(answer, json!({"a": [1]}));
    let asked = asked.join().unwrap();
    assert!(asked.starts_with("GET /api/tasks?status=done HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains("\r\nauthorization: Bearer secret\r\n"), "{asked}");
    assert!(asked.contains(&format!("\r\nhost: {host}\r\n")), "{asked}");
}

#[test]
fn a_body_is_json_and_says_so() {
    let (server, asked) = answering("HTTP/1.1 204 No Content\r\n\r\n");
    server.post_json::<()>("/api/repositories", &json!({"path": "/a"})).unwrap();
    let asked = asked.join().unwrap();
    assert!(asked.contains("\r\ncontent-type: application/json"), "{asked}");
    let (_, body) = asked.split_once("\r\n\r\n").unwrap();
    assert_eq!(serde_json::from_str::<Value>(body).unwrap(), json!({"path": "/a"}));
}

#[test]
fn nothing_is_sent_where_nothing_is_said() {
    let (server, asked) = answering("HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\n{}");
    let _: IgnoredAny = server.post("/api/tasks/x/activate").unwrap();
    let asked = asked.join().unwrap();
    assert!(asked.starts_with("POST ") && asked.ends_with("\r\n\r\n"), "{asked}");
    assert!(!asked.contains("content-type"), "{asked}");

    let (server, asked) = answering("HTTP/1.1 204 No Content\r\n\r\n");
    server.delete::<()>("/api/tasks/x").unwrap();
    assert!(asked.join().unwrap().starts_with("DELETE /api/tasks/x "));
}

#[test]
fn an_answer_leads_nowhere_else() {
    let elsewhere =
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://192.0.2.1/\r\ncontent-length: 0\r\n\r\n";
    let (server, asked) = answering(elsewhere);
    let failure = server.get::<Value>("/api/tasks").unwrap_err();
    assert_eq!(failure.code(), 125, "{failure:?}");
    asked.join().unwrap();
}

#[test]
fn a_token_goes_to_this_machine_alone() {
    for url in [
        "http://192.0.2.1:80",
        "https://127.0.0.1:80",
        "http://localhost:80",
        "http://127.0.0.1",
        "127.0.0.1:1",
    ] {
        let refused = Server::at(url.to_owned(), "secret".into()).err().expect(url);
        assert!(refused.sentence().contains(url) && refused.way_on().is_some(), "{refused:?}");
    }
    assert!(Server::at("http://[::1]:80".to_owned(), "secret".into()).is_ok());
}

#[test]
fn a_server_that_just_ended_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let failure = Server::at(url.clone(), "secret".into()).unwrap().get::<Value>("/api/tasks").unwrap_err();
    assert!(failure.sentence().contains(&url), "{failure:?}");
    assert!(failure.way_on().unwrap().contains("`abide serve`"), "{failure:?}");
}

#[test]
fn an_answer_that_is_no_json_is_told() {
    let (server, asked) = answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
    let failure = server.get::<Value>("/api/tasks").unwrap_err();
    assert!(failure.sentence().contains("cannot be read"), "{failure:?}");
    asked.join().unwrap();
}

#[test]
fn s6_a_token_is_not_shown() {
    assert_eq!(format!("{:?}", Token::from("secret")), "Token");
}

#[test]
fn whoever_waits_no_longer_is_told_that_the_server_goes_on() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = Server::at(url, "secret".into()).unwrap();
    let server = Server { agent: agent(Duration::from_millis(50)), ..server };
    // Requests are taken and never answered.
    let held = thread::spawn(move || listener.incoming().take(2).collect::<Vec<_>>());
    let done = server.post::<IgnoredAny>("/api/tasks/x/complete").unwrap_err();
    assert!(done.sentence().contains("has not answered yet"), "{done:?}");
    assert!(done.way_on().is_some_and(|way| way.contains("it goes on with this")), "{done:?}");
    let told = server.get::<IgnoredAny>("/api/tasks").unwrap_err();
    assert!(told.sentence().contains("is not answering"), "{told:?}");
    drop(held.join().unwrap());
}
