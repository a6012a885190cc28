//! Tests of the gate, with a real listener and a few routes. The client sends raw bytes.

mod answers;
mod bodies;
mod connections;
mod credentials;
mod heads;
mod matrix;
mod routes;
mod server;
mod sockets;
