//! Tells the server that there is a new event. What the event says, the server reads from the worker's directory.

use std::env;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::sockopt::{self, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use system::descriptors::ShortPath;

/// A server that does not answer within this time is stopped or very busy. It reads the event later.
const ANSWERS_WITHIN: Duration = Duration::from_millis(300);

/// The server's socket and the worker's own token are in the environment, where other users cannot see them.
pub(crate) fn the_server() {
    let (Some(socket), Ok(token), Ok(worker)) =
        (env::var_os("ABIDE_SOCKET"), env::var("ABIDE_TOKEN"), env::var("ABIDE_WORKER"))
    else {
        return;
    };
    // Without a server there is nothing to do.
    let _ = send(Path::new(&socket), &token, &worker);
}

fn send(socket: &Path, token: &str, worker: &str) -> std::io::Result<()> {
    let short = ShortPath::of(socket)?;
    let stream = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&stream, sockopt::Timeout::Send, Some(ANSWERS_WITHIN))?;
    connect(&stream, &SocketAddrUnix::new(short.as_path())?)?;
    let mut stream = UnixStream::from(stream);
    if !system::peers::is_this_user(&stream)? {
        return Ok(());
    }
    let request = format!(
        "POST /api/workers/{worker}/hooks HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\nContent-Length: 0\r\n\r\n"
    );
    stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
    stream.write_all(request.as_bytes())?;
    stream.read(&mut [0; 64]).map(drop)
}
