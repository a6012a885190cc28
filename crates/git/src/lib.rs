//! Repositories and worktrees, through the git program.
