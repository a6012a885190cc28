//! Living workers: real hosts, real PTYs, real sockets.

mod child;
mod faults;
mod many;
mod rows;
mod shells;
mod typists;
mod viewers;
