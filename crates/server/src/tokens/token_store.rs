//! What tokens ask of the database.

use jiff::Timestamp;
use model::TokenId;
use store::{NewToken, Store, StoreError, Token};

/// Where tokens are kept: the database, or one that fails when a test says so. Calls block, shortly.
pub trait TokenStore: Send + Sync + 'static {
    /// Adds a token and chooses its id.
    ///
    /// # Errors
    ///
    /// When the database refuses, or the worker that it opens is not there.
    fn add_token(&self, token: &NewToken, now: Timestamp) -> Result<Token, StoreError>;

    /// A token and the hash of its secret.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    fn token_for_check(&self, id: TokenId) -> Result<Option<(Token, [u8; 32])>, StoreError>;

    /// All of them.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    fn tokens(&self) -> Result<Vec<Token>, StoreError>;

    /// Takes one back.
    ///
    /// # Errors
    ///
    /// When the database refuses, or there is no such token.
    fn revoke_token(&self, id: TokenId, now: Timestamp) -> Result<Token, StoreError>;

    /// Notes that one was used.
    ///
    /// # Errors
    ///
    /// When the database refuses, or there is no such token.
    fn touch_token(&self, id: TokenId, now: Timestamp) -> Result<(), StoreError>;
}

impl TokenStore for Store {
    fn add_token(&self, token: &NewToken, now: Timestamp) -> Result<Token, StoreError> {
        Store::add_token(self, token, now)
    }

    fn token_for_check(&self, id: TokenId) -> Result<Option<(Token, [u8; 32])>, StoreError> {
        Store::token_for_check(self, id)
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        Store::tokens(self)
    }

    fn revoke_token(&self, id: TokenId, now: Timestamp) -> Result<Token, StoreError> {
        Store::revoke_token(self, id, now)
    }

    fn touch_token(&self, id: TokenId, now: Timestamp) -> Result<(), StoreError> {
        Store::touch_token(self, id, now)
    }
}
