//! `abide attach` and `abide new`, in a person's terminal window.

mod desk;
mod ends;
mod filtered;
mod programs;
mod refused;
mod restored;
mod sizes;
mod unnoticed;

pub(crate) use desk::Desk;
