//! What can be asked of both terminals.

use std::fmt;

use terminal::{ColorKind, Underline};

/// A terminal as a person sees it and as its keys work.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) rows: Vec<Row>,
    /// Column and row.
    pub(crate) cursor: (u16, u16),
    pub(crate) pending_wrap: bool,
    pub(crate) alternate: bool,
    pub(crate) modes: Vec<(&'static str, bool)>,
    /// The kitty keyboard flags.
    pub(crate) keyboard: u32,
    /// The title without blanks around it.
    pub(crate) title: String,
    /// The history's text.
    pub(crate) history: Vec<String>,
}

impl View {
    /// Without the history, for streams that the two put there differently.
    pub(crate) fn without_history(self) -> View {
        View { history: Vec::new(), ..self }
    }
}

/// A row as runs of one look each, its blank columns included.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Row(Vec<(Look, String)>);

impl Row {
    pub(crate) fn add(&mut self, look: Look, text: &str) {
        match self.0.last_mut() {
            Some((last, run)) if *last == look => run.push_str(text),
            _ => self.0.push((look, text.to_owned())),
        }
    }

    /// The text without blanks at its end.
    pub(crate) fn text(&self) -> String {
        let text: String = self.0.iter().map(|(_, text)| text.as_str()).collect();
        text.trim_end().to_owned()
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (look, text) in &self.0 {
            write!(f, "{look:?}{text:?} ")?;
        }
        Ok(())
    }
}

/// How a cell looks, as far as both terminals keep it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) foreground: ColorKind,
    pub(crate) background: ColorKind,
    pub(crate) underline: Underline,
    pub(crate) underline_color: ColorKind,
    /// A letter for each attribute.
    pub(crate) attributes: String,
    /// Where it leads, or nothing.
    pub(crate) link: String,
}

impl Look {
    /// A colour that nothing is drawn in is not compared.
    pub(crate) fn seen(self) -> Look {
        match self.underline {
            Underline::None => Look { underline_color: ColorKind::Default, ..self },
            _ => self,
        }
    }
}

impl fmt::Debug for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, color) in [("", self.foreground), ("on ", self.background), ("_", self.underline_color)] {
            if color != ColorKind::Default {
                write!(f, "{name}{color:?} ")?;
            }
        }
        if self.underline != Underline::None {
            write!(f, "{:?} ", self.underline)?;
        }
        write!(f, "{}{}", self.attributes, self.link)
    }
}

/// The letters of the attributes that are set.
pub(crate) fn letters(attributes: impl IntoIterator<Item = (bool, char)>) -> String {
    attributes.into_iter().filter(|(set, _)| *set).map(|(_, letter)| letter).collect()
}
