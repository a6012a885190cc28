//! The cursor as it is seen.

/// The cursor's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorShape {
    /// A full cell.
    Block,
    /// A line below.
    Underline,
    /// A line to the left.
    Bar,
}

/// What DECSCUSR set; nothing means that the viewer's own taste holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CursorStyle {
    /// Shape.
    pub shape: Option<CursorShape>,
    /// Blinking or steady.
    pub blink: Option<bool>,
}

impl CursorStyle {
    /// Applies `CSI n SP q`.
    pub(crate) fn set(&mut self, n: u32) {
        if n == 0 {
            *self = CursorStyle::default();
            return;
        }
        self.blink = Some(n % 2 == 1);
        match n {
            1 | 2 => self.shape = Some(CursorShape::Block),
            3 | 4 => self.shape = Some(CursorShape::Underline),
            5 | 6 => self.shape = Some(CursorShape::Bar),
            _ => {}
        }
    }

    /// The number that sets this style in a terminal with the default one.
    pub(crate) fn number(self) -> u32 {
        let steady = match self.shape {
            Some(CursorShape::Block) => 2,
            Some(CursorShape::Underline) => 4,
            Some(CursorShape::Bar) => 6,
            None => 8,
        };
        match self.blink {
            None => 0,
            Some(blink) => steady - u32::from(blink),
        }
    }
}

/// Where the cursor is and how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Column, from zero.
    pub col: u16,
    /// Row, from zero.
    pub row: u16,
    /// The last column was printed on; the next character goes to the next row.
    pub pending_wrap: bool,
    /// Whether it is shown.
    pub visible: bool,
    /// How it looks.
    pub style: CursorStyle,
}
