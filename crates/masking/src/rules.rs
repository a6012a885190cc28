//! What counts as a secret.

mod error;
mod example;
mod file;
mod plain_text;
mod rule;
mod search;
mod triggers;

use std::ffi::OsString;
use std::sync::Arc;

pub use error::RulesError;
pub use plain_text::{Finding, MaskedLine, TextMasker};
pub(crate) use search::{Found, Hit, Source};

use crate::mask::Mask;
use crate::private_key;
use crate::variables::{self, KnownValue};
use rule::Rule;
use triggers::Triggers;

/// The rules that come with abide.
const BUILTIN: &str = include_str!("../rules.toml");

/// Of a known value so many columns are searched for with the triggers; the rest is compared.
const NEEDLE_START: usize = 8;

/// Compiled rules: patterns of secrets, and known values of some. Cheap to share, costly to make.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Arc<Rule>>,
    values: Vec<KnownValue>,
    /// All literals that a secret needs to be near to, in capitals or small letters.
    triggers: Triggers,
    /// What each literal leads to.
    targets: Vec<(Vec<u8>, Target)>,
    /// Rules that have no trigger, and so are tried on every line.
    everywhere: Vec<usize>,
    /// Whether any value is looked for in dumps.
    knows_bytes: bool,
}

/// What is to be tried where a trigger stands.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// This rule, from the trigger on.
    Here(usize),
    /// This rule, on the whole line.
    Line(usize),
    /// The rest of this value.
    Value(usize),
    /// What is around the second part of this value, which may be broken into lines.
    InValue(usize),
    /// Whether a private key begins or ends.
    Key,
}

impl Rules {
    /// The rules that come with abide.
    pub fn builtin() -> Rules {
        let rules = file::read(BUILTIN, file::Limits::OURS).expect("a test reads rules.toml as well");
        Rules::compiled(rules.into_iter().map(Arc::new).collect(), Vec::new())
    }

    /// Adds a user's own rules, as TOML.
    ///
    /// # Errors
    ///
    /// When the text is no TOML, or one of the rules cannot be used; with the line, and what to do about it.
    pub fn with_user_rules(self, toml_text: &str) -> Result<Rules, RulesError> {
        let mut rules = self.rules;
        let theirs = file::read(toml_text, file::Limits::USER)?;
        for rule in &theirs {
            rule.check_examples()?;
        }
        rules.extend(theirs.into_iter().map(Arc::new));
        Ok(Rules::compiled(rules, self.values))
    }

    /// Adds the values of those variables that are secrets by their names, in the encodings that they are seen in.
    pub fn with_variables(self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Rules {
        let mut values = self.values;
        variables::known_values(variables, &mut values);
        Rules::compiled(self.rules, values)
    }

    /// These rules with the values of more variables; nothing if that adds no secret. The patterns are shared, not
    /// compiled again.
    pub fn and_variables(&self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Option<Rules> {
        let mut values = self.values.clone();
        variables::known_values(variables, &mut values);
        let adds_none = values.len() == self.values.len();
        (!adds_none).then(|| Rules::compiled(self.rules.clone(), values))
    }

    /// The name of the rule that made a masker put a mask in its place; for the masks of maskers with these rules.
    pub fn name_of_mask(&self, mask: &Mask) -> &str {
        self.name_of(mask.source())
    }

    /// The names of the rules, in the order in which they are tried.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.name.as_str())
    }

    /// The examples of the rules, each with its rule's name. For tests.
    pub fn examples(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rules
            .iter()
            .flat_map(|rule| rule.examples.iter().map(|example| (rule.name.as_str(), example.as_str())))
    }

    fn compiled(rules: Vec<Arc<Rule>>, values: Vec<KnownValue>) -> Rules {
        let mut targets: Vec<_> =
            private_key::triggers().map(|trigger| (trigger.to_vec(), Target::Key)).collect();
        let mut everywhere = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let target = if rule.starts_at_trigger { Target::Here(index) } else { Target::Line(index) };
            targets.extend(rule.triggers.iter().map(|trigger| (trigger.clone(), target)));
            if rule.triggers.is_empty() {
                everywhere.push(index);
            }
        }
        for (index, value) in values.iter().enumerate() {
            targets.push((value.columns[..NEEDLE_START].to_vec(), Target::Value(index)));
            if let Some(second) = value.columns.get(NEEDLE_START..2 * NEEDLE_START) {
                targets.push((second.to_vec(), Target::InValue(index)));
            }
        }
        let literals: Vec<&[u8]> = targets.iter().map(|(literal, _)| literal.as_slice()).collect();
        let triggers = Triggers::new(&literals);
        let knows_bytes = values.iter().any(|value| !value.bytes.is_empty());
        Rules { rules, values, triggers, targets, everywhere, knows_bytes }
    }
}
