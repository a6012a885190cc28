//! A server's life: locked, opened, adopted, served, ended.

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
use store::{OpenError, Store};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::app::{App, Parts, blocking};
use crate::changes::Changes;
use crate::gate::{Gate, RealPace};
use crate::hosts::{Hosts, Reaper, Watches, adopt_all, notice_new_workers};
use crate::journal::Journal;
use crate::listen::{self, Limits, Listening};
use crate::live::Lives;
use crate::lock::ServerLock;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::policy::Underway;
use crate::relay::{Keepalive, Relays};
use crate::tokens::{Place, Tokens};
use crate::{logging, router, troubles};

/// What is under way when the server is told to stop has this long. The next server completes or undoes what takes longer,
/// as it does after a kill.
const LEAVE_WITHIN: Duration = Duration::from_secs(10);

/// Serves a data directory until it is told to stop. Says `ready` and a link on standard output when it can be reached.
///
/// # Errors
///
/// When it cannot: another server runs, the address cannot be used, the database is from a newer release.
pub fn run(options: Options) -> Result<()> {
    logging::begin();
    raise_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(options));
    // A git that hangs is not waited for.
    runtime.shutdown_background();
    served
}

/// As many descriptors as there may be: every viewer takes two.
fn raise_limit() {
    let files = getrlimit(Resource::Nofile);
    // Whoever may not have more lives with what there is.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
}

async fn serve(options: Options) -> Result<()> {
    // From the first moment on: whoever is told that we are ready may tell us to stop.
    let signals = Signals::listen().context("signals cannot be heard")?;
    let home = options.home.clone();
    let made = home.make();
    if let Err(error @ HomeError::Private(PrivateError::Foreign { .. })) = made {
        // Whoever owns it could have put anything there.
        return Err(error.into());
    }
    let lock = ServerLock::take(&home)?;
    let listening = Listening::at(options.listen)?;
    let (store, degraded) = open_store(&home, made.err().map(|error| error.to_string()))?;
    if let Some(reason) = &degraded {
        tracing::error!(reason, "nothing can be saved");
        eprintln!("warning: nothing can be saved: {reason}");
    }
    let store = Arc::new(store);
    let pace = Arc::new(RealPace);
    let tokens = Tokens::new(store.clone(), pace.clone());
    let owner = tokens.owner(&home.root().join("token")).await.context("cannot make the owner's token")?;
    if let Place::Memory { .. } = owner.place {
        eprintln!("warning: the token is not in a file, since nothing can be saved; programs cannot find it");
    }
    let gate = Gate::new(listening.names(), tokens, pace);
    let app = App::new(Parts {
        git: find_git(&home).await?,
        agents: read_agents(&home)?,
        hosts: Hosts::new(home.clone(), options.workers, Reaper::new()),
        watches: Watches::default(),
        lives: Lives::default(),
        changes: Changes::default(),
        journal: Journal::new(epoch()?),
        metrics: Metrics::new(),
        gate: gate.clone(),
        url: listening.url(),
        keepalive: Keepalive { ping_interval: options.ping_interval, pong_timeout: options.pong_timeout },
        relays: Relays::default(),
        underway: Underway::default(),
        home,
        store,
        degraded,
    });
    // Before anybody is let in: what they see must be how it is.
    adopt_all(&app).await;
    tokio::spawn(logged("noticing new workers", notice_new_workers(app.clone())));
    tokio::spawn(app.clone().tell_changes());
    tokio::spawn(app.clone().keep_house());
    let url = listening.url();
    let doors = listening.doors(Limits::default().within(getrlimit(Resource::Nofile).current))?;
    if let Err(error) = lock.announce(&url, env!("CARGO_PKG_VERSION")) {
        tracing::warn!(%error, "programs will not find the server by themselves");
    }
    let link = gate.link()?;
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
        // What somebody asked for who has left since is done as well.
        underway.over().await;
        std::io::Result::Ok(())
    };
    let late = async {
        // Nobody tells who serves no longer.
        if is_told.await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(LEAVE_WITHIN).await;
    };
    tokio::select! {
        served = served => served?,
        () = late => tracing::warn!("something is still under way; the next server sees to it"),
    }
    drop(lock);
    Ok(())
}

/// How a server is told to stop.
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

/// Comes to an end when somebody wants the server to, after its sockets were told.
async fn told_to_stop(app: App, mut signals: Signals) {
    tokio::select! {
        _ = signals.terminate.recv() => {}
        _ = signals.interrupt.recv() => {}
    }
    app.relays().close_all().await;
}

/// Runs something for ever, and says so when that was not for ever.
async fn logged(what: &'static str, work: impl Future<Output = std::io::Result<()>>) {
    if let Err(error) = work.await {
        tracing::error!(%error, "{what} fails");
    }
}

/// Opens the database. One that is damaged is set aside, and made anew from the workers' directories; where nothing can
/// be written, there is one in memory for as long as the server runs.
fn open_store(home: &Home, unfit: Option<String>) -> Result<(Store, Option<String>)> {
    if unfit.is_some() {
        return Ok((Store::in_memory(), unfit));
    }
    let path = home.root().join("abide.db");
    match Store::open(&path) {
        Ok(store) => Ok((store, None)),
        Err(OpenError::Corrupt { reason }) => {
            let aside =
                store::set_aside(&path, Timestamp::now()).context("cannot set the damaged database aside")?;
            tracing::error!(reason, aside = %aside.display(), "the database was damaged");
            eprintln!("warning: the database was damaged and is now `{}`: {reason}", aside.display());
            Ok((Store::open(&path)?, None))
        }
        Err(OpenError::Unavailable { reason }) => Ok((Store::in_memory(), Some(reason.to_string()))),
        Err(error) => Err(anyhow::Error::from(error).context("cannot open the database")),
    }
}

async fn find_git(home: &Home) -> Result<Result<git::Git, api::Problem>> {
    let locks = home.root().join("git");
    let found = blocking(move || git::Git::find().map(|git| git.with_locks(locks))).await;
    let found = found.map_err(|problem| anyhow::anyhow!(problem.error.message))?;
    Ok(found.map_err(|error| troubles::of_git(&error)))
}

fn read_agents(home: &Home) -> Result<Agents> {
    let path = home.root().join("agents.toml");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    };
    let agents = Agents::load(text.as_deref()).with_context(|| in_file(&path))?;
    Ok(agents.with_login_shell(&home::login_shell().to_string_lossy()))
}

fn in_file(path: &Path) -> String {
    format!("in `{}`", path.display())
}

fn epoch() -> Result<String> {
    Ok(model::TokenId::from_random(home::random_bytes()?).to_string())
}
