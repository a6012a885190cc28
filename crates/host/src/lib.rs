//! The detached process that owns one worker's PTY.
//!
//! One thread waits for everything (`run`): it reads the PTY onto the `tape` and sends the same bytes to every viewer
//! (`output`), gives the child what is typed (`input`) and does what viewers ask (`requests`). It does not wait for a
//! viewer that is slow. Two more threads follow the tape at their own pace: the terminal model (`follower`), which
//! answers the program's questions and draws `snapshots`, and the `recorder`, which writes to disk. A host knows bytes,
//! sizes and exit statuses, and nothing of agents, tasks or HTTP.

mod connections;
mod detach;
mod ending;
mod faults;
mod follower;
mod host;
mod input;
mod listener;
mod log;
mod messages;
mod output;
mod pty;
mod recorder;
mod requests;
mod run;
mod sealing;
mod size;
mod snapshots;
mod start;
mod status;
mod tape;
mod thrift;
mod told;
mod upgrade;
mod viewer;
mod viewers;

pub use start::main;
