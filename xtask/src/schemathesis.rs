//! `cargo xtask schemathesis`: a program reads the description of the API and checks that the server keeps it.
//!
//! It sends what the description allows and what it does not, and looks whether each answer is one that is described.
//! Needs Python, and once the network to install the program.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::house::House;
use crate::tools;

/// The release that we know the findings of.
const RELEASE: &str = "4.32.5";

/// How many requests there are for each operation, unless more are asked for.
const EXAMPLES: [&str; 2] = ["--max-examples", "50"];

/// An agent that costs nothing.
const AGENTS: &str = r#"
[[agent]]
id = "fake"
name = "Fake"
command = ["sh", "-c", "echo told; read x"]
prompt = ["{prompt}"]
"#;

/// Starts a server with something in it, and holds it to `docs/openapi.json`.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let schemathesis = install(house)?;
    let abide = house.build_abide()?;
    let place = Place::new()?;
    let served = Served::start(house, &abide, &place)?;
    served.fill(house)?;
    let token = fs::read_to_string(place.home().join("token")).context("the server has no token")?;
    let mut run = Command::new(&schemathesis);
    // What it writes down is put where it is.
    run.current_dir(house.target.join("schemathesis"));
    run.arg("--config-file").arg(house.root.join("xtask/schemathesis.toml"));
    run.arg("run").arg(house.root.join("docs/openapi.json")).arg("--no-color");
    run.args(["--generation-database", "none"]).args(EXAMPLES).args(arguments);
    run.env("ABIDE_URL", &served.url).env("ABIDE_TOKEN", token.trim());
    let held = run.status().context("cannot run schemathesis")?.success();
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Installs the program beside what cargo builds, unless it is there.
fn install(house: &House) -> Result<PathBuf> {
    let directory = house.target.join("schemathesis").join(RELEASE);
    let program = directory.join("bin/schemathesis");
    if program.exists() {
        return Ok(program);
    }
    tools::ensure("python3", "python3 python3-venv").map_err(anyhow::Error::msg)?;
    let succeeds = |command: &mut Command| -> Result<()> {
        let status = command.status().context("cannot run Python")?;
        ensure!(status.success(), "schemathesis cannot be installed; the words above say why");
        Ok(())
    };
    succeeds(house.program("python3").args(["-m", "venv"]).arg(&directory))?;
    let pip = directory.join("bin/pip");
    succeeds(house.program(pip).args(["install", "--quiet", &format!("schemathesis=={RELEASE}")]))?;
    Ok(program)
}

/// A directory that goes when it is dropped.
struct Place(PathBuf);

impl Place {
    fn new() -> Result<Place> {
        let path = env::temp_dir().join(format!("abide-schemathesis-{}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot make `{}`", path.display()))?;
        Ok(Place(path))
    }

    /// The data directory.
    fn home(&self) -> PathBuf {
        self.0.join("data")
    }

    /// A program in an environment that knows nothing of ours.
    fn settle(&self, command: &mut Command) {
        command.env_clear().current_dir(&self.0).env("PATH", env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.0).env("ABIDE_HOME", self.home()).env("SHELL", "/bin/sh");
        command.env("ABIDE_KEEPER", "false").env("GIT_CONFIG_NOSYSTEM", "1").env("LANG", "C.UTF-8");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A server, and the workers that it starts. All go when it is dropped.
struct Served<'p> {
    place: &'p Place,
    abide: PathBuf,
    process: Child,
    url: String,
}

impl<'p> Served<'p> {
    fn start(house: &House, abide: &Path, place: &'p Place) -> Result<Served<'p>> {
        fs::create_dir(place.home()).context("cannot make the data directory")?;
        fs::write(place.home().join("agents.toml"), AGENTS).context("cannot write the agents")?;
        let mut serve = house.program(abide);
        place.settle(serve.args(["serve", "--listen", "127.0.0.1:0"]));
        let mut process = serve.stdout(Stdio::piped()).spawn().context("cannot run abide")?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut line).context("the server says nothing")?;
        }
        let Some((url, _)) = line.strip_prefix("ready ").and_then(|rest| rest.split_once("/#")) else {
            bail!("the server did not start");
        };
        Ok(Served { place, abide: abide.to_owned(), process, url: url.to_owned() })
    }

    /// Puts a repository and a task with a running agent into it, so that there is something to be found.
    fn fill(&self, house: &House) -> Result<()> {
        let repository = self.place.0.join("repository");
        let git = |arguments: &[&str]| self.run(house, "git".as_ref(), arguments);
        git(&["init", "--quiet", "--initial-branch=main", "repository"])?;
        let repository = repository.to_str().context("the temporary directory's name is no text")?;
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
        let commit = ["commit", "--quiet", "--allow-empty", "--message", "first"];
        git(&[&["-C", repository], &identity[..], &commit[..]].concat())?;
        let abide = |arguments: &[&str]| self.run(house, self.abide.as_ref(), arguments);
        abide(&["repo", "add", repository])?;
        abide(&["task", "add", "A task", "--repo", repository, "--agent", "fake", "--start"])
    }

    fn run(&self, house: &House, program: &OsStr, arguments: &[&str]) -> Result<()> {
        let mut command = house.program(program);
        self.place.settle(command.args(arguments));
        let status = command.stdout(Stdio::null()).status().context("cannot prepare the server")?;
        ensure!(status.success(), "`{} {}` failed", program.display(), arguments.join(" "));
        Ok(())
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let workers = fs::read_dir(self.place.home().join("workers")).into_iter().flatten().flatten();
        let mut remove = Command::new(&self.abide);
        self.place.settle(remove.args(["rm", "--force"]).args(workers.map(|worker| worker.file_name())));
        let _ = remove.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}
