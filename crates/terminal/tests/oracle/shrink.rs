//! Shrinks a failing case to the bytes that matter.

use std::ops::Range;

use model::TermSize;

use crate::case::{Case, Source, escaped};
use crate::lexer;
use crate::server::{Difference, Oracle};

/// Prints a case with its snapshot and all that differs.
pub(crate) fn show(oracle: &mut Oracle, case: &Case) {
    let verdict = case.judge(oracle);
    let whole = case.with_stream(case.stream.clone(), case.cut);
    println!("case     {whole}");
    println!("prefix   $'{}'", escaped(case.prefix()));
    println!("rest     $'{}'", escaped(case.rest()));
    println!("snapshot $'{}'", escaped(&case.snapshot()));
    if let Some(fault) = &verdict.void {
        println!("void     {fault}");
    }
    for difference in &verdict.differences {
        println!("differs  {difference}");
    }
}

/// The smallest case found that still differs in the wanted `stage:aspect`, or in the first one that differs.
pub(crate) fn minimise(oracle: &mut Oracle, case: &Case, wanted: Option<&str>) -> Option<Case> {
    let differences = case.judge(oracle).differences;
    let class = differences
        .iter()
        .map(Difference::class)
        .find(|class| wanted.is_none_or(|wanted| wanted == class))?;
    let mut shrinker = Shrinker { oracle, class, case: case.with_stream(case.stream.clone(), case.cut) };
    loop {
        let before = shrinker.case.clone();
        shrinker.simplify_viewer();
        shrinker.drop_tokens();
        shrinker.shrink_size();
        shrinker.drop_bytes();
        shrinker.plainer_bytes();
        if shrinker.case == before {
            return Some(shrinker.case);
        }
    }
}

struct Shrinker<'a> {
    oracle: &'a mut Oracle,
    class: String,
    case: Case,
}

impl Shrinker<'_> {
    /// Keeps the candidate if it still fails in the same way.
    fn attempt(&mut self, candidate: Case) -> bool {
        if candidate == self.case {
            return false;
        }
        let verdict = candidate.judge(self.oracle);
        let fails = verdict.void.is_none()
            && verdict.differences.iter().any(|difference| difference.class() == self.class);
        if fails {
            self.case = candidate;
        }
        fails
    }

    fn without(&self, range: Range<usize>) -> Case {
        let mut stream = self.case.stream.clone();
        let before_cut = range.end.min(self.case.cut).saturating_sub(range.start);
        stream.drain(range);
        self.case.with_stream(stream, self.case.cut - before_cut)
    }

    fn simplify_viewer(&mut self) {
        self.attempt(Case { dirty: 0, ..self.case.clone() });
        for history in [5, 0] {
            self.attempt(Case { history, ..self.case.clone() });
        }
    }

    fn drop_tokens(&mut self) {
        let mut at_once = lexer::tokens(&self.case.stream).len().div_ceil(2).max(1);
        loop {
            let mut i = 0;
            loop {
                let tokens = self.tokens();
                let Some(first) = tokens.get(i) else { break };
                let last = &tokens[(i + at_once).min(tokens.len()) - 1];
                let candidate = self.without(first.start..last.end);
                if !self.attempt(candidate) {
                    i += at_once;
                }
            }
            if at_once == 1 {
                return;
            }
            at_once = at_once.div_ceil(2);
        }
    }

    /// The tokens, with the one the cut falls into in two halves.
    fn tokens(&self) -> Vec<Range<usize>> {
        let cut = self.case.cut;
        let halves = |token: Range<usize>| {
            if token.start < cut && cut < token.end {
                vec![token.start..cut, cut..token.end]
            } else {
                vec![token]
            }
        };
        lexer::tokens(&self.case.stream).into_iter().flat_map(halves).collect()
    }

    fn drop_bytes(&mut self) {
        let mut at = 0;
        while at < self.case.stream.len() {
            let candidate = self.without(at..at + 1);
            if !self.attempt(candidate) {
                at += 1;
            }
        }
    }

    /// Smaller numbers and plainer letters say more about the cause.
    fn plainer_bytes(&mut self) {
        for at in 0..self.case.stream.len() {
            let plainer: &[u8] = match self.case.stream[at] {
                b'2'..=b'9' => b"12",
                b'a'..=b'z' | b'A'..=b'Z' | b'!'..=b'/' => b"x",
                _ => b"",
            };
            for &byte in plainer {
                let mut stream = self.case.stream.clone();
                stream[at] = byte;
                let candidate = self.case.with_stream(stream, self.case.cut);
                if self.case.stream[at] == byte || self.attempt(candidate) {
                    break;
                }
            }
        }
    }

    fn shrink_size(&mut self) {
        for smaller in [|n: u16| n / 2, |n: u16| n - 1] {
            while self.resized(smaller(self.case.size.cols()), self.case.size.rows()) {}
            while self.resized(self.case.size.cols(), smaller(self.case.size.rows())) {}
        }
    }

    fn resized(&mut self, cols: u16, rows: u16) -> bool {
        let size = TermSize::clamped(cols, rows);
        let source = Source::Bytes { bytes: self.case.stream.clone(), size };
        self.attempt(Case { size, source, ..self.case.clone() })
    }
}
