//! Other users of the machine, without a token.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::geteuid;
use testkit::skip;

use super::line::Line;
use crate::house::House;
use crate::server::Server;

/// A user that owns nothing.
const NOBODY: u32 = 65_534;

/// More connections than the server keeps without a secret.
const MANY: usize = 200;

/// Another user's process that holds connections to a port, until it is dropped.
pub(super) struct Stranger(Child);

impl Stranger {
    pub(super) fn with_connections(port: &str, many: usize) -> Stranger {
        let script = format!(
            "for i in $(seq {many}); do exec {{fd}}<>/dev/tcp/127.0.0.1/{port}; done; echo open; read x"
        );
        let mut command = Command::new("bash");
        command.args(["-c", &script]).current_dir("/").uid(NOBODY).gid(NOBODY);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("bash runs as another user");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("its output");
        assert_eq!(line, "open\n");
        Stranger(child)
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // At the end of its input it ends.
        drop(self.0.stdin.take().map(|mut input| input.write_all(b"\n")));
        let _ = self.0.wait();
    }
}

#[test]
fn s19_another_users_connections_do_not_push_out_a_slow_one_of_the_owner() {
    if !geteuid().is_root() {
        return skip("only root can start a process of another user");
    }
    let house = House::new();
    let server = Server::start(&house);
    let port = server.authority().rsplit(':').next().expect("a port");
    let mut slow = Line::open(&server);
    slow.begin();
    let _stranger = Stranger::with_connections(port, MANY);
    // The server has accepted all of these before this one.
    let mut quick = Line::open(&server);
    quick.begin();
    quick.finish();
    assert_eq!(quick.status(), 200);
    slow.finish();
    assert_eq!(slow.status(), 200, "the connection of the server's own user was pushed out");
}
