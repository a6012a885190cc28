//! What HTTP and WebSocket carry: requests, replies, events, error codes.
