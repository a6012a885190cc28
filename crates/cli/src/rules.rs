//! The masking rules, with messages for people when they cannot be read.

use std::sync::Arc;

use anyhow::Error;
use home::{Home, WorkerDir};
use masking::Rules;
use reading::{Masks, MasksError};

use crate::failure::Failure;

/// What is masked in a home.
///
/// # Errors
///
/// When the user's own rules cannot be read or make no sense.
pub(crate) fn masks(home: &Home) -> Result<Masks, Failure> {
    Masks::read(home).map_err(failure)
}

/// The rules for one worker's recording.
///
/// # Errors
///
/// As for [`masks`].
pub(crate) fn rules_for(home: &Home, dir: &WorkerDir) -> Result<Arc<Rules>, Failure> {
    Ok(masks(home)?.of(dir))
}

/// Why the user's rules cannot be used, and a way on.
pub(crate) fn failure(error: MasksError) -> Failure {
    match error {
        MasksError::Read { .. } => Failure::from(Error::from(error))
            .hint("make it a readable text file, or remove it to use only abide's own rules"),
        // Its sentence holds that of its source.
        MasksError::Rules { .. } => Failure::ours(error).hint("docs/masking.md says what a rule looks like"),
    }
}
