//! What the relay costs: the echo of a key over a raw PTY, over a host's socket and over a WebSocket, and a flood for ten
//! viewers on sockets and on WebSockets. All in one run, in turns, so that ratios hold on a noisy machine.
//!
//! `relay_bench ABIDE [--quick]`, where ABIDE is the program; prints `key value` lines for `cargo xtask bench server`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use model::WorkerId;
use protocol::{Attach, Decoder, HostMessage, ViewerMessage};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};
use viewer::Connection;

/// The child: what is typed comes back as it is.
const ECHO: &str = "stty raw -echo; exec cat";

/// How many viewers watch the flood.
const VIEWERS: usize = 10;

/// Echoes that are not counted, until everything is warm.
const WARM: usize = 200;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let abide = arguments.next().context("usage: relay_bench ABIDE [--quick]")?;
    let quick = arguments.next().is_some_and(|word| word == "--quick");
    let (rounds, echoes, megabytes) = if quick { (3, 200, 20) } else { (8, 1000, 200) };
    let server = Server::start(Path::new(&abide))?;
    echo(&server, rounds, echoes)?;
    flood(&server, megabytes)
}

/// A server of its own, in a data directory of its own.
struct Server {
    process: Child,
    home: tempfile::TempDir,
    url: String,
    token: String,
    agent: ureq::Agent,
}

impl Server {
    fn start(abide: &Path) -> Result<Server> {
        let home = tempfile::tempdir()?;
        let mut process = Command::new(abide)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .env("ABIDE_HOME", home.path())
            .env("ABIDE_KEEPER", "false")
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        let url = line.strip_prefix("ready ").and_then(|rest| rest.split_once("/#")).context("not ready")?.0;
        let token = fs::read_to_string(home.path().join("token"))?.trim().to_owned();
        let agent = ureq::Agent::config_builder().proxy(None).build().into();
        Ok(Server { process, url: url.to_owned(), home, token, agent })
    }

    /// Starts a worker that runs a script.
    fn worker(&self, script: &str) -> Result<WorkerId> {
        let post = |path: String, body: Value| -> Result<Value> {
            let request = self.agent.post(format!("{}{path}", self.url));
            let mut answer =
                request.header("authorization", format!("Bearer {}", self.token)).send_json(&body)?;
            Ok(answer.body_mut().read_json()?)
        };
        let session = post("/api/sessions".into(), json!({"type": "quick", "locationPath": "/"}))?;
        let session = session["session"]["id"].as_str().context("no session")?.to_owned();
        let command = json!({"type": "terminal", "command": ["sh", "-c", script]});
        let worker = post(format!("/api/sessions/{session}/workers"), command)?;
        Ok(worker["worker"]["id"].as_str().context("no worker")?.parse()?)
    }

    fn direct(&self, worker: WorkerId, attach: &Attach) -> Result<Direct> {
        let dir = home::Home::at(self.home.path()).worker(worker);
        let (connection, _) = viewer::attach(&dir.socket(), attach.clone())?;
        Ok(Direct(connection))
    }

    fn socket(&self, worker: WorkerId, attach: &Attach) -> Result<Web> {
        let authority = self.url.strip_prefix("http://").context("an address")?;
        let mut request = format!("ws://{authority}/api/workers/{worker}/attach").into_client_request()?;
        request.headers_mut().insert("authorization", format!("Bearer {}", self.token).parse()?);
        let stream = TcpStream::connect(authority)?;
        stream.set_nodelay(true)?;
        let (mut socket, _) = tungstenite::client(request, stream)?;
        socket.send(Message::binary(ViewerMessage::Attach(attach.clone()).to_bytes()))?;
        Ok(Web(socket))
    }

    /// Seconds of processor time that the server has had.
    fn cpu(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields: Vec<&str> = stat.rsplit_once(')').context("stat")?.1.split_whitespace().collect();
        let ticks = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
        Ok(ticks / 100.0)
    }

