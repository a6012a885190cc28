//! The rooms of the server. Each is the [`App`] with the methods of one subject; they are in the folder of that name. A room
//! reaches another through that one's public methods: `self.workers().end(…)`.

use std::ops::Deref;

use crate::app::App;

macro_rules! rooms {
    ($($(#[$words:meta])* $name:ident: $Room:ident)*) => {
        impl App {$(
            $(#[$words])*
            pub(crate) fn $name(&self) -> $Room {
                $Room(self.clone())
            }
        )*}

        $(
            $(#[$words])*
            #[derive(Clone)]
            pub(crate) struct $Room(App);

            impl Deref for $Room {
                type Target = App;

                fn deref(&self) -> &App {
                    &self.0
                }
            }
        )*
    };
}

rooms! {
    /// Tasks: written down, started, cancelled, archived, finished.
    tasks: Tasks
    /// Sessions: made, listed, imported, restarted, ended.
    sessions: Sessions
    /// Workers: added, started, heard of, restarted, ended.
    workers: Workers
    /// The inbox: what waits for a person.
    inbox: Inbox
    /// Prompts: queued, delivered, confirmed.
    prompts: Prompts
    /// Repositories and worktrees: registered, made, set up, moved to the trash, taken back.
    worktrees: Worktrees
    /// Codes, tokens, and the record of who did what.
    access: Access
}
