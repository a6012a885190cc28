//! What a line says about the line after it.

use crate::block::Block;
use crate::dump::Cut;
use crate::folded::Folded;

/// What began in a line and may go on in the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Open {
    #[default]
    Nothing,
    /// A private key.
    Key,
    /// The lines of a YAML block that is a secret.
    Block(Block),
    /// A known value that is broken into lines.
    Folded(Folded),
    /// A known value in a dump of bytes.
    Dump(Cut),
}
