//! What others may have of what was recorded.

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
