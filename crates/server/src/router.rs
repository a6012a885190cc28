//! All routes with their policies, in one list.

use axum::Router;
use utoipa::OpenApi;
use utoipa_axum::routes;

use crate::app::App;
use crate::node::uploads::{ANY_FILE, MOST_FILE_BYTES};
use crate::policy::{BodyRule, Policy, RouteEntry, SocketOf, Table, Underway};
use crate::routes::{
    access, health, inbox, page, prompts, proofs, recordings, repositories, sessions, tasks, transcripts,
    workers, worktrees,
};
use crate::{dashboard, dialects, relay};

/// The start of the API's description.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "abide",
        description = "Repositories, tasks, sessions and workers of one data directory. JSON in camelCase, times in \
            RFC 3339, one body for every error. `docs/api.md` describes tokens and sockets.",
    ),
    tags(
        (name = "server", description = "The server's health and metrics"),
        (name = "access", description = "Codes, tokens, the audit trail"),
        (name = "repositories", description = "Registered git repositories"),
        (name = "worktrees", description = "Their worktrees, and the trash"),
        (name = "tasks", description = "Pieces of work, and their sessions"),
        (name = "sessions", description = "Places of work, and the workers in them"),
        (name = "workers", description = "Terminals and agents"),
        (name = "inbox", description = "What waits for a person"),
        (name = "prompts", description = "Prompts that are sent to workers"),
        (name = "recordings", description = "Recorded output of workers"),
        (name = "sockets", description = "WebSockets"),
        (name = "page", description = "The page and its files"),
    )
)]
struct Api;

/// Uploads: pictures by their type, and any other file.
const FILES: BodyRule = BodyRule {
    most_bytes: MOST_FILE_BYTES,
    types: &["image/png", "image/jpeg", "image/gif", "image/webp", ANY_FILE],
};

const WATCH: Policy = Policy::Worker { drive: false };

/// The router, its description, and the list of routes.
pub(crate) fn router(underway: Underway) -> (Router<App>, utoipa::openapi::OpenApi, Vec<RouteEntry>) {
    let owner_socket = Policy::Socket { of: SocketOf::Owner, first_frame: false };
    Table::new(Api::openapi(), underway)
        .add(Policy::Public, routes!(page::index))
        .add(Policy::Public, routes!(page::asset))
        .add(Policy::Public, routes!(page::beside))
        .add(Policy::Public, routes!(health::health))
        .add(Policy::Owner, routes!(health::metrics))
        .add(Policy::Public, routes!(access::exchange))
        .add(Policy::Public, routes!(proofs::register))
        .add(Policy::Public, routes!(proofs::hello))
        .add(Policy::Public, routes!(proofs::open_bond))
        .add(Policy::Owner, routes!(access::create_code))
        .add(Policy::Owner, routes!(access::list_tokens, access::create_token))
        .add(Policy::Owner, routes!(access::revoke_token))
        .add(Policy::Owner, routes!(access::audit))
        .add(Policy::Owner, routes!(repositories::list, repositories::add))
        .add(Policy::Owner, routes!(repositories::get, repositories::remove))
        .add(Policy::Owner, routes!(repositories::provisioning))
        .add(Policy::Owner, routes!(repositories::agree))
        .add(Policy::Owner, routes!(worktrees::list, worktrees::create))
        .add(Policy::Owner, routes!(worktrees::list_all))
        .add(Policy::Owner, routes!(worktrees::get, worktrees::remove))
        .add(Policy::Owner, routes!(worktrees::restore))
        .add(Policy::Owner, routes!(tasks::list, tasks::create))
        .add(Policy::Owner, routes!(tasks::get, tasks::update, tasks::delete))
        .add(Policy::Owner, routes!(tasks::activate))
        .add(Policy::Owner, routes!(tasks::complete))
        .add(Policy::Owner, routes!(tasks::reopen))
        .add(Policy::Owner, routes!(tasks::start))
        .add(Policy::Owner, routes!(tasks::retry))
        .add(Policy::Owner, routes!(tasks::cancel))
        .add(Policy::Owner, routes!(tasks::session_logs))
        .add(Policy::Owner, routes!(tasks::resize))
        .add(owner_socket, routes!(dialects::pipe::task_terminal))
        .add(Policy::Owner, routes!(sessions::list, sessions::create))
        .add(Policy::Owner, routes!(sessions::import))
        .add(Policy::Owner, routes!(sessions::get, sessions::update, sessions::delete))
        .add(Policy::Owner, routes!(sessions::restart))
        .add(Policy::Owner, routes!(sessions::workers, sessions::add_worker))
        .add(Policy::Owner, routes!(sessions::rename_worker, sessions::close_worker))
        .add(Policy::Owner, routes!(sessions::end_worker))
        .add(Policy::Owner, routes!(sessions::restart_worker))
        .add(Policy::Owner, routes!(inbox::list))
        .add(Policy::Owner, routes!(inbox::read))
        .add(Policy::Owner, routes!(inbox::snooze))
        .add(Policy::Owner, routes!(inbox::answer))
        .add(Policy::Owner, routes!(workers::list))
        .add(WATCH, routes!(workers::get))
        .add(Policy::Owner, routes!(workers::activity))
        .add(Policy::Worker { drive: true }, routes!(workers::hooked))
        .add(Policy::Worker { drive: true }, routes!(prompts::list, prompts::send, prompts::empty))
        .add(Policy::Worker { drive: true }, routes!(prompts::edit, prompts::remove))
        .add(Policy::Owner, routes!(prompts::send_to_many))
        .add_with_body(Policy::Worker { drive: true }, FILES, routes!(workers::upload))
        .add(WATCH, routes!(recordings::info))
        .add(WATCH, routes!(recordings::output))
        .add(WATCH, routes!(recordings::lines))
        .add(WATCH, routes!(recordings::marks))
        .add(WATCH, routes!(recordings::screen))
        .add(WATCH, routes!(recordings::export))
        .add(Policy::Owner, routes!(recordings::search))
        .add(WATCH, routes!(transcripts::transcript))
        .add(Policy::Owner, routes!(transcripts::usage))
        .add(Policy::Owner, routes!(workers::pty_stats))
        .add(Policy::Owner, routes!(workers::agents))
        .add(Policy::Socket { of: SocketOf::Worker, first_frame: true }, routes!(relay::attach))
        .add(
            Policy::Socket { of: SocketOf::Worker, first_frame: false },
            routes!(dialects::worker_socket::worker_socket),
        )
        .add(owner_socket, routes!(dialects::terminals::terminals))
        .add(Policy::Socket { of: SocketOf::Owner, first_frame: true }, routes!(dashboard::dashboard))
        .into_router()
}

/// The API's description, as in `docs/openapi.json`.
pub fn openapi() -> String {
    let mut text = router(Underway::default()).1.to_pretty_json().expect("a description is JSON");
    text.push('\n');
    text
}

/// All routes, for tests that check each of them.
pub fn route_table() -> Vec<RouteEntry> {
    router(Underway::default()).2
}
