//! What the grammar tells a visitor, and the laws that hold for any stream.

mod bounds;
mod check;
mod habits;
mod laws;
mod tokens;
