//! What the masker promises its callers.

mod common;
mod drawn;
mod forms;
mod hostile;
mod laws;
mod odd_sequences;
mod printed;
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
