//! `abide explain`: how it is known what a worker is doing.

use api::{Explanation, SaidBy};
use clap::Args;
use jiff::Timestamp;

use crate::duration::age;
use crate::failure::Failure;
use crate::{output, the_server, workers};

/// Show how abide knows what a worker is doing
///
/// Shows what it does and since when, the source that is believed, what the other sources say, and by which definition the
/// worker is judged. Needs the server: start it with `abide serve`.
#[derive(Args)]
pub(super) struct Explain {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let worker = workers::called(&workers::home()?, &self.name)?.meta.worker;
        let explanation = the_server::find()?.explain(worker)?;
        if self.json {
            output::write_json(&explanation)?;
        } else {
            output::write(text(&explanation, Timestamp::now()))?;
        }
        Ok(0)
    }
}

fn text(explanation: &Explanation, now: Timestamp) -> String {
    let since = explanation.since.map(|since| format!(" for {}", age(since, now))).unwrap_or_default();
    let mut lines = vec![
        ("does", format!("{}{since}", explanation.activity.as_str())),
        ("source", explanation.source.clone().unwrap_or_else(|| "none says anything".to_owned())),
    ];
    lines.extend((!explanation.evidence.is_empty()).then(|| ("evidence", said(&explanation.evidence))));
    lines.extend((!explanation.overruled.is_empty()).then(|| ("overruled", said(&explanation.overruled))));
    let known_by = match explanation.known_by.as_str() {
        "nothing" => "its program is not known".to_owned(),
        known_by => format!("by its {known_by}"),
    };
    lines.push(("judged as", format!("{}, {known_by}", explanation.agent_id)));
    if !explanation.sees_screen {
        lines.push(("screen", "its host is of an earlier release and does not show it".to_owned()));
    }
    if let Some(question) = &explanation.question {
        let kind = question.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
        lines.push(("asks", format!("{}{kind}", question.text.as_deref().unwrap_or("-"))));
        lines.extend(question.detail.iter().map(|line| ("about", line.to_string())));
        let numbered = question.choices.iter().zip(1..);
        lines.extend(numbered.map(|(choice, number)| ("choice", format!("{number}. {choice}"))));
    }
    lines.extend(explanation.error.as_ref().map(|error| ("failed", error.to_string())));
    if let Some(turn) = &explanation.turn {
        let how = serde_json::to_value(turn.how).ok();
        let how = how.as_ref().and_then(|how| how.as_str()).unwrap_or("ended").to_owned();
        let message = turn.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
        lines.push(("last turn", format!("{how} {} ago{message}", age(turn.ended, now))));
    }
    lines.into_iter().map(|(what, words)| format!("{what:<10} {}\n", model::display_safe(&words))).collect()
}

fn said(all: &[SaidBy]) -> String {
    let each: Vec<String> =
        all.iter().map(|said| format!("{} says {}", said.source, said.activity.as_str())).collect();
    each.join(", ")
}
