//! Patterns, read for what they mean in lines.

use regex_syntax::ParserBuilder;
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, ClassSetItem, Visitor};
use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look,
    Repetition,
};

/// Reads a pattern as it is meant for one line, so that it finds the same in many lines at once.
///
/// # Errors
///
/// When it is no regular expression.
pub(super) fn parse(pattern: &str, insensitive: bool) -> Result<Hir, Box<regex_syntax::Error>> {
    let mut parser = ParserBuilder::new().case_insensitive(insensitive).multi_line(true).build();
    Ok(in_line(parser.parse(pattern)?))
}

/// The same for lines that stand below each other: nothing in it matches a line feed, so no match reaches over the end
/// of a line, and the ends of the text are those of the line. Lines have no carriage returns.
fn in_line(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(without_line_feed(class)),
        HirKind::Look(Look::Start | Look::StartCRLF) => Hir::look(Look::StartLF),
        HirKind::Look(Look::End | Look::EndCRLF) => Hir::look(Look::EndLF),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(in_line(*repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(capture) => {
            let sub = Box::new(in_line(*capture.sub));
            Hir::capture(Capture { sub, ..capture })
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(in_line).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(in_line).collect()),
    }
}

fn without_line_feed(class: Class) -> Class {
    match class {
        Class::Unicode(mut class) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Class::Unicode(class)
        }
        Class::Bytes(mut class) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Class::Bytes(class)
        }
    }
}

/// Whether the pattern has a capital that is searched for. Those of `\S` and `\pL` are not.
pub(super) fn has_capital(pattern: &str) -> bool {
    let Ok(pattern) = Parser::new().parse(pattern) else { return false };
    let Ok(has_capital) = ast::visit(&pattern, Capitals(false));
    has_capital
}

/// Whether there was a capital so far.
struct Capitals(bool);

impl Visitor for Capitals {
    type Output = bool;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<bool, Self::Err> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, part: &Ast) -> Result<(), Self::Err> {
        if let Ast::Literal(literal) = part {
            self.0 |= literal.c.is_uppercase();
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Literal(literal) => self.0 |= literal.c.is_uppercase(),
            ClassSetItem::Range(range) => {
                self.0 |= range.start.c.is_uppercase() || range.end.c.is_uppercase();
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_capitals_that_a_line_must_contain_count() {
        for pattern in ["Error", "[A-Z]rror", "[xE]", r"\S+E", "(?:a|B)", "É", r"\x41"] {
            assert!(has_capital(pattern), "{pattern}");
        }
        for pattern in ["error", r"\S\W\D\B", r"\pL\PL\p{Greek}", r"[\S\W]", "(?P<Name>x)", "(?U)x", r"\A\z"]
        {
            assert!(!has_capital(pattern), "{pattern}");
        }
    }

    #[test]
    fn nothing_matches_a_line_feed() {
        for pattern in [r"a\nb", r"\s", "[^x]", "(?s).", r"(?-u:\s)", r"(a\n)+", r"x|\n", r"\D\W"] {
            let regex = regex::Regex::new(&parse(pattern, false).unwrap().to_string()).unwrap();
            let found = regex.find_iter("a\nb \n\n?\n").any(|found| found.as_str().contains('\n'));
            assert!(!found, "{pattern} became {regex}");
        }
    }
}
