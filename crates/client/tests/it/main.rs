//! The client against a server that follows a script, over a real socket.

mod desk;
mod errors;
mod requests;
mod wire;
