//! `abide agent show`: one agent's definition.

use std::fmt::Write;

use agents::{Agent, Answer, Draws, PromptMarks};
use clap::Args;

use crate::failure::Failure;
use crate::output;

/// Show how abide starts and continues an agent, and how it knows what the agent is doing
#[derive(Args)]
pub(in crate::commands) struct Show {
    /// The agent's id, as `abide agent ls` lists it
    #[arg(value_name = "ID")]
    id: String,
}

impl Show {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let agents = super::agents()?;
        let (agent, _) = super::named(&agents, &self.id)?;
        output::write(text(agent))?;
        Ok(0)
    }
}

fn text(agent: &Agent) -> String {
    let words = |words: &[String]| model::display_safe(&words.join(" "));
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            // A `String` takes everything.
            let _ = writeln!(text, "{name:<15} {value}");
        }
    };
    line("id", agent.id.to_string());
    line("name", agent.name.clone());
    line("aliases", agent.aliases.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    line("programs", words(&agent.programs));
    line("command", words(&agent.command));
    line("prompt", words(&agent.prompt.fill("the prompt")));
    line("continue", agent.continue_args.as_deref().map(words).unwrap_or_default());
    line("start with id", agent.start_with_id.as_deref().map(words).unwrap_or_default());
    line("resume", agent.resume.as_deref().map(words).unwrap_or_default());
    line("version", agent.version.as_deref().map(words).unwrap_or_default());
    line("transcript", agent.transcript.map(|form| form.as_str().to_owned()).unwrap_or_default());
    let variable = |(name, value): (&String, &String)| format!("{name}={}", model::display_safe(value));
    line("environment", agent.environment.iter().map(variable).collect::<Vec<_>>().join(" "));
    let draws = match agent.draws {
        Draws::Somewhere => "",
        Draws::Inline => "inline",
        Draws::Alternate => "on the alternate screen",
    };
    line("draws", draws.to_owned());
    let marks = match agent.signs.prompt_marks {
        PromptMarks::Believed => "believed",
        PromptMarks::Ignored => "ignored",
    };
    line("prompt marks", marks.to_owned());
    line("work is shown", if agent.signs.work_is_shown { "always" } else { "sometimes" }.to_owned());
    for rule in &agent.signs.rules {
        let means = match rule.meaning {
            agents::Meaning::Asking(Some(kind)) => format!("asking ({})", kind.as_str()),
            meaning => meaning.as_str().to_owned(),
        };
        let pattern = model::display_safe(rule.pattern.as_str());
        line("rule", format!("{:<12} {means:<20} {pattern}", rule.place.as_str()));
    }
    for (kind, answers) in &agent.answers {
        for (answer, name) in Answer::ALL {
            if let Some(keys) = answers.get(&answer) {
                line("answer", format!("{:<12} {name:<8} {}", kind.as_str(), words(keys)));
            }
        }
    }
    text
}
