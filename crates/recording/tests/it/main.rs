//! What a recording promises to those who write, read and break it.

mod damage;
mod disk_full;
mod exact_bytes;
mod follow;
mod life;
mod memory;
mod output;
mod outside;
mod private;
mod reopen;
mod round_trip;
mod sealed;
mod sealed_damage;
mod system_calls;
mod trim;
