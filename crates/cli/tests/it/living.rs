//! Living workers: real hosts, real PTYs, real sockets.

mod child;
mod faults;
mod many;
mod rows;
mod typists;
mod viewers;
