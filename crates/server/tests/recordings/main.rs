//! Tests of the functions that read recordings.

mod export;
mod info;
mod life;
mod lines;
mod marks;
mod masks;
mod output;
mod screen;
mod search;
mod stop;
