//! Tests of sockets, with a real server and real hosts.

mod attach;
mod faults;
mod house;
mod pipe;
mod terminals;
mod worker_socket;
