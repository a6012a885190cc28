//! The handlers of the REST routes, one module for each part of the URLs. A handler reads the request, calls a
//! [room](crate::rooms) and answers. It decides nothing itself.

pub(crate) mod access;
pub(crate) mod health;
pub(crate) mod inbox;
mod mine;
pub(crate) mod page;
pub(crate) mod prompts;
pub(crate) mod proofs;
pub(crate) mod recordings;
pub(crate) mod repositories;
pub(crate) mod sessions;
pub(crate) mod tasks;
pub(crate) mod transcripts;
pub(crate) mod workers;
pub(crate) mod worktrees;

use axum::Extension;

use crate::tokens::Principal;

pub(crate) use mine::Mine;

/// The principal of a request. The policy of the route has checked that there is one.
pub(crate) type Who = Extension<Principal>;
