//! The gate, with a real listener in front and a few routes behind it, asked in raw bytes.

mod answers;
mod bodies;
mod connections;
mod credentials;
mod heads;
mod matrix;
mod routes;
mod server;
mod sockets;
