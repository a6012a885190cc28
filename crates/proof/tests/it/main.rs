//! Tests of whole conversations between a page and the server.

mod conversation;
mod fixture;
mod laws;
mod texts;
