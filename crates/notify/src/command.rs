//! Hands a nudge to a program. It gets the facts as JSON on its standard input and in its environment, and no argument:
//! other users can read arguments, and no shell reads the agent's words.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use model::display_safe;
use rustix::process::{Pid, Signal, kill_process_group};
use system::Process;

use crate::{Nudge, NudgeError, PATIENCE};

pub(crate) fn run(program: &Path, nudge: &Nudge) -> Result<(), NudgeError> {
    let command = display_safe(&program.display().to_string());
    let failed = |error: std::io::Error| NudgeError::CannotStart {
        command: command.clone(),
        reason: display_safe(&error.to_string()),
    };
    let mut child = Command::new(program)
        .envs(facts(nudge))
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let deadline = Instant::now() + PATIENCE;
    // A nudge fits into a pipe, so this does not wait. A program need not read it.
    let _ = child.stdin.take().map(|mut input| input.write_all(nudge.json().as_bytes()));
    let ends_in_time = Process::open(child.id()).and_then(|process| process.ends_before(Some(deadline)));
    if !ends_in_time.unwrap_or(false) {
        end(&mut child);
        return Err(NudgeError::TooSlow { destination: format!("`{command}`") });
    }
    let status = child.wait().map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    Err(NudgeError::Failed { command, status: status.to_string() })
}

/// Ends a program and what it started. Nothing has waited for it yet, so its number is its own.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// The facts that a short script needs. The rest is in the JSON.
fn facts(nudge: &Nudge) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("ABIDE_NUDGE_TITLE", nudge.title.clone()),
        ("ABIDE_NUDGE_TEXT", nudge.text.clone()),
        ("ABIDE_NUDGE_COUNT", nudge.count.to_string()),
    ];
    if let [one] = nudge.waiting.as_slice() {
        facts.push(("ABIDE_NUDGE_REASON", one.reason.as_str().to_owned()));
        facts.push(("ABIDE_NUDGE_WORKER", one.worker.clone()));
        facts.push(("ABIDE_NUDGE_WORKER_ID", one.worker_id.to_string()));
        facts.push(("ABIDE_NUDGE_WORDS", one.words.as_deref().unwrap_or_default().to_owned()));
    }
    facts
}

#[cfg(test)]
mod tests {
    use std::fs;

    use testkit::write_executable;

    use super::*;
    use crate::nudge::tests::waiting;

    fn ran(script: &str, nudge: &Nudge) -> (Result<(), NudgeError>, String) {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("tell");
        let out = dir.path().join("out");
        write_executable(&program, &format!("#!/bin/sh\nout='{}'\n{script}\n", out.display()));
        let ran = run(&program, nudge);
        (ran, fs::read_to_string(out).unwrap_or_default())
    }

    #[test]
    fn a_program_gets_the_facts_and_no_argument() {
        let words = "$(touch x); `id` 'and' \"more\"";
        let (ran, out) = ran(
            r#"{ echo "$#"; echo "$ABIDE_NUDGE_WORDS"; echo "$ABIDE_NUDGE_REASON"; cat; } >"$out""#,
            &Nudge::of(vec![waiting(words)]),
        );
        assert_eq!(ran, Ok(()));
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[..3], ["0", words, "asking"]);
        let facts: serde_json::Value = serde_json::from_str(lines[3]).unwrap();
        assert_eq!(facts["waiting"][0]["words"], words);
        assert_eq!(facts["title"], "claude asks");
    }

    #[test]
    fn a_program_need_not_read_and_its_failure_is_told() {
        assert_eq!(ran("exec <&-", &Nudge::test()).0, Ok(()));
        let failed = ran("exit 3", &Nudge::test()).0.unwrap_err().to_string();
        assert!(failed.ends_with("ended with exit status: 3"), "{failed}");
        let missing = run(Path::new("/no/such/program"), &Nudge::test()).unwrap_err().to_string();
        assert!(missing.starts_with("cannot start `/no/such/program`"), "{missing}");
    }
}
