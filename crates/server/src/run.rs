//! The life of a server: take the lock, open the database, adopt workers, serve, end.

use std::future::Future;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agents::Agents;
use anyhow::{Context, Result};
use home::{Home, HomeError, PrivateError};
use jiff::Timestamp;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use store::{Database, OpenError};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::adopt::{adopt_all, notice_new_workers, settling};
use crate::app::{App, Parts};
use crate::changes::Changes;
use crate::faults::Faults;
use crate::gate::{Gate, RealClock, ServerKey};
use crate::inbox::{Answering, News, Nudging};
use crate::journal::Journal;
use crate::listen::{self, Limits, Listening};
use crate::live::Lives;
use crate::lock::ServerLock;
use crate::metrics::Metrics;
use crate::node::Node;
use crate::options::Options;
use crate::policy::Underway;
use crate::prompts::Prompting;
use crate::relay::{Keepalive, Relays};
use crate::stops::Stops;
use crate::tokens::{Place, Tokens};
use crate::watches::Watches;
use crate::{logging, router};

/// How long starts, setup commands and checkouts may go on after the server was told to stop. Then the server stops
/// them and undoes what they began.
const STOP_AFTER: Duration = Duration::from_secs(7);

/// How long any work may go on after the server was told to stop. The next server completes or undoes the rest, as it
/// does after a kill.
const LEAVE_WITHIN: Duration = Duration::from_secs(10);

/// Serves a data directory until a signal stops it. Once it can be reached, prints `ready` and a link on standard
/// output.
///
/// # Errors
///
/// When the server cannot start. Examples: another server runs, the address cannot be used, the database is from a
/// newer release.
pub fn run(options: Options) -> Result<()> {
    logging::begin();
    raise_limit();
    let given = Listening::given()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(options, given));
    // Do not wait for a git that hangs.
    runtime.shutdown_background();
    served
}

/// Raises the limit of open files: every viewer needs two.
fn raise_limit() {
    let files = getrlimit(Resource::Nofile);
    // If the limit cannot be raised, the server uses the current one.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
}

async fn serve(options: Options, given: Option<Listening>) -> Result<()> {
    // Listen for signals first: a program may send one as soon as it reads `ready`.
    let signals = Signals::listen().context("cannot listen for signals")?;
    let home = options.home.clone();
    let made = home.make();
    if let Err(error @ HomeError::Private(PrivateError::Foreign { .. })) = made {
        // The data directory belongs to another user, who could have put anything there.
        return Err(error.into());
    }
    let lock = ServerLock::take(&home)?;
    let listening = match given {
        Some(given) => given,
        None => Listening::at(options.listen)?,
    };
    let (listening, socket) = with_socket(listening, &lock);
    let (database, degraded) = open_database(&home, made.err().map(|error| error.to_string()))?;
    if let Some(reason) = &degraded {
        tracing::error!(reason, "the server cannot save anything");
        eprintln!("warning: the server cannot save anything: {reason}");
    }
    let changes = Arc::new(Changes::default());
    let noted = Arc::clone(&changes);
    database.on_change(move |owner, changed| noted.note(owner, changed));
    let clock = Arc::new(RealClock);
    let tokens = Tokens::new(Arc::new(database.clone()), clock.clone());
    let owner = tokens.owner(&home.token_file()).await.context("cannot make the owner's token")?;
    if let Place::Memory { .. } = owner.place {
        eprintln!(
            "warning: the server cannot save its token to a file, so other programs cannot find the token"
        );
    }
    let key = ServerKey::open(&home.root().join("server-key")).context("cannot make the server's key")?;
    if key.unsaved.is_some() {
        eprintln!(
            "warning: the server cannot save its key; browsers must sign in again when the server is restarted"
        );
    }
    let gate = Gate::new(listening.names(), tokens, clock).with(key.side, options.bearer_tokens);
    let (settling, settled) = settling();
    let node = Node::open(&home, options.workers).await;
    let node = node.map_err(|problem| anyhow::anyhow!(problem.error.message))?;
    let app = App::new(Parts {
        agents: read_agents(&home, &node)?,
        watches: Watches::default(),
        lives: Lives::new(node.clone(), Arc::clone(&changes)),
        changes,
        journal: Journal::new(epoch()?),
        metrics: Metrics::new(),
        gate: gate.clone(),
        url: listening.url(),
        socket: socket.then(|| home.server_socket()),
        keepalive: Keepalive { ping_interval: options.ping_interval, pong_timeout: options.pong_timeout },
        relays: Relays::default(),
        underway: Underway::default(),
        stops: Stops::default(),
        answering: Answering::default(),
        news: News::default(),
        prompting: Prompting::default(),
        stuck_after: options.stuck_after,
        nudging: Nudging::new(options.notify, options.notify_quiet),
        settled,
        faults: Faults::new(home.root()),
        node,
        database,
        degraded,
    });
    // Adopt workers before the first request, so that clients see their real state.
    adopt_all(&app, settling).await;
    tokio::spawn(logged("noticing new workers", notice_new_workers(app.clone())));
    tokio::spawn(app.clone().tell_changes());
    tokio::spawn(app.clone().keep_house());
    tokio::spawn(app.clone().settle_inbox());
    tokio::spawn(app.clone().notice_stuck());
    app.prompts().go_on().await;
    tokio::spawn(app.clone().nudge());
    let url = listening.url();
    let doors = listening.doors(Limits::of_this_process())?;
    if let Err(error) = lock.announce(&url, socket, env!("CARGO_PKG_VERSION")) {
        tracing::warn!(%error, "cannot write the server's note; other programs will not find the server");
    }
    let link = gate.link(app.owner())?;
    let code = link.url.split_once('#').map_or("", |(_, code)| code);
    let mut out = std::io::stdout();
    writeln!(out, "ready {url}/#{code}").and_then(|()| out.flush())?;
    let underway = app.parts().underway.clone();
    let (router, _, _) = router::router(underway.clone());
    let (told, is_told) = oneshot::channel();
    let stopping = app.clone();
    let until = async move {
        told_to_stop(stopping, signals).await;
        let _ = told.send(());
    };
    let served = async {
        listen::serve(doors, &gate, router.with_state(app.clone()), until).await?;
        // Finish the requests of clients that have disconnected too.
        underway.over().await;
        std::io::Result::Ok(())
    };
    let late = async {
        // The sender was dropped: serving has already ended.
        if is_told.await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(STOP_AFTER).await;
        app.faults().before_giving_up().await;
        app.stops().leave();
        app.faults().gave_up().await;
        tokio::time::sleep(LEAVE_WITHIN - STOP_AFTER).await;
    };
    tokio::select! {
        served = served => served?,
        () = late => tracing::warn!("some work is not finished; the next server completes or undoes it"),
    }
    drop(lock);
    Ok(())
}

