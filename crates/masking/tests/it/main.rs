//! What the masker promises, at its border.

mod common;
mod drawn;
mod hostile;
mod laws;
mod rules;
mod strings;
mod text;
mod typed;
mod untouched;
mod user_rules;
mod values;
mod wrapped;

#[global_allocator]
static ALLOCATOR: testkit::CountingAllocator = testkit::CountingAllocator;
