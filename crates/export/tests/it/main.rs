//! What exports promise their readers, and imports their callers.

mod asciicast;
mod browser;
mod html;
mod import;
mod import_damage;
mod import_memory;
mod life;
mod player;
mod round_trip;
mod svg;
mod svg_reader;
mod text;
