//! Definitions as people write them.

use std::collections::BTreeMap;

use model::display_safe;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::agent::Agent;
use crate::error::AgentsError;
use crate::prompt_arguments::PromptArguments;

/// A person would not choose from a longer list.
const MOST_AGENTS: usize = 100;
/// A name is shown in lists.
const MOST_NAME: usize = 60;
/// Arguments and variables that one definition may have, and how long one of them may be.
const MOST_TEXTS: usize = 100;
const MOST_TEXT_BYTES: usize = 16 << 10;

const KEYS: &str = "an agent has id, name, command, prompt, continue and environment";

/// Reads definitions.
///
/// # Errors
///
/// At the first thing that is wrong, with its line.
pub(crate) fn read(text: &str) -> Result<Vec<Agent>, AgentsError> {
    let table = DeTable::parse(text).map_err(|error| AgentsError::Syntax {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let mut agents: Vec<Agent> = Vec::new();
    for (key, value) in table.get_ref() {
        let unknown = || AgentsError::UnknownKey {
            line: line_of(text, key.span().start),
            key: display_safe(key.get_ref()),
            allowed: "a file of agents has `[[agent]]` and nothing else at its top",
        };
        let tables = match (&**key.get_ref(), value.get_ref()) {
            ("agent", DeValue::Array(tables)) => tables,
            _ => return Err(unknown()),
        };
        if tables.len() > MOST_AGENTS {
            return Err(AgentsError::TooMany { count: tables.len(), most: MOST_AGENTS });
        }
        for table in tables {
            let DeValue::Table(fields) = table.get_ref() else { return Err(unknown()) };
            let fields = Fields::read(text, line_of(text, table.span().start), fields)?;
            if agents.iter().any(|agent| agent.id.as_str() == fields.id) {
                return Err(fields.problem("it is defined twice; keep one, or give the other another `id`"));
            }
            agents.push(fields.agent()?);
        }
    }
    Ok(agents)
}

/// A definition before it is checked.
#[derive(Default)]
struct Fields {
    line: usize,
    id: String,
    name: Option<String>,
    command: Vec<String>,
    prompt: Vec<String>,
    continue_args: Option<Vec<String>>,
    environment: BTreeMap<String, String>,
}

impl Fields {
    fn read(text: &str, line: usize, table: &DeTable<'_>) -> Result<Fields, AgentsError> {
        let mut fields = Fields { line, ..Fields::default() };
        if let Some(DeValue::String(id)) = table.get("id").map(Spanned::get_ref) {
            fields.id = id.to_string();
        }
        for (key, value) in table {
            fields.line = line_of(text, key.span().start);
            let value = value.get_ref();
            match &**key.get_ref() {
                "id" => fields.id = fields.text(value)?,
                "name" => fields.name = Some(fields.text(value)?),
                "command" => fields.command = fields.texts(value)?,
                "prompt" => fields.prompt = fields.texts(value)?,
                "continue" => fields.continue_args = Some(fields.texts(value)?),
                "environment" => fields.environment = fields.variables(value)?,
                other => {
                    let (line, key) = (fields.line, display_safe(other));
                    return Err(AgentsError::UnknownKey { line, key, allowed: KEYS });
                }
            }
        }
        fields.line = line;
        Ok(fields)
    }

    fn problem(&self, problem: impl Into<String>) -> AgentsError {
        AgentsError::Agent { line: self.line, agent: display_safe(&self.id), problem: problem.into() }
    }

    fn text(&self, value: &DeValue<'_>) -> Result<String, AgentsError> {
        match value {
            DeValue::String(text) if text.contains('\0') => {
                Err(self.problem("arguments and variables cannot contain NUL; remove it"))
            }
            DeValue::String(text) if text.len() > MOST_TEXT_BYTES => {
                Err(self.problem(format!("a text has at most {MOST_TEXT_BYTES} bytes; shorten it")))
            }
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.problem("expected a text in quotes")),
        }
    }

    fn texts(&self, value: &DeValue<'_>) -> Result<Vec<String>, AgentsError> {
        match value {
            DeValue::Array(values) if values.len() > MOST_TEXTS => {
                Err(self.problem(format!("a list has at most {MOST_TEXTS} arguments; shorten it")))
            }
            DeValue::Array(values) => values.iter().map(|value| self.text(value.get_ref())).collect(),
            _ => Err(self.problem(
                "expected a list, as in `[\"program\", \"argument\"]`; abide does not split text into arguments",
            )),
        }
    }

    fn variables(&self, value: &DeValue<'_>) -> Result<BTreeMap<String, String>, AgentsError> {
        let DeValue::Table(table) = value else {
            return Err(self.problem("expected variables, as in `{ NAME = \"value\" }`"));
        };
        if table.len() > MOST_TEXTS {
            return Err(self.problem(format!("it has at most {MOST_TEXTS} variables; remove some")));
        }
        table
            .iter()
            .map(|(name, value)| {
                let name = name.get_ref().to_string();
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_name)
                {
                    let name = display_safe(&name);
                    return Err(self.problem(format!(
                        "`{name}` is not a variable name: use letters, digits and `_`, and do not begin with a digit"
                    )));
                }
                Ok((name, self.text(value.get_ref())?))
            })
            .collect()
    }

    fn agent(self) -> Result<Agent, AgentsError> {
        let id = match self.id.parse() {
            Ok(id) => id,
            Err(error) => return Err(self.problem(format!("give it an `id`: {error}"))),
        };
        let name = self.name.clone().unwrap_or_else(|| self.id.clone());
        if name.trim().is_empty() || name.chars().count() > MOST_NAME || name != display_safe(&name) {
            return Err(self.problem(format!("give it a `name` of 1 to {MOST_NAME} characters in one line")));
        }
        if self.command.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(self.problem("give it a `command`, as in `command = [\"program\", \"argument\"]`"));
        }
        let Some(prompt) = PromptArguments::new(self.prompt.clone()) else {
            return Err(self.problem(
                "`prompt` has the prompt's place once, as in `[\"{prompt}\"]` or `[\"--prompt\", \"{prompt}\"]`",
            ));
        };
        Ok(Agent {
            id,
            name,
            command: self.command,
            prompt,
            continue_args: self.continue_args,
            environment: self.environment,
        })
    }
}

fn line_of(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().get(..byte).unwrap_or(text.as_bytes());
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}
