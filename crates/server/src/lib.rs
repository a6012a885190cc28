//! The server: HTTP, WebSocket relay, tasks; starts hosts and adopts living ones.
