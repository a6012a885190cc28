//! `abide debug shell`, in a terminal of the test's own.

use model::TermSize;
use terminal::{HistoryLimit, Terminal};
use testkit::Program;

use crate::abide::ABIDE;

/// A shell script that runs in `abide debug shell`.
fn shell(script: &str) -> Program {
    Program::start(ABIDE, ["debug", "shell", "--", "sh", "-c", script], TermSize::clamped(40, 10))
}

/// The code with which such a script ends.
fn code(script: &str) -> Option<i32> {
    shell(script).wait_for_exit().code()
}

/// What a terminal shows after these bytes.
fn seen(output: &[u8]) -> Terminal {
    let mut terminal = Terminal::new(TermSize::clamped(40, 10), HistoryLimit { lines: 100, bytes: 1 << 20 });
    terminal.feed(output);
    terminal
}

#[test]
fn the_exit_code_is_the_programs() {
    assert_eq!(code("exit 7"), Some(7));
    assert_eq!(code("exit 0"), Some(0));
    assert_eq!(code("kill -TERM $$"), Some(128 + 15));
}

#[test]
fn a_program_that_cannot_start_exits_with_125() {
    let mut program =
        Program::start(ABIDE, ["debug", "shell", "--", "no-such-program"], TermSize::clamped(80, 24));
    program.wait_for("error: cannot start `no-such-program`: ");
    program.wait_for("hint: ");
    assert_eq!(program.wait_for_exit().code(), Some(125));
}

#[test]
fn the_last_output_of_a_program_is_shown() {
    let mut program = shell("i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo line $i; done; printf the-end");
    program.wait_for_exit();
    let expected: String = (1..=2000).map(|number| format!("line {number}\r\n")).collect();
    assert_eq!(String::from_utf8_lossy(program.output()), expected + "the-end");
}

#[test]
fn a_background_program_does_not_keep_the_shell_open() {
    assert_eq!(code("trap '' HUP; while echo still here; do :; done & exit 3"), Some(3));
}

#[test]
fn queries_pass_and_only_the_outer_terminal_answers() {
    let mut program = shell(r#"printf '\033[5nready'; read x; printf 'got <%s>' "$x""#);
    program.wait_for("\x1b[5nready");
    program.send(b"typed\r");
    program.wait_for("got <typed>");
    assert_eq!(program.wait_for_exit().code(), Some(0));
}

#[test]
fn the_program_follows_the_windows_size() {
    let mut program = shell("while :; do stty size; sleep 0.05; done");
    program.wait_for("10 40");
    program.resize(TermSize::clamped(61, 17));
    program.wait_for("17 61");
}

#[test]
fn ctrl_backslash_r_redraws_a_spoiled_screen_from_the_model() {
    let mut program = shell(r"printf '\033[31mred\033[0m\n\033[5;3Hthere\033[2;1H'; read x");
    program.wait_for("\x1b[2;1H");
    let before = program.output().to_vec();
    program.send(b"\x1cr");
    program.wait_until("the redrawn screen", |output| {
        let mut spoiled = seen(&before);
        spoiled.feed(b"\x1b[3;5H\x1b[44mnot there before\x1b[?25l\x1b[2;8r");
        spoiled.feed(&output[before.len()..]);
        spoiled.rows().eq(seen(&before).rows()) && spoiled.cursor() == seen(&before).cursor()
    });
    program.send(b"\r");
    program.wait_for_exit();
    assert!(!seen(program.output()).on_alternate_screen());
}

#[test]
fn a_redrawn_screen_stays_right_when_the_program_changes_screens() {
    let mut program = shell(
        r"printf before; read x; printf between; read x; printf '\033[?1049hother'; read x; printf '\033[?1049lafter'; read x",
    );
    program.wait_for("before");
    program.send(b"\x1cr");
    for text in ["between", "other", "after"] {
        program.send(b"\r");
        program.wait_for(text);
    }
    program.wait_until("all that is on the main screen", |output| {
        seen(output).text(0).split_whitespace().eq(["before", "between", "after"])
    });
}

#[test]
fn ctrl_backslash_q_hangs_up_and_leaves_a_usable_terminal() {
    let mut program = shell(r"printf '\033[>1u\033[?1049h\033[?25l\033[>1u\033[?1000hready'; read x");
    program.wait_for("ready");
    program.send(b"\x1cq");
    assert_eq!(program.wait_for_exit().code(), Some(128 + 1));
    let mut after = seen(program.output());
    after.feed(b"\x1b[?u");
    assert_eq!(String::from_utf8(after.take_replies()).unwrap(), "\x1b[?0u", "keys are sent plainly");
    assert!(!after.on_alternate_screen() && after.cursor().visible, "{}", program.output().escape_ascii());
}

#[test]
fn a_program_that_ignores_the_hang_up_is_killed() {
    let mut program = shell("trap '' HUP TERM; echo ready; while :; do read x; done");
    program.wait_for("ready");
    program.send(b"\x1cq");
    assert_eq!(program.wait_for_exit().code(), Some(128 + 9));
}

#[test]
fn the_outer_terminal_gets_its_settings_back() {
    let script =
        "before=$(stty -g); \"$0\" debug shell -- true; [ \"$(stty -g)\" = \"$before\" ] && echo the same";
    let mut program = Program::start("sh", ["-c", script, ABIDE], TermSize::clamped(40, 10));
    program.wait_for("the same");
}
