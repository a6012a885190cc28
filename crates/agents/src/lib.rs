//! Each known agent: how it is started and continued, and what it is doing.
