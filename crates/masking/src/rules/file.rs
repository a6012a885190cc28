//! Rules as people write them.

use regex::bytes::{Regex, RegexBuilder};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::RulesError;
use super::example;
use super::rule::{Check, Rule};
use super::triggers::SHORTEST;
use crate::columns;

/// How much a file of rules may ask for.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    rules: usize,
    pattern: usize,
    /// Bytes of a compiled pattern.
    compiled: usize,
}

impl Limits {
    pub(super) const OURS: Limits = Limits { rules: 500, pattern: 4000, compiled: 4 << 20 };
    /// Each line of output that has a trigger pays for these; no person writes more.
    pub(super) const USER: Limits = Limits { rules: 100, pattern: 1000, compiled: 1 << 20 };
}

/// A name is shown in lists; a trigger is part of one automaton for all rules.
const MAX_NAME: usize = 60;
const MAX_TRIGGER: usize = 40;
const MAX_TRIGGERS: usize = 64;
/// Columns that a match of a rule has at most, unless it says otherwise. A value that goes on is masked to its end.
const LONGEST: usize = 512;
/// Columns that a rule may ask for.
const MAX_LONGEST: usize = 16 << 10;

const KEYS: &str = "a rule has name, pattern, starts or triggers, inside, back, longest, check and examples";

