//! What exports promise to those who read them, and imports to those who run them.

mod asciicast;
mod browser;
mod html;
mod import;
mod import_damage;
mod import_memory;
mod life;
mod player;
mod round_trip;
mod text;
