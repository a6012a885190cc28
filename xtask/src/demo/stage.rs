//! A shell in a worker, and a script that types into it as a person would.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, id};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// The worker's name, which is the title of the picture.
const WORKER: &str = "abide";

/// The time between two typed keys.
const KEY: Duration = Duration::from_millis(45);

/// How long a typed line is looked at before Enter.
const BEFORE_ENTER: Duration = Duration::from_millis(350);

/// Between a shell's answer and the next line.
const QUIET_MS: &str = "900";

/// What runs in the worker that the demo starts.
const TESTS: &str = include_str!("tests.sh");

/// Both data directories, and the shell.
pub(super) struct Stage {
    abide: PathBuf,
    /// Removed in the end.
    dir: PathBuf,
}

impl Stage {
    /// Starts the shell.
    pub(super) fn open(abide: PathBuf) -> Result<Stage> {
        let dir = env::temp_dir().join(format!("abide-demo-{}", id()));
        DirBuilder::new()
            .mode(0o700)
            .create(&dir)
            .with_context(|| format!("cannot make {}", dir.display()))?;
        let stage = Stage { abide, dir };
        let tests = stage.dir.join("tests.sh");
        fs::write(&tests, TESTS)?;
        fs::set_permissions(&tests, fs::Permissions::from_mode(0o755))?;
        let rc = stage.dir.join("rc");
        let programs = stage.abide.parent().context("abide is in a directory")?;
        let set_up = format!(
            "export ABIDE_HOME='{}' PATH='{}':\"$PATH\" LANG=C.UTF-8\nunset HISTFILE\n\
             PS1='\\[\\e[1;36m\\]\u{276f}\\[\\e[m\\] '\ncd \"$HOME\"\n",
            stage.inner().display(),
            programs.display(),
        );
        fs::write(&rc, set_up)?;
        let home = format!("HOME={}", stage.dir.display());
        let rc = rc.as_os_str();
        let new =
            ["new", "-d", "--name", WORKER, "--size", "90x24", "--env", &home, "--", "bash", "--noprofile"];
        let shell = ["--rcfile".as_ref(), rc, "-i".as_ref()];
        stage.abide(new.iter().map(OsStr::new).chain(shell), "")?;
        Ok(stage)
    }

    /// Types a line when the shell is quiet, and enters it.
    pub(super) fn types(&mut self, line: &str) -> Result<()> {
        self.abide(["wait", WORKER, "--quiet", QUIET_MS, "--timeout", "60"], "")?;
        for letter in line.chars() {
            self.presses(letter.encode_utf8(&mut [0; 4]))?;
            sleep(KEY);
        }
        sleep(BEFORE_ENTER);
        self.presses("\r")
    }

    /// Presses keys at once.
    pub(super) fn presses(&mut self, keys: &str) -> Result<()> {
        self.abide(["send", WORKER, "-"], keys)
    }

    /// Waits until a text that matches is on the screen.
    pub(super) fn sees(&mut self, text: &str) -> Result<()> {
        self.abide(["wait", WORKER, "--text", text, "--timeout", "60"], "")
    }

    /// Leaves the screen as it is for so long.
    pub(super) fn looks(&mut self, ms: u64) -> Result<()> {
        sleep(Duration::from_millis(ms));
        Ok(())
    }

    /// Writes the picture, and says how large it is.
    pub(super) fn export(&mut self, to: &Path) -> Result<u64> {
        let path = to.as_os_str();
        let export = ["export", WORKER, "--format", "svg", "--frame", "--idle-limit", "1500ms", "-o"];
        self.abide(export.iter().map(OsStr::new).chain([path]), "")?;
        fs::set_permissions(to, fs::Permissions::from_mode(0o644))?;
        Ok(fs::metadata(to)?.len())
    }

    fn inner(&self) -> PathBuf {
        self.dir.join("inner")
    }

    fn outer(&self) -> PathBuf {
        self.dir.join("outer")
    }

    /// Runs abide on the worker that is recorded.
    fn abide<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>, input: &str) -> Result<()> {
        let mut abide = Command::new(&self.abide);
        abide.args(arguments).env("ABIDE_HOME", self.outer()).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut running = abide.spawn().context("cannot run abide")?;
        running.stdin.take().context("abide has an input")?.write_all(input.as_bytes())?;
        let status = running.wait()?;
        ensure!(status.success(), "{abide:?}: {status}");
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // The worker that the demo starts has ended by then, unless the demo did not come to its end.
        for (home, worker) in [(self.inner(), "tests"), (self.outer(), WORKER)] {
            let mut kill = Command::new(&self.abide);
            let _ = kill.args(["kill", worker]).env("ABIDE_HOME", home).stderr(Stdio::null()).status();
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}
