//! How a handler opens a WebSocket.

use std::future::Future;
use std::time::Duration;

use api::{ErrorCode, ProofMessage};
use axum::extract::FromRequestParts;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use http::request::Parts;
use model::WorkerId;
use serde::Deserialize;

use super::Caller;
use super::bound::target;
use crate::policy::Policy;
use crate::problem::Failure;
use crate::shares::Share;
use crate::tokens::Principal;

/// The subprotocol that the server selects if the peer offers it.
const PROTOCOL: &str = "abide.v1";

/// The subprotocol with which page and server prove themselves first. If the peer offers it, the server selects it.
const PROOF_PROTOCOL: &str = "abide.proof.v1";

/// How long a peer may take to send its secret as the first message.
const FIRST_FRAME_WITHIN: Duration = Duration::from_secs(5);

/// The longest first message. It is enough for a secret.
const MOST_FIRST_FRAME_BYTES: usize = 1024;

/// How many pings and pongs a peer may send before its secret.
const MOST_PINGS: usize = 8;

/// The longest message: a frame has at most a mebibyte, and a head.
const MOST_MESSAGE_BYTES: usize = 1024 * 1024 + 16;

/// The size of each socket's read buffer. Most messages are keys, and every open socket has such a buffer.
const READ_BUFFER_BYTES: usize = 8 << 10;

/// The close code for a secret that is wrong, revoked or expired.
pub const CLOSE_UNAUTHENTICATED: u16 = 4401;

/// The close code for a bond that is over. The page says hello again.
pub const CLOSE_BOND_OVER: u16 = 4410;

/// The close code for a valid secret that does not permit this socket.
pub const CLOSE_FORBIDDEN: u16 = 4403;

/// The requirements of a socket's route. The policy adds them to the request's extensions when it lets the request
/// pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    pub(crate) policy: Policy,
    /// The worker that the path names, if the policy depends on one.
    pub(crate) worker: Option<WorkerId>,
}

/// A WebSocket before its upgrade. Handlers of routes with [`Policy::Socket`] receive it.
pub struct SocketDoor {
    upgrade: WebSocketUpgrade,
    caller: Caller,
    ticket: Ticket,
    principal: Option<Principal>,
    target: String,
    most_bytes: usize,
}

/// The message that carries a secret.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum FirstFrame {
    Auth { token: String },
}

impl SocketDoor {
    /// Permits messages of this length, but only if the secret came with the request.
    pub fn up_to(mut self, bytes: usize) -> SocketDoor {
        if self.principal.is_some() {
            self.most_bytes = bytes;
        }
        self
    }

