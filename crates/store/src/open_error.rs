//! Why a database cannot be opened.

use std::io;

use thiserror::Error;

use crate::error::{StoreError, Trouble};

/// Why there is no store. The file is as it was, unless its mode was too open or some migrations were finished.
#[derive(Debug, PartialEq, Error)]
pub enum OpenError {
    /// A newer abide made it. Nothing was touched.
    #[error("the database has version {found}, and this program knows versions up to {known}")]
    Newer {
        /// Its version.
        found: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// It is damaged or no database of ours: set it aside.
    #[error("the database is damaged: {reason}")]
    Corrupt {
        /// The finding.
        reason: String,
    },
    /// Not now.
    #[error("the database cannot be used now: {reason}")]
    Unavailable {
        /// Why.
        reason: Trouble,
    },
    /// A mistake of ours, or in a migration.
    #[error("the database refuses: {0}")]
    Sql(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> OpenError {
        match StoreError::from(error) {
            StoreError::Unavailable { reason } => OpenError::Unavailable { reason },
            StoreError::Corrupt { reason } => OpenError::Corrupt { reason },
            StoreError::Sql(error) => OpenError::Sql(error),
            other => OpenError::Corrupt { reason: other.to_string() },
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Unavailable { reason: Trouble::from(&error) }
    }
}
