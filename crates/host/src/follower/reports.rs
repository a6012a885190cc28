//! What the terminal model found, in the words of the protocol.

use protocol::{
    BlockedKind, ProgramReport, ProgressMessage, PromptMessage, SignalMessage, StatusMessage, StatusState,
};
use terminal::{BlockedOn, ProgramState, Progress, PromptMark, Signal, Terminal};

/// A signal as viewers are told of it.
pub(crate) fn signal(signal: Signal) -> SignalMessage {
    match signal {
        Signal::Title(text) => SignalMessage::Title { text },
        Signal::Cwd(text) => SignalMessage::Cwd { text },
        Signal::Prompt(mark) => SignalMessage::Prompt(match mark {
            PromptMark::Prompt => PromptMessage::Prompt,
            PromptMark::Input => PromptMessage::Input,
            PromptMark::Output => PromptMessage::Output,
            PromptMark::Finished(code) => PromptMessage::Done { code },
        }),
        Signal::Progress(progress) => SignalMessage::Progress(match progress {
            Progress::None => ProgressMessage::None,
            Progress::Normal(percent) => ProgressMessage::Normal { percent: Some(percent) },
            Progress::Error(percent) => ProgressMessage::Error { percent: Some(percent) },
            Progress::Busy => ProgressMessage::Indeterminate,
            Progress::Paused(percent) => ProgressMessage::Paused { percent: Some(percent) },
        }),
        Signal::Notification(notification) => {
            SignalMessage::Notification { title: notification.title, text: notification.body }
        }
        Signal::Status(status) => {
            let state = status_state(status.state);
            SignalMessage::Status {
                id: status.id.join("/"),
                status: StatusMessage { state, message: status.message },
            }
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
        activity: whole.map(|status| StatusMessage {
            state: status_state(status.state),
            message: status.message.clone(),
        }),
    }
}

fn status_state(state: ProgramState) -> StatusState {
    match state {
        ProgramState::Idle => StatusState::Idle,
        ProgramState::Working => StatusState::Working,
        ProgramState::Blocked(on) => StatusState::Blocked { on: on.map(blocked_kind) },
        ProgramState::Done => StatusState::Done,
        ProgramState::Error => StatusState::Error,
        ProgramState::Clear => StatusState::Clear,
    }
}

fn blocked_kind(on: BlockedOn) -> BlockedKind {
    match on {
        BlockedOn::Permission => BlockedKind::Permission,
        BlockedOn::Question => BlockedKind::Question,
        BlockedOn::Auth => BlockedKind::Auth,
    }
}
