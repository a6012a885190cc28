//! Devices: browsers that have signed in. A device has a key of its own, and its token has no secret.

use model::{OwnerId, TokenId};
use proof::PublicKey;
use store::{Scope, Token, Verifier};

use super::{CheckError, Principal, TokenError, Tokens, short};

/// A device, as it was registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The device's public key.
    pub key: PublicKey,
    /// The `host:port` at which it signed in. Its key counts only there: if a stranger's page at another port could use
    /// it, the stranger would need no more than our old port.
    pub authority: String,
}

impl Tokens {
    /// Registers a device of an owner. It may do everything that the owner may.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub async fn add_device(&self, owner: OwnerId, name: &str, device: Device) -> Result<Token, TokenError> {
        let verifier = Verifier::Device { key: *device.key.as_bytes(), authority: device.authority };
        let new = store::NewToken { name: short(name), scope: Scope::All, verifier, expires_at: None };
        self.add(owner, new).await
    }

    /// A device by its id. Whether it may still sign in shows [`Tokens::principal_of`].
    ///
    /// # Errors
    ///
    /// When there is no such device, or the database does not answer.
    pub(crate) async fn device(&self, id: TokenId) -> Result<Device, CheckError> {
        match self.find(id).await? {
            (_, Verifier::Device { key, authority }) => {
                let key = PublicKey::from_bytes(&key).ok_or(CheckError::Wrong)?;
                Ok(Device { key, authority })
            }
            (_, Verifier::Hash(_)) => Err(CheckError::Wrong),
        }
    }

    /// The principal of a device that has shown its key.
    ///
    /// # Errors
    ///
    /// When the device's token is revoked or expired, or the database does not answer.
    pub(crate) async fn principal_of(&self, device: TokenId) -> Result<Principal, CheckError> {
        match self.find(device).await? {
            (token, Verifier::Device { .. }) => self.use_of(&token),
            (_, Verifier::Hash(_)) => Err(CheckError::Wrong),
        }
    }
}
