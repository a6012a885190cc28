//! Sockets of a real server, with real hosts behind them.

mod attach;
mod faults;
mod house;
mod pipe;
mod terminals;
mod worker_socket;