    fn rss_mb(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for dir in home::Home::at(self.home.path()).worker_dirs().unwrap_or_default() {
            if let Some(identity) = dir.identity() {
                let _ = identity.signal(rustix::process::Signal::TERM);
            }
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Something that a key is typed into, and that shows its echo.
trait Echo {
    fn key(&mut self) -> Result<()>;
}

struct Raw {
    terminal: File,
    child: Child,
}

impl Raw {
    fn start() -> Result<Raw> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let terminal = openpt(flags)?;
        grantpt(&terminal)?;
        unlockpt(&terminal)?;
        let inside = ioctl_tiocgptpeer(&terminal, flags)?;
        let child = Command::new("setsid")
            .args(["--ctty", "sh", "-c", ECHO])
            .stdin(inside.try_clone()?)
            .stdout(inside.try_clone()?)
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Raw { terminal: File::from(terminal), child })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Echo for Raw {
    fn key(&mut self) -> Result<()> {
        let mut byte = [0];
        self.terminal.write_all(b"x")?;
        Ok(self.terminal.read_exact(&mut byte)?)
    }
}

struct Direct(Connection);

impl Direct {
    fn receive(&mut self) -> Result<HostMessage> {
        self.0.receive()?.context("the host left")
    }
}

impl Echo for Direct {
    fn key(&mut self) -> Result<()> {
        self.0.send(&ViewerMessage::Input(b"x".to_vec()))?;
        while !matches!(self.receive()?, HostMessage::Output { .. }) {}
        Ok(())
    }
}

struct Web(WebSocket<TcpStream>);

impl Web {
    fn receive(&mut self) -> Result<HostMessage> {
        loop {
            if let Message::Binary(bytes) = self.0.read()? {
                let mut decoder = Decoder::default();
                decoder.push(&bytes);
                let frame = decoder.next_frame()?.context("half a frame")?;
                if let Some(message) = HostMessage::read(frame)? {
                    return Ok(message);
                }
            }
        }
    }
}

impl Echo for Web {
    fn key(&mut self) -> Result<()> {
        self.0.send(Message::binary(ViewerMessage::Input(b"x".to_vec()).to_bytes()))?;
        while !matches!(self.receive()?, HostMessage::Output { .. }) {}
        Ok(())
    }
}

fn attach() -> Attach {
    Attach::full("bench")
}

fn echo(server: &Server, rounds: usize, echoes: usize) -> Result<()> {
    let worker = server.worker(ECHO)?;
    // Once for each viewer, or the echo of one would be heard by the other.
    let other = server.worker(ECHO)?;
    thread::sleep(Duration::from_millis(500));
    let mut ways: Vec<(&str, Box<dyn Echo>, Vec<f64>)> = vec![
        ("raw", Box::new(Raw::start()?), Vec::new()),
        ("direct", Box::new(server.direct(worker, &attach())?), Vec::new()),
        ("websocket", Box::new(server.socket(other, &attach())?), Vec::new()),
    ];
    thread::sleep(Duration::from_millis(500));
    for (_, way, _) in &mut ways {
        for _ in 0..WARM {
            way.key()?;
        }
    }
    for _ in 0..rounds {
        for (_, way, times) in &mut ways {
            for _ in 0..echoes {
                let started = Instant::now();
                way.key()?;
                times.push(started.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    for (name, _, times) in &mut ways {
        times.sort_by(f64::total_cmp);
        println!("echo_{name}_p50_us {:.1}", times[times.len() / 2]);
        println!("echo_{name}_p99_us {:.1}", times[times.len() * 99 / 100]);
    }
    Ok(())
}

/// What a viewer saw of a flood.
fn drain(mut next: impl FnMut() -> Result<HostMessage>) -> Result<u64> {
    let mut bytes = 0;
    loop {
        match next()? {
            HostMessage::Output { bytes: output, .. } => bytes += output.len() as u64,
            HostMessage::Exited(_) => return Ok(bytes),
            _ => {}
        }
    }
}

fn flood(server: &Server, megabytes: u64) -> Result<()> {
    let line =
        "a line of ordinary text, as compilers and tests print it, about a hundred columns wide; and so on";
    let script = format!("read go; yes '{line}' | head -c {megabytes}000000");
    for (name, is_web) in [("direct", false), ("websocket", true)] {
        let worker = server.worker(&script)?;
        let ready = Barrier::new(VIEWERS + 1);
        let before = server.cpu()?;
        let (seconds, seen) = thread::scope(|scope| -> Result<_> {
            let viewers: Vec<_> = (0..VIEWERS)
                .map(|_| {
                    scope.spawn(|| -> Result<u64> {
                        let watch = Attach { read_only: true, ..attach() };
                        if is_web {
                            let mut viewer = server.socket(worker, &watch)?;
                            ready.wait();
                            drain(|| viewer.receive())
                        } else {
                            let mut viewer = server.direct(worker, &watch)?;
                            ready.wait();
                            drain(|| viewer.receive())
                        }
                    })
                })
                .collect();
            ready.wait();
            let mut typist = server.direct(worker, &attach())?;
            let started = Instant::now();
            typist.0.send(&ViewerMessage::Input(b"\r".to_vec()))?;
            drop(typist);
            let seen: Vec<u64> = viewers
                .into_iter()
                .map(|viewer| viewer.join().map_err(|_| anyhow::anyhow!("a viewer failed"))?)
                .collect::<Result<_>>()?;
            Ok((started.elapsed().as_secs_f64(), seen))
        })?;
        ensure!(seen.len() == VIEWERS, "viewers are missing");
        let mean = seen.iter().sum::<u64>() as f64 / VIEWERS as f64 / 1e6;
        println!("flood_{name}_mb_per_s {:.1}", megabytes as f64 / seconds);
        println!("flood_{name}_seen_share {:.2}", mean / megabytes as f64);
        if is_web {
            let gigabytes = seen.iter().sum::<u64>() as f64 / 1e9;
            println!("flood_server_cpu_s_per_gb_sent {:.2}", (server.cpu()? - before) / gigabytes);
            println!("flood_server_rss_mb {:.0}", server.rss_mb()?);
        }
    }
    Ok(())
}
