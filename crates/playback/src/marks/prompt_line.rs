//! What a person typed at a shell's prompt, read off the screen.

use terminal::{PromptMark, StyledRow, Terminal, width};

/// The line on which a person types.
#[derive(Default)]
pub(crate) struct PromptLine {
    /// The column in which the prompt ended and typing began.
    first_col: Option<u16>,
}

impl PromptLine {
    /// The prompt ends here; what follows is typed.
    pub(crate) fn ends(&mut self, terminal: &Terminal) {
        self.first_col = Some(terminal.cursor().col);
    }

    /// The text typed since the prompt ended, now that the command begins to run; nothing if that cannot be seen.
    pub(crate) fn take_typed(&mut self, terminal: &Terminal) -> Option<String> {
        let first_col = self.first_col.take()?;
        let rows: Vec<StyledRow> = terminal.rows().collect();
        let first = rows.iter().rposition(|row| row.marks.iter().any(|mark| mark == PromptMark::Input))?;
        let cursor = terminal.cursor();
        let end = usize::from(cursor.row) + usize::from(cursor.col > 0);
        let (first_row, others) = rows.get(first..end.max(first + 1))?.split_first()?;
        let mut typed = behind(&first_row.text(), first_col);
        for row in others {
            if !row.wrapped {
                typed.truncate(typed.trim_end().len());
                typed.push('\n');
            }
            typed.push_str(&row.text());
        }
        let typed = typed.trim();
        (!typed.is_empty()).then(|| typed.to_owned())
    }
}

/// The text from a column on.
fn behind(text: &str, first_col: u16) -> String {
    let mut col = 0;
    let is_before = |c: &char| {
        let before = col < first_col;
        col += u16::from(width(*c));
        before
    };
    text.chars().skip_while(is_before).collect()
}
