//! How a page and the server prove to each other who they are. The crate `proof` makes and checks the values;
//! `docs/api.md` says in which order they are sent. All values of bytes are base64 with `-` and `_`, without `=`.

use model::TokenId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Token;

/// Registers a browser's key, with a one-time code that is not sent.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RegisterDevice {
    /// The name of the code, derived from it.
    pub code: String,
    /// The browser's public key: a point of P-256, 65 bytes.
    pub key: String,
    /// 32 random bytes.
    pub nonce: String,
    /// The `host:port` in the page's address.
    pub authority: String,
    /// Shows that the page knows the code.
    pub mac: String,
}

/// The browser's key is registered.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredDevice {
    /// The server's public key. The page keeps it, and accepts no other from then on.
    pub server_key: String,
    /// The token that belongs to the key. Its id is the device's id.
    pub token: Token,
    /// Shows that the server knows the code too.
    pub mac: String,
}

/// Asks the server to show its key.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct HelloRequest {
    /// The device's id.
    pub device: String,
    /// The `host:port` in the page's address.
    pub authority: String,
    /// The page's ephemeral public key.
    pub key: String,
    /// 32 random bytes.
    pub nonce: String,
}

/// The server has signed the hello.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct HelloAnswer {
    /// The server's ephemeral public key.
    pub key: String,
    /// Send this back. It says when the server answered, on a clock of its own.
    pub stamp: u64,
    /// The server's signature.
    pub signature: String,
}

/// Shows the device's key, after the server has shown its own.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpenBond {
    /// The hello, once more.
    pub hello: HelloRequest,
    /// The stamp of the server's answer.
    pub stamp: u64,
    /// The device's signature.
    pub signature: String,
}

/// The bond is open.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpenedBond {
    /// Shows that the server has the bond's key.
    pub mac: String,
    /// The device that it belongs to.
    #[schema(value_type = String)]
    pub device: TokenId,
}

/// The messages at the beginning of a socket with the subprotocol `abide.proof.v1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ProofMessage {
    /// The server's first message.
    Challenge {
        /// 32 random bytes.
        challenge: String,
    },
    /// The page's answer.
    Prove {
        /// The bond.
        bond: String,
        /// 32 random bytes.
        challenge: String,
        /// Shows that the page has the bond's key.
        mac: String,
    },
    /// The server's second message. The socket's own messages follow.
    Proved {
        /// Shows that the server has the bond's key.
        mac: String,
    },
}
