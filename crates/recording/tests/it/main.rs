//! What a recording promises its writers and readers, also after damage.

mod damage;
mod disk_full;
mod exact_bytes;
mod follow;
mod life;
mod memory;
mod outside;
mod private;
mod reopen;
mod round_trip;
mod sealed;
mod sealed_damage;
mod system_calls;
mod trim;
