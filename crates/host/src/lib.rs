//! The detached process that owns one worker's PTY.
//!
//! One thread waits for everything (`run`): it drains the PTY onto the `tape`, hands the same bytes to every viewer
//! (`viewers`), and does not wait for one that is slow. Two more threads follow the tape at their own pace: the
//! terminal model (`follower`), which answers the program's questions and draws snapshots, and the `recorder`, which
//! writes to disk. A host knows bytes, sizes and exit statuses, and nothing of agents, tasks or HTTP.

mod answer;
mod deep;
mod detach;
mod ending;
mod faults;
mod follower;
mod input;
mod leaving;
mod listener;
mod log;
mod pty;
mod publish;
mod rebuild;
mod recorder;
mod requests;
mod run;
mod sealing;
mod size;
mod start;
mod status;
mod survivors;
mod tape;
mod thrift;
mod told;
mod typists;
mod upgrade;
mod viewer;
mod viewers;
mod waker;

pub use start::main;
pub use thrift::give_back;
