//! The kitty keyboard protocol: which keys are reported how.

/// The flags in force and those that wait beneath them; each screen has its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyboardStack(Vec<u32>);

/// Programs push one level each; deeper stacks lose the oldest.
const MAX_LEVELS: usize = 33;

impl Default for KeyboardStack {
    fn default() -> KeyboardStack {
        KeyboardStack(vec![0])
    }
}

impl KeyboardStack {
    pub(crate) fn flags(&self) -> u32 {
        self.0.last().copied().unwrap_or(0)
    }

    /// All levels; the first is the one no program pushed.
    pub(crate) fn levels(&self) -> &[u32] {
        &self.0
    }

    pub(crate) fn push(&mut self, flags: u32) {
        self.0.push(flags);
        if self.0.len() > MAX_LEVELS {
            self.0.remove(1);
        }
    }

    /// Popping more than there is puts the lowest level back to nothing.
    pub(crate) fn pop(&mut self, n: usize) {
        let pushed = self.0.len() - 1;
        self.0.truncate(1 + pushed.saturating_sub(n));
        if n > pushed {
            self.0[0] = 0;
        }
    }

    /// Changes the level in force: 1 replaces, 2 adds, 3 takes away.
    pub(crate) fn set(&mut self, flags: u32, how: u32) {
        if let Some(level) = self.0.last_mut() {
            *level = match how {
                0 | 1 => flags,
                2 => *level | flags,
                _ => *level & !flags,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyboard_levels_are_pushed_and_popped() {
        let mut stack = KeyboardStack::default();
        stack.push(5);
        stack.set(2, 2);
        assert_eq!(stack.flags(), 7);
        stack.set(1, 3);
        assert_eq!(stack.levels(), [0, 6]);
        stack.pop(1);
        stack.set(9, 1);
        assert_eq!(stack.flags(), 9);
        stack.pop(1);
        assert_eq!(stack.levels(), [0]);
        for flags in 0..100 {
            stack.push(flags);
        }
        assert_eq!(stack.levels().len(), MAX_LEVELS);
        stack.pop(usize::MAX);
        assert_eq!(stack.levels(), [0]);
    }
}
