//! What the terminal model found, in the words of the protocol.

use protocol::{Activity, ProgramReport, SignalMessage};
use terminal::{BlockedOn, ProgramState, Progress, PromptMark, Signal, Terminal};

/// A signal as viewers are told of it.
pub(crate) fn signal(signal: Signal) -> SignalMessage {
    match signal {
        Signal::Title(text) => SignalMessage::Title { text },
        Signal::Cwd(text) => SignalMessage::Cwd { text },
        Signal::Prompt(mark) => {
            let (mark, code) = match mark {
                PromptMark::Prompt => ("prompt", None),
                PromptMark::Input => ("input", None),
                PromptMark::Output => ("output", None),
                PromptMark::Finished(code) => ("done", code),
            };
            SignalMessage::Prompt { mark: mark.into(), code }
        }
        Signal::Progress(progress) => {
            let (state, percent) = match progress {
                Progress::None => ("none", None),
                Progress::Normal(percent) => ("normal", Some(percent)),
                Progress::Error(percent) => ("error", Some(percent)),
                Progress::Busy => ("indeterminate", None),
                Progress::Paused(percent) => ("paused", Some(percent)),
            };
            SignalMessage::Progress { state: state.into(), percent }
        }
        Signal::Notification(notification) => {
            SignalMessage::Notification { title: notification.title, text: notification.body }
        }
        Signal::Status(status) => {
            let (state, blocked) = program_state(status.state);
            SignalMessage::Status { id: status.id.join("/"), state, blocked, message: status.message }
        }
        Signal::Bell => SignalMessage::Bell,
    }
}

/// What the program said about itself so far.
pub(crate) fn program(terminal: &Terminal) -> ProgramReport {
    let whole = terminal.program_statuses().iter().find(|status| status.id.is_empty());
    ProgramReport {
        title: terminal.title().to_owned(),
        cwd: terminal.cwd().to_owned(),
        alternate_screen: terminal.on_alternate_screen(),
        activity: whole.map(|status| {
            let (state, kind) = program_state(status.state);
            Activity { state, kind, message: status.message.clone() }
        }),
    }
}

fn program_state(state: ProgramState) -> (String, Option<String>) {
    let (state, blocked) = match state {
        ProgramState::Idle => ("idle", None),
        ProgramState::Working => ("working", None),
        ProgramState::Blocked(None) => ("blocked", None),
        ProgramState::Blocked(Some(BlockedOn::Permission)) => ("blocked", Some("permission")),
        ProgramState::Blocked(Some(BlockedOn::Question)) => ("blocked", Some("question")),
        ProgramState::Blocked(Some(BlockedOn::Auth)) => ("blocked", Some("auth")),
        ProgramState::Done => ("done", None),
        ProgramState::Error => ("error", None),
        ProgramState::Clear => ("clear", None),
    };
    (state.into(), blocked.map(Into::into))
}
