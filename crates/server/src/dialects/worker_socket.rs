//! One worker of a session in JSON: `/ws/session/{sid}/worker/{wid}`.

use ::dialects::WorkerJson;
use api::{Problem, WorkerKind, WorkerServerMessage};
use axum::response::Response;
use model::{SessionId, WorkerId};

use super::watch::Watch;
use crate::gate::SocketDoor;
use crate::node::uploads::MOST_FILE_BYTES;
use crate::problem::{Failure, Path};
use crate::relay::{open, serve};
use crate::routes::Mine;

/// The longest message: the largest picture in base64, and the JSON around it.
const MOST_MESSAGE_BYTES: usize = MOST_FILE_BYTES.div_ceil(3) * 4 + 1024;

/// Shows a worker of a session. Both sides send text messages, each with a `type`: see WorkerClientMessage and
/// WorkerServerMessage.
#[utoipa::path(
    get,
    path = "/ws/session/{sid}/worker/{wid}",
    tag = "sockets",
    params(
        ("sid" = String, Path, description = "the session"),
        ("wid" = String, Path, description = "the worker, which is in that session"),
    ),
    responses(
        (status = 101, description = "text messages: WorkerServerMessage", body = WorkerServerMessage),
        (status = 404, description = "there is no such worker in this session", body = Problem),
    )
)]
pub(crate) async fn worker_socket(
    Mine(app): Mine,
    Path((session, worker)): Path<(SessionId, WorkerId)>,
    door: SocketDoor,
) -> Result<Response, Failure> {
    let found = app.workers().get(worker).await?;
    if found.session_id != session {
        return Err(Failure::not_found("worker"));
    }
    let is_agent = matches!(found.kind, WorkerKind::Agent { .. });
    Ok(open(door.up_to(MOST_MESSAGE_BYTES), move |socket, who, over| async move {
        let relays = app.relays().clone();
        serve(&relays, app.keepalive(), socket, over, async |incoming, outgoing| {
            let watch = Watch { app: &app, who: &who, worker, name: "worker socket", wanted: None };
            watch.run(WorkerJson::new(is_agent), incoming, outgoing).await
        })
        .await;
    }))
}
