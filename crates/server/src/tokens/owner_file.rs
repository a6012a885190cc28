//! The owner's token, in a file that the user's programs read.

use std::io;
use std::path::{Path, PathBuf};

use model::OwnerId;
use store::{Scope, Token};

use super::{Secret, TokenError, Tokens};

/// The name of the owner's token in lists.
const NAME: &str = "owner";

/// The owner's token. It permits everything, and is valid for as long as it is in its file.
#[derive(Debug)]
pub struct OwnerToken {
    /// The token itself.
    pub secret: Secret,
    /// Where it is kept.
    pub place: Place,
}

/// Where the owner's token is kept.
#[derive(Debug)]
pub enum Place {
    /// In its file.
    File(PathBuf),
    /// Only in memory, because the disk refuses. It is valid for as long as the server runs, and the user must be told.
    Memory {
        /// Why there is no file.
        reason: io::Error,
    },
}

impl Tokens {
    /// Reads the owner's token from its file. If the file has no valid token, or if other users could read the file,
    /// makes a new token.
    ///
    /// # Errors
    ///
    /// When the machine has no random bytes.
    pub async fn owner(&self, path: &Path) -> Result<OwnerToken, TokenError> {
        self.known().set_owner_path(path);
        let file = path.to_owned();
        let read = tokio::task::spawn_blocking(move || files::read_private(&file)).await;
        let text = read.ok().and_then(Result::ok).flatten().unwrap_or_default();
        if let Ok(secret) = text.trim_end().parse::<Secret>() {
            self.set_owner(&secret);
            return Ok(OwnerToken { secret, place: Place::File(path.to_owned()) });
        }
        let (secret, written) = self.new_owner(path).await?;
        let place = match written {
            Ok(()) => Place::File(path.to_owned()),
            Err(reason) => Place::Memory { reason },
        };
        Ok(OwnerToken { secret, place })
    }

    /// Makes another token for the owner and puts it in the file.
    pub(super) async fn replace_owner(&self) -> Result<(), TokenError> {
        let Some(path) = self.known().owner_path() else { return Ok(()) };
        let (_, written) = self.new_owner(&path).await?;
        written.map_err(TokenError::File)
    }

    async fn new_owner(&self, path: &Path) -> Result<(Secret, io::Result<()>), TokenError> {
        let secret = Secret::random().map_err(TokenError::Random)?;
        self.set_owner(&secret);
        let (file, text) = (path.to_owned(), format!("{}\n", secret.expose()));
        let written =
            tokio::task::spawn_blocking(move || files::replace_private(&file, text.as_bytes())).await;
        Ok((secret, written.unwrap_or_else(|stopped| Err(io::Error::other(stopped)))))
    }

    fn set_owner(&self, secret: &Secret) {
        let token = Token {
            id: secret.id(),
            owner: OwnerId::ONLY,
            name: NAME.into(),
            scope: Scope::All,
            is_device: false,
            created_at: self.0.clock.wall(),
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
        };
        self.known().set_owner(token, secret.hash());
    }
}