    /// Opens the socket, and serves it once its secret is known. Messages before the secret are dropped. When the token
    /// is revoked or expires, the serving future and its socket are dropped.
    pub fn open<F, Served>(self, serve: F) -> Response
    where
        F: FnOnce(WebSocket, Principal) -> Served + Send + 'static,
        Served: Future<Output = ()> + Send,
    {
        let SocketDoor { upgrade, caller, ticket, principal, target, most_bytes } = self;
        let upgrade = upgrade
            .protocols(
                if principal.is_none() { &[PROOF_PROTOCOL, PROTOCOL][..] } else { &[PROTOCOL] }
                    .iter()
                    .copied(),
            )
            .read_buffer_size(READ_BUFFER_BYTES)
            .max_frame_size(most_bytes)
            .max_message_size(most_bytes);
        upgrade.on_upgrade(move |mut socket| async move {
            let principal = match principal {
                Some(principal) => principal,
                None => match first_frame_principal(&mut socket, &caller, ticket, &target).await {
                    Ok(principal) => principal,
                    Err(refused) => return close(socket, refused).await,
                },
            };
            let share = caller.gate().share(&principal);
            caller.peer().inspect(|peer| peer.becomes_socket());
            tokio::select! {
                // First, so that a socket of a revoked token is not served.
                biased;
                () = share.over() => {}
                () = attach(&share, socket, principal, serve) => {}
            }
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SocketDoor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<SocketDoor, Failure> {
        let ticket = parts.extensions.get::<Ticket>().copied();
        let caller = parts.extensions.get::<Caller>().cloned();
        let (Some(ticket), Some(caller)) = (ticket, caller) else {
            return Err(Failure::new(ErrorCode::Internal, "this socket's route has no policy for sockets"));
        };
        let principal = parts.extensions.get::<Principal>().cloned();
        let target = target(&parts.uri).to_owned();
        let upgrade = WebSocketUpgrade::from_request_parts(parts, state)
            .await
            .map_err(|_| Failure::new(ErrorCode::UpgradeRequired, "this path accepts only WebSockets"))?;
        Ok(SocketDoor { upgrade, caller, ticket, principal, target, most_bytes: MOST_MESSAGE_BYTES })
    }
}

/// Serves a socket when its token's share lets it attach.
async fn attach<F, Served>(share: &Share, socket: WebSocket, principal: Principal, serve: F)
where
    F: FnOnce(WebSocket, Principal) -> Served,
    Served: Future<Output = ()>,
{
    match share.attach().await {
        Ok(()) => serve(socket, principal).await,
        Err(problem) => close(socket, Failure(problem)).await,
    }
}

/// The principal of the proof or the secret in the first message. Any other message closes the socket.
async fn first_frame_principal(
    socket: &mut WebSocket,
    caller: &Caller,
    ticket: Ticket,
    target: &str,
) -> Result<Principal, Failure> {
    let principal = if socket.protocol().is_some_and(|protocol| protocol == PROOF_PROTOCOL) {
        proven_principal(socket, caller, target).await?
    } else {
        secret_principal(socket, caller).await?
    };
    ticket.policy.decide(Some(&principal), ticket.worker)?;
    Ok(principal)
}

/// The principal of a page that proves itself. It is told nothing secret before, and proves the server too.
async fn proven_principal(
    socket: &mut WebSocket,
    caller: &Caller,
    target: &str,
) -> Result<Principal, Failure> {
    let by_server =
        home::random_bytes().map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    let challenge = ProofMessage::Challenge { challenge: proof::text_of(&by_server) };
    let challenge = serde_json::to_string(&challenge).expect("our messages can be written as JSON");
    let gone = |_| Failure::unauthenticated();
    socket.send(Message::Text(challenge.into())).await.map_err(gone)?;
    let text = first_text_in_time(socket, caller).await?;
    let (principal, proved) = caller.prove(target, &by_server, &text).await?;
    socket.send(Message::Text(proved.into())).await.map_err(gone)?;
    Ok(principal)
}

async fn first_text_in_time(socket: &mut WebSocket, caller: &Caller) -> Result<String, Failure> {
    tokio::select! {
        text = first_text(socket) => text.ok_or_else(Failure::unauthenticated),
        // The browser may have been asleep. This code lets it try again.
        () = caller.gate().0.clock.wait(FIRST_FRAME_WITHIN) => {
            Err(Failure::new(ErrorCode::Unavailable, "the token did not arrive in time"))
        }
    }
}

async fn secret_principal(socket: &mut WebSocket, caller: &Caller) -> Result<Principal, Failure> {
    let text = first_text_in_time(socket, caller).await?;
    let secret = match serde_json::from_str(&text) {
        Ok(FirstFrame::Auth { token }) => token.parse().ok(),
        Err(_) => None,
    };
    let Some(secret) = secret else { return Err(caller.wrong_guess().await) };
    caller.check(&secret).await
}

/// The first message, if it is a short text.
async fn first_text(socket: &mut WebSocket) -> Option<String> {
    for _ in 0..MOST_PINGS {
        match socket.recv().await?.ok()? {
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Text(text) if text.len() <= MOST_FIRST_FRAME_BYTES => return Some(text.to_string()),
            _ => return None,
        }
    }
    None
}

async fn close(mut socket: WebSocket, refused: Failure) {
    let code = match refused.0.code() {
        ErrorCode::Unauthenticated => CLOSE_UNAUTHENTICATED,
        ErrorCode::BondOver => CLOSE_BOND_OVER,
        // The secret may still be valid.
        ErrorCode::Unavailable | ErrorCode::TooMany => close_code::AGAIN,
        _ => CLOSE_FORBIDDEN,
    };
    let reason = refused.0.error.message.into();
    // The peer may have gone already.
    let _ = socket.send(Message::Close(Some(CloseFrame { code, reason }))).await;
}
