//! What outlives processes: SQLite, its migrations and queries. Rows never leave the room.
