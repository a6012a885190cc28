//! Recordings that were made up, played.

mod commands;
mod damage;
mod life;
mod lines;
mod marks;
mod player;
mod sealing;
mod searching;
