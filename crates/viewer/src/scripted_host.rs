//! A host that gives one answer, for tests.

use std::io::Write;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use protocol::{Decoder, HostMessage, ViewerMessage};

use crate::test_dir::TestDir;

/// A listening socket behind which the first viewer is given one answer.
pub(crate) struct ScriptedHost {
    path: PathBuf,
    thread: JoinHandle<ViewerMessage>,
    _dir: TestDir,
}

impl ScriptedHost {
    pub(crate) fn answering(test: &str, answer: HostMessage) -> ScriptedHost {
        let dir = TestDir::new(test);
        let path = dir.path().join("sock");
        let listener = UnixListener::bind(&path).expect("a socket");
        let thread = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a viewer");
            let question = read_question(&stream);
            stream.write_all(&answer.to_bytes()).expect("a viewer that listens");
            question
        });
        ScriptedHost { path, thread, _dir: dir }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the viewer said.
    pub(crate) fn question(self) -> ViewerMessage {
        self.thread.join().expect("a host without trouble")
    }
}

fn read_question(mut stream: impl std::io::Read) -> ViewerMessage {
    let mut decoder = Decoder::default();
    let mut buffer = [0; 4096];
    loop {
        if let Some(frame) = decoder.next_frame().expect("frames") {
            return ViewerMessage::read(frame).expect("a message").expect("a known message");
        }
        let length = stream.read(&mut buffer).expect("bytes");
        assert!(length > 0, "the viewer left without a question");
        decoder.push(&buffer[..length]);
    }
}