/// Adds the server's socket, if there can be one. Called before any other thread makes files: while a socket is bound,
/// new files of the whole process have its mode.
fn with_socket(listening: Listening, lock: &ServerLock) -> (Listening, bool) {
    match lock.bind_socket() {
        Ok(socket) => (listening.and_socket(socket), true),
        Err(error) => {
            tracing::error!(%error, "cannot make the server's socket");
            eprintln!(
                "warning: the server cannot make its socket, so `abide` and agents cannot ask it: {error}"
            );
            (listening, false)
        }
    }
}

/// The signals that stop a server.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }
}

/// Waits for a signal to stop, and closes all sockets.
async fn told_to_stop(app: App, mut signals: Signals) {
    tokio::select! {
        _ = signals.terminate.recv() => {}
        _ = signals.interrupt.recv() => {}
    }
    app.relays().close_all().await;
}

/// Runs work that should never end, and logs its failure.
async fn logged(what: &'static str, work: impl Future<Output = std::io::Result<()>>) {
    if let Err(error) = work.await {
        tracing::error!(%error, "{what} failed");
    }
}

/// Opens the database. A damaged one is set aside, and a new one is filled from the workers' directories. If the disk
/// cannot be written to, uses a database in memory for as long as the server runs.
fn open_database(home: &Home, unfit: Option<String>) -> Result<(Database, Option<String>)> {
    if unfit.is_some() {
        return Ok((Database::in_memory(), unfit));
    }
    let path = home.root().join("abide.db");
    match Database::open(&path) {
        Ok(database) => Ok((database, None)),
        Err(OpenError::Corrupt { reason }) => {
            let aside =
                store::set_aside(&path, Timestamp::now()).context("cannot set the damaged database aside")?;
            tracing::error!(reason, aside = %aside.display(), "the database was damaged");
            eprintln!(
                "warning: the database was damaged; abide moved it to `{}` and made a new one: {reason}",
                aside.display()
            );
            Ok((Database::open(&path)?, None))
        }
        Err(OpenError::Unavailable { reason }) => Ok((Database::in_memory(), Some(reason.to_string()))),
        Err(error) => Err(anyhow::Error::from(error).context("cannot open the database")),
    }
}

fn read_agents(home: &Home, node: &Node) -> Result<Agents> {
    let path = home.root().join("agents.toml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    };
    let agents = Agents::load(text.as_deref()).with_context(|| in_file(&path))?;
    Ok(agents.with_login_shell(&node.login_shell()))
}

fn in_file(path: &Path) -> String {
    format!("in `{}`", path.display())
}

fn epoch() -> Result<String> {
    Ok(model::TokenId::from_random(home::random_bytes()?).to_string())
}
