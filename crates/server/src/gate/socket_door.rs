//! The door of a WebSocket.

use std::future::Future;
use std::time::Duration;

use api::ErrorCode;
use axum::extract::FromRequestParts;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use http::request::Parts;
use model::WorkerId;
use serde::Deserialize;

use super::Caller;
use crate::policy::Policy;
use crate::problem::Failure;
use crate::tokens::Principal;

/// The subprotocol that we answer with when it is offered.
const PROTOCOL: &str = "abide.v1";

/// Whoever brings the secret as a first message brings it soon.
const FIRST_FRAME_WITHIN: Duration = Duration::from_secs(5);

/// Enough for the one message with a secret.
const MOST_FIRST_FRAME_BYTES: usize = 1024;

/// A peer may ping while it looks for its secret, and no more.
const MOST_PINGS: usize = 8;

/// A frame of ours holds at most a mebibyte, and has a head.
const MOST_MESSAGE_BYTES: usize = 1024 * 1024 + 16;

/// What is read at once. Most of what comes is keys, and each socket holds that much for as long as it is open.
const READ_BUFFER_BYTES: usize = 8 << 10;

/// Why a socket was closed: the secret was wrong, or it is no longer right.
pub const CLOSE_UNAUTHENTICATED: u16 = 4401;

/// Why a socket was closed: the secret is right and does not reach that far.
pub const CLOSE_FORBIDDEN: u16 = 4403;

/// What a socket's route asks for; put among the request's extensions when its policy let it pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    pub(crate) policy: Policy,
    /// Which worker the path names, where the policy is about one.
    pub(crate) worker: Option<WorkerId>,
}

/// A WebSocket that is about to be opened: how a handler of a route with [`Policy::Socket`] gets at it.
pub struct SocketDoor {
    upgrade: WebSocketUpgrade,
    caller: Caller,
    ticket: Ticket,
    principal: Option<Principal>,
    most_bytes: usize,
}

/// The message that carries a secret.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum FirstFrame {
    Auth { token: String },
}

impl SocketDoor {
    /// Lets messages be that long, if the secret came with the request. Nobody else is given that much room.
    pub fn up_to(mut self, bytes: usize) -> SocketDoor {
        if self.principal.is_some() {
            self.most_bytes = bytes;
        }
        self
    }

    /// Opens the socket and serves it, once its secret is known. What comes before the secret is not kept. When the
    /// token is taken back or expires, the future that serves is dropped, and the socket with it.
    pub fn open<F, Served>(self, serve: F) -> Response
    where
        F: FnOnce(WebSocket, Principal) -> Served + Send + 'static,
        Served: Future<Output = ()> + Send,
    {
        let SocketDoor { upgrade, caller, ticket, principal, most_bytes } = self;
        let upgrade = upgrade
            .protocols([PROTOCOL])
            .read_buffer_size(READ_BUFFER_BYTES)
            .max_frame_size(most_bytes)
            .max_message_size(most_bytes);
        upgrade.on_upgrade(move |mut socket| async move {
            let principal = match principal {
                Some(principal) => principal,
                None => match first_frame_principal(&mut socket, &caller, ticket).await {
                    Ok(principal) => principal,
                    Err(refused) => return close(socket, refused).await,
                },
            };
            let over = caller.gate().tokens().over(&principal);
            tokio::select! {
                // First, so that nothing is served that is over.
                biased;
                () = over => {}
                () = serve(socket, principal) => {}
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
        let upgrade = WebSocketUpgrade::from_request_parts(parts, state)
            .await
            .map_err(|_| Failure::new(ErrorCode::UpgradeRequired, "only WebSockets are answered here"))?;
        Ok(SocketDoor { upgrade, caller, ticket, principal, most_bytes: MOST_MESSAGE_BYTES })
    }
}

/// Whoever the first message says it is. Everything but that one message closes the socket.
async fn first_frame_principal(
    socket: &mut WebSocket,
    caller: &Caller,
    ticket: Ticket,
) -> Result<Principal, Failure> {
    let text = tokio::select! {
        text = first_text(socket) => text,
        // A browser that was asleep meanwhile is no stranger: it comes again.
        () = caller.gate().0.pace.wait(FIRST_FRAME_WITHIN) => {
            return Err(Failure::new(ErrorCode::Unavailable, "no secret came in time"));
        }
    };
    let Some(text) = text else { return Err(Failure::unauthenticated()) };
    let secret = match serde_json::from_str(&text) {
        Ok(FirstFrame::Auth { token }) => token.parse().ok(),
        Err(_) => None,
    };
    let Some(secret) = secret else { return Err(caller.wrong_guess().await) };
    let principal = caller.check(&secret).await?;
    ticket.policy.decide(Some(&principal), ticket.worker)?;
    Ok(principal)
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
        // That says nothing about the secret.
        ErrorCode::Unavailable => close_code::AGAIN,
        _ => CLOSE_FORBIDDEN,
    };
    let reason = refused.0.error.message.into();
    // A peer that is gone needs no reason.
    let _ = socket.send(Message::Close(Some(CloseFrame { code, reason }))).await;
}