/// Reads rules.
///
/// # Errors
///
/// At the first thing that is wrong, with its line.
pub(super) fn read(text: &str, limits: Limits) -> Result<Vec<Rule>, RulesError> {
    let table = DeTable::parse(text).map_err(|error| RulesError::Syntax {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let mut rules = Vec::new();
    for (key, value) in table.get_ref() {
        let line = line_of(text, key.span().start);
        let unknown = || RulesError::UnknownKey {
            line,
            key: key.get_ref().to_string(),
            allowed: "a file of rules has `[[rule]]` and nothing else at its top",
        };
        let tables = match (&**key.get_ref(), value.get_ref()) {
            ("rule", DeValue::Array(tables)) => tables,
            _ => return Err(unknown()),
        };
        if tables.len() > limits.rules {
            return Err(RulesError::TooMany { count: tables.len(), most: limits.rules });
        }
        for table in tables {
            let DeValue::Table(fields) = table.get_ref() else { return Err(unknown()) };
            rules.push(Fields::read(text, line_of(text, table.span().start), fields)?.compile(limits)?);
        }
    }
    Ok(rules)
}

/// A rule before it is compiled.
#[derive(Default)]
struct Fields {
    line: usize,
    name: String,
    pattern: String,
    starts: Vec<String>,
    triggers: Vec<String>,
    inside: bool,
    back: usize,
    longest: usize,
    check: Option<String>,
    examples: Vec<String>,
}

impl Fields {
    fn read(text: &str, line: usize, table: &DeTable<'_>) -> Result<Fields, RulesError> {
        let mut fields = Fields { line, longest: LONGEST, ..Fields::default() };
        if let Some(DeValue::String(name)) = table.get("name").map(Spanned::get_ref) {
            fields.name = name.to_string();
        }
        for (key, value) in table {
            fields.line = line_of(text, key.span().start);
            let value = value.get_ref();
            match &**key.get_ref() {
                "name" => fields.name = fields.text(value)?,
                "pattern" => fields.pattern = fields.text(value)?,
                "starts" => fields.starts = fields.texts(value)?,
                "triggers" => fields.triggers = fields.texts(value)?,
                "examples" => fields.examples = fields.texts(value)?,
                "check" => fields.check = Some(fields.text(value)?),
                "inside" => fields.inside = fields.truth(value)?,
                "back" => fields.back = fields.number(value)?,
                "longest" => fields.longest = fields.number(value)?,
                other => {
                    let (line, key) = (fields.line, other.to_owned());
                    return Err(RulesError::UnknownKey { line, key, allowed: KEYS });
                }
            }
        }
        fields.line = line;
        Ok(fields)
    }

    fn problem(&self, problem: impl Into<String>) -> RulesError {
        RulesError::Rule { line: self.line, rule: self.name.clone(), problem: problem.into() }
    }

    fn text(&self, value: &DeValue<'_>) -> Result<String, RulesError> {
        match value {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.problem("expected a text in quotes; single quotes spare you doubled backslashes")),
        }
    }

    fn texts(&self, value: &DeValue<'_>) -> Result<Vec<String>, RulesError> {
        match value {
            DeValue::Array(values) => values.iter().map(|value| self.text(value.get_ref())).collect(),
            _ => Err(self.problem("expected a list of texts, as in `[\"one\", \"two\"]`")),
        }
    }

    fn truth(&self, value: &DeValue<'_>) -> Result<bool, RulesError> {
        match value {
            DeValue::Boolean(truth) => Ok(*truth),
            _ => Err(self.problem("expected `true` or `false`")),
        }
    }

    fn number(&self, value: &DeValue<'_>) -> Result<usize, RulesError> {
        let number = match value {
            DeValue::Integer(number) => number.to_string().parse::<usize>().ok(),
            _ => None,
        };
        number
            .filter(|&number| number <= MAX_LONGEST)
            .ok_or_else(|| self.problem(format!("expected a number of columns, at most {MAX_LONGEST}")))
    }

    fn compile(self, limits: Limits) -> Result<Rule, RulesError> {
        if self.name.is_empty() || self.name.len() > MAX_NAME || self.name.chars().any(char::is_control) {
            return Err(self.problem(format!("give it a `name` of 1 to {MAX_NAME} characters")));
        }
        if self.pattern.is_empty() || self.pattern.len() > limits.pattern {
            let most = limits.pattern;
            return Err(self.problem(format!("give it a `pattern` of 1 to {most} characters")));
        }
        if !self.starts.is_empty() && !self.triggers.is_empty() {
            return Err(self.problem("it has `starts` and `triggers`; keep one of them"));
        }
        let starts_at_trigger = !self.starts.is_empty();
        let literals = if starts_at_trigger { &self.starts } else { &self.triggers };
        let too_long = |literal: &&String| literal.len() < SHORTEST || literal.len() > MAX_TRIGGER;
        if literals.len() > MAX_TRIGGERS || literals.iter().any(|literal| too_long(&literal)) {
            return Err(self.problem(format!(
                "`starts` and `triggers` are at most {MAX_TRIGGERS} texts of {SHORTEST} to {MAX_TRIGGER} bytes"
            )));
        }
        let check = match self.check.as_deref() {
            None => Check::None,
            Some("assigned") => Check::Assigned,
            Some("mixed") => Check::Mixed,
            // Of ours alone: it needs groups of two kinds.
            Some("named") if limits.pattern == Limits::OURS.pattern => Check::Named,
            Some("random") => Check::Random,
            Some(_) => return Err(self.problem("`check` is \"assigned\", \"mixed\" or \"random\"")),
        };
        let regex = self.regex(limits, starts_at_trigger && self.back == 0)?;
        Ok(Rule {
            line: self.line,
            triggers: literals.iter().map(|literal| columns::columns_of(literal)).collect(),
            secrets: secret_groups(&regex),
            name_group: regex.capture_names().position(|name| name == Some("name")),
            examples: self.examples.iter().map(|example| example::spell_out(example)).collect(),
            name: self.name,
            regex,
            starts_at_trigger,
            inside: self.inside,
            back: self.back,
            longest: self.longest,
            check,
        })
    }

    fn regex(&self, limits: Limits, anchored: bool) -> Result<Regex, RulesError> {
        let pattern = if anchored { format!("^(?:{})", self.pattern) } else { self.pattern.clone() };
        let regex = RegexBuilder::new(&pattern)
            .unicode(false)
            .size_limit(limits.compiled)
            .dfa_size_limit(limits.compiled)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => self.problem(
                    "its pattern is too large when compiled; use smaller counts in `{…}` or fewer alternatives",
                ),
                error => {
                    let error = error.to_string();
                    let reason = error.lines().last().unwrap_or("").trim().trim_start_matches("error: ");
                    self.problem(format!("its pattern is no regular expression: {reason}"))
                }
            })?;
        match regex.is_match(b"") {
            true => {
                Err(self.problem("its pattern matches nothing at all, too; ask for at least one character"))
            }
            false => Ok(regex),
        }
    }
}

/// The groups that hold the secret: those whose names begin so.
fn secret_groups(regex: &Regex) -> Vec<usize> {
    let named = |name: Option<&str>| name.is_some_and(|name| name.starts_with("secret"));
    regex.capture_names().enumerate().filter(|&(_, name)| named(name)).map(|(index, _)| index).collect()
}

fn line_of(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().get(..byte).unwrap_or(text.as_bytes());
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}
