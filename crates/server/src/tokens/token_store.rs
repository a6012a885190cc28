//! The database operations that tokens need.

use jiff::Timestamp;
use model::{OwnerId, TokenId};
use store::{Database, NewToken, StoreError, Token, Verifier};

/// The store of the tokens: the database, or one that fails when a test wants it to. Calls block for a short time.
pub trait TokenStore: Send + Sync + 'static {
    /// Adds a token of an owner, and chooses its id.
    ///
    /// # Errors
    ///
    /// When the database refuses, or the token's worker does not exist.
    fn add_token(&self, owner: OwnerId, token: &NewToken, now: Timestamp) -> Result<Token, StoreError>;

    /// A token and what it is checked with.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    fn token_for_check(&self, id: TokenId) -> Result<Option<(Token, Verifier)>, StoreError>;

    /// All tokens of an owner.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    fn tokens(&self, owner: OwnerId) -> Result<Vec<Token>, StoreError>;

    /// Revokes a token.
    ///
    /// # Errors
    ///
    /// When the database refuses, or there is no such token.
    fn revoke_token(&self, owner: OwnerId, id: TokenId, now: Timestamp) -> Result<Token, StoreError>;

    /// Saves that a token was used.
    ///
    /// # Errors
    ///
    /// When the database refuses, or there is no such token.
    fn touch_token(&self, owner: OwnerId, id: TokenId, now: Timestamp) -> Result<(), StoreError>;
}

impl TokenStore for Database {
    fn add_token(&self, owner: OwnerId, token: &NewToken, now: Timestamp) -> Result<Token, StoreError> {
        self.of(owner).add_token(token, now)
    }

    fn token_for_check(&self, id: TokenId) -> Result<Option<(Token, Verifier)>, StoreError> {
        Database::token_for_check(self, id)
    }

    fn tokens(&self, owner: OwnerId) -> Result<Vec<Token>, StoreError> {
        self.of(owner).tokens()
    }

    fn revoke_token(&self, owner: OwnerId, id: TokenId, now: Timestamp) -> Result<Token, StoreError> {
        self.of(owner).revoke_token(id, now)
    }

    fn touch_token(&self, owner: OwnerId, id: TokenId, now: Timestamp) -> Result<(), StoreError> {
        self.of(owner).touch_token(id, now)
    }
}
