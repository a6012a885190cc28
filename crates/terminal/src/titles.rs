//! Window title and icon name, and the stacks they can be pushed on.

/// Longer titles are cut: a person would not read them.
const MAX_TITLE: usize = 4096;

/// Deeper stacks lose the oldest.
pub(crate) const MAX_DEPTH: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Titles {
    pub(crate) window: String,
    pub(crate) icon: String,
    pub(crate) window_stack: Vec<String>,
    pub(crate) icon_stack: Vec<String>,
    /// Whether a program ever said a title. Where none did, a viewer's own title stays.
    pub(crate) touched: bool,
}

impl Titles {
    pub(crate) fn push_window(&mut self) {
        push(&mut self.window_stack, &self.window);
    }

    pub(crate) fn push_icon(&mut self) {
        push(&mut self.icon_stack, &self.icon);
    }
}

fn push(stack: &mut Vec<String>, title: &str) {
    if stack.len() == MAX_DEPTH {
        stack.remove(0);
    }
    stack.push(title.to_owned());
}

/// A title as we keep it.
pub(crate) fn capped(title: &str) -> String {
    let mut end = title.len().min(MAX_TITLE);
    while !title.is_char_boundary(end) {
        end -= 1;
    }
    title[..end].to_owned()
}
