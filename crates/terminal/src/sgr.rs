//! Styles as numbers (SGR): the shortest sequence from one style to another.

use crate::style::{Color, ColorKind, Flags, Style, Underline};

const SWITCHES: [(Flags, &str); 8] = [
    (Flags::BOLD, "1"),
    (Flags::DIM, "2"),
    (Flags::ITALIC, "3"),
    (Flags::BLINK, "5"),
    (Flags::INVERSE, "7"),
    (Flags::INVISIBLE, "8"),
    (Flags::STRIKE, "9"),
    (Flags::OVERLINE, "53"),
];

/// Appends what brings the pen of a viewer from one style to another; links are not looked at.
pub(crate) fn change(out: &mut Vec<u8>, from: &Style, to: &Style) {
    let mut numbers = Numbers::default();
    let only_adds = to.flags.contains(from.flags)
        && (from.underline == to.underline || from.underline == Underline::None)
        && (from.underline_color == to.underline_color || !to.underline_color.is_default());
    if only_adds {
        numbers.additions(from, to);
    } else {
        numbers.add("0");
        numbers.additions(&Style::default(), to);
    }
    numbers.write(out);
    protection(out, from.flags, to.flags);
}

/// The numbers that set a style, independent of the style before.
pub(crate) fn numbers(style: &Style) -> String {
    let mut numbers = Numbers::default();
    numbers.add("0");
    numbers.additions(&Style::default(), style);
    numbers.0
}

/// Appends what sets an underline colour for a pen that does not underline yet.
pub(crate) fn underline_color(out: &mut Vec<u8>, color: Color) {
    let mut numbers = Numbers::default();
    numbers.underline_color(color);
    numbers.write(out);
}

/// Protection is no matter of SGR, though a reset of the pen takes it off in some terminals: said last.
fn protection(out: &mut Vec<u8>, from: Flags, to: Flags) {
    if to.contains(Flags::PROTECTED) {
        out.extend_from_slice(b"\x1b[1\"q");
    } else if from.contains(Flags::PROTECTED) {
        out.extend_from_slice(b"\x1b[\"q");
    }
}

#[derive(Default)]
struct Numbers(String);

impl Numbers {
    fn add(&mut self, number: &str) {
        if !self.0.is_empty() {
            self.0.push(';');
        }
        self.0.push_str(number);
    }

    /// What must be said to get from one style to another that has all its attributes.
    fn additions(&mut self, from: &Style, to: &Style) {
        for (flag, number) in SWITCHES {
            if to.flags.contains(flag) && !from.flags.contains(flag) {
                self.add(number);
            }
        }
        if to.underline != from.underline {
            match to.underline {
                Underline::None => {}
                Underline::Single => self.add("4"),
                shape => self.add(&format!("4:{}", shape as u8)),
            }
        }
        if to.foreground != from.foreground {
            self.color(to.foreground, 30);
        }
        if to.background != from.background {
            self.color(to.background, 40);
        }
        if to.underline_color != from.underline_color {
            self.underline_color(to.underline_color);
        }
    }

    fn color(&mut self, color: Color, base: u32) {
        match color.kind() {
            ColorKind::Default => self.add(&(base + 9).to_string()),
            ColorKind::Indexed(index @ 0..8) => self.add(&(base + u32::from(index)).to_string()),
            ColorKind::Indexed(index @ 8..16) => self.add(&(base + 52 + u32::from(index)).to_string()),
            ColorKind::Indexed(index) => self.add(&format!("{};5;{index}", base + 8)),
            ColorKind::Rgb(r, g, b) if color.is_short() => self.add(&format!("{}:2:{r}:{g}:{b}", base + 8)),
            ColorKind::Rgb(r, g, b) => self.add(&format!("{};2;{r};{g};{b}", base + 8)),
        }
    }

    /// With colons: a terminal that does not know underline colours skips these as a whole.
    fn underline_color(&mut self, color: Color) {
        match color.kind() {
            ColorKind::Default => self.add("59"),
            ColorKind::Indexed(index) => self.add(&format!("58:5:{index}")),
            ColorKind::Rgb(r, g, b) if color.is_short() => self.add(&format!("58:2:{r}:{g}:{b}")),
            ColorKind::Rgb(r, g, b) => self.add(&format!("58:2::{r}:{g}:{b}")),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        if self.0.is_empty() {
            return;
        }
        let numbers = if self.0 == "0" { "" } else { &self.0 };
        out.extend_from_slice(b"\x1b[");
        out.extend_from_slice(numbers.as_bytes());
        out.push(b'm');
    }
}
