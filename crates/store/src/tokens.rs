//! Tokens: who may do what. The secrets themselves are nowhere, only their hashes, and the public keys of devices.

use jiff::{SignedDuration, Timestamp};
use model::{OwnerId, TokenId, WorkerId};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{Columns, fresh_id, stamp, unknown_word};
use crate::database::Database;
use crate::error::StoreError;
use crate::object::Object;
use crate::store::{Reader, Store};
use crate::transaction::Tx;
use crate::worker_row;

/// How exactly it is noted when a token was last used. A write for each request would be more than the requests cost.
const LAST_USED_TO_THE: SignedDuration = SignedDuration::from_mins(1);

/// What is known about a token beside its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Which one.
    pub id: TokenId,
    /// Whose things it opens.
    pub owner: OwnerId,
    /// What it is for, in a person's words.
    pub name: String,
    /// What it opens.
    pub scope: Scope,
    /// Whether a device has it: a browser with a key of its own, and no secret that could be sent.
    pub is_device: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ceases to open anything.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl Token {
    /// Whether it opens anything: not taken back, and not expired.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

/// What a token opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everything that is its owner's.
    All,
    /// One worker alone.
    Worker {
        /// Which one.
        worker: WorkerId,
        /// Whether it may type, and not only watch.
        drive: bool,
    },
}

/// What shows that a request is entitled to a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verifier {
    /// The SHA-256 of its secret.
    Hash([u8; 32]),
    /// The key of a device.
    Device {
        /// The device's public key, a point of P-256 in its long form.
        key: [u8; 65],
        /// The `host:port` at which the device signed in. Its key counts nowhere else.
        authority: String,
    },
}

/// A token to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// What it is for, in a person's words.
    pub name: String,
    /// What it opens.
    pub scope: Scope,
    /// What shows that a request is entitled to it.
    pub verifier: Verifier,
    /// When it ceases to open anything.
    pub expires_at: Option<Timestamp>,
}

impl Reader {
    /// All tokens, oldest first, also those that open nothing any more.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.read(|tx| {
            let mut tokens =
                tx.prepare_cached("SELECT * FROM tokens WHERE owner = ?1 ORDER BY created_at, id")?;
            Ok(tokens.query_map([tx.owner()], from_row)?.collect::<Result<_, _>>()?)
        })
    }
}

impl Database {
    /// A token of whichever owner, and what it is checked with: it is not known who asks until then. A hash is to be
    /// compared in constant time. Whether it still opens anything is not said: [`Token::is_valid`] does.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn token_for_check(&self, id: TokenId) -> Result<Option<(Token, Verifier)>, StoreError> {
        self.read(|connection| {
            let mut token = connection.prepare_cached("SELECT * FROM tokens WHERE id = ?1")?;
            Ok(token.query_row([id.as_str()], with_verifier).optional()?)
        })
    }
}

impl Store {
    /// Makes a token.
    ///
    /// # Errors
    ///
    /// When the worker that it opens is not there.
    pub fn add_token(&self, token: &NewToken, now: Timestamp) -> Result<Token, StoreError> {
        self.write(|tx| {
            let (scope, worker, drive) = match &token.scope {
                Scope::All => ("all", None, None),
                Scope::Worker { worker, drive } => {
                    worker_row::find(tx, *worker)?;
                    ("worker", Some(worker.as_str()), Some(*drive))
                }
            };
            let (hash, key, authority) = match &token.verifier {
                Verifier::Hash(hash) => (Some(hash), None, None),
                Verifier::Device { key, authority } => (None, Some(key), Some(authority)),
            };
            let id = fresh_id(tx, "tokens", TokenId::from_random)?;
            let sql = "INSERT INTO tokens (id, name, hash, device_key, authority, scope, worker_id, drive, created_at,
                                           expires_at, owner)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
            let (created_at, expires_at) = (stamp(now), token.expires_at.map(stamp));
            tx.prepare_cached(sql)?.execute(params![
                id.as_str(),
                token.name,
                hash,
                key,
                authority,
                scope,
                worker,
                drive,
                created_at,
                expires_at,
                tx.owner(),
            ])?;
            find(tx, id)
        })
    }

    /// Takes a token back. One that was taken back stays as it is.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn revoke_token(&self, id: TokenId, now: Timestamp) -> Result<Token, StoreError> {
        self.write(|tx| {
            let sql = "UPDATE tokens SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1 AND owner = ?3";
            tx.prepare_cached(sql)?.execute((id.as_str(), stamp(now), tx.owner()))?;
            find(tx, id)
        })
    }

    /// Notes that a token was used. Within a minute of the last time, nothing is written.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn touch_token(&self, id: TokenId, now: Timestamp) -> Result<(), StoreError> {
        let token = self.read(|tx| find(tx, id))?;
        // A clock that was set back counts as another minute.
        let is_fresh =
            token.last_used_at.is_some_and(|last| now.duration_since(last).abs() < LAST_USED_TO_THE);
        if is_fresh {
            return Ok(());
        }
        self.write(|tx| {
            tx.prepare_cached("UPDATE tokens SET last_used_at = ?2 WHERE id = ?1 AND owner = ?3")?
                .execute((id.as_str(), stamp(now), tx.owner()))?;
            Ok(())
        })
    }
}

fn find(tx: &Tx<'_>, id: TokenId) -> Result<Token, StoreError> {
    tx.prepare_cached("SELECT * FROM tokens WHERE id = ?1 AND owner = ?2")?
        .query_row([id.as_str(), tx.owner()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::Token(id) })
}

fn with_verifier(row: &Row<'_>) -> rusqlite::Result<(Token, Verifier)> {
    let token = from_row(row)?;
    let verifier = match token.is_device {
        false => Verifier::Hash(row.get("hash")?),
        true => Verifier::Device { key: row.get("device_key")?, authority: row.get("authority")? },
    };
    Ok((token, verifier))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Token> {
    Ok(Token {
        id: row.word("id")?,
        owner: row.word("owner")?,
        name: row.get("name")?,
        scope: match row.get_ref("scope")?.as_str()? {
            "all" => Scope::All,
            "worker" => Scope::Worker { worker: row.word("worker_id")?, drive: row.get("drive")? },
            other => return Err(unknown_word("scope", other)),
        },
        is_device: row.get::<_, Option<String>>("authority")?.is_some(),
        created_at: row.word("created_at")?,
        expires_at: row.word_or_null("expires_at")?,
        last_used_at: row.word_or_null("last_used_at")?,
        revoked_at: row.word_or_null("revoked_at")?,
    })
}
