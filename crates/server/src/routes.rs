//! The handlers of the REST routes, as the URLs go. Each reads what came, calls the [`App`](crate::app::App), and
//! answers; nothing is decided here.

pub(crate) mod access;
pub(crate) mod health;
pub(crate) mod page;
pub(crate) mod recordings;
pub(crate) mod repositories;
pub(crate) mod sessions;
pub(crate) mod tasks;
pub(crate) mod workers;
pub(crate) mod worktrees;

use axum::Extension;

use crate::tokens::Principal;

/// Who asks; the policy of the route has seen to it that somebody does.
pub(crate) type Who = Extension<Principal>;
