//! `abide answer`: replies to what a worker asks.

use clap::Args;

use super::inbox::item_of;
use crate::failure::Failure;
use crate::the_server;

/// Answer what a worker asks
///
/// abide types the keys that give this answer, and checks the screen before and after. If the worker asks something else
/// by now, it gets no key. Needs the server: start it with `abide serve`.
#[derive(Args)]
pub(super) struct Answer {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// `yes`, `always` or `no`; the number of a choice; or text for a question that takes text
    #[arg(value_name = "ANSWER", required_unless_present = "words")]
    answer: Option<String>,
    /// Take this as text, also if it is a number or a word such as `yes`
    ///
    /// With `no`, tell the agent what to do instead
    #[arg(long, value_name = "TEXT")]
    words: Option<String>,
}

impl Answer {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let answer = match (self.answer.map(meant), self.words) {
            (Some(api::Answer::No { .. }), words) => api::Answer::No { words },
            (Some(answer), None) => answer,
            (None, words) => api::Answer::Words { words: words.unwrap_or_default() },
            (Some(_), Some(_)) => {
                return Err(Failure::usage("only `no` takes words beside it")
                    .hint("leave out the answer to give the words alone"));
            }
        };
        let server = the_server::find()?;
        let item = item_of(&server, &self.name)?;
        if item.reason != api::InboxReason::Asking {
            return Err(Failure::no(format!("worker `{}` asks nothing", model::display_safe(&self.name)))
                .hint("`abide inbox` shows what it waits for"));
        }
        server.answer(item.id, &answer)?;
        if let Some(words) = &item.words {
            eprintln!("answered: {words}");
        }
        Ok(0)
    }
}

fn meant(answer: String) -> api::Answer {
    match answer.to_lowercase().as_str() {
        "yes" | "y" => api::Answer::Yes,
        "always" => api::Answer::Always,
        "no" | "n" => api::Answer::No { words: None },
        number => match number.parse() {
            Ok(choice) => api::Answer::Choose { choice },
            Err(_) => api::Answer::Words { words: answer },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_word_a_number_or_text() {
        assert_eq!(meant("Yes".into()), api::Answer::Yes);
        assert_eq!(meant("n".into()), api::Answer::No { words: None });
        assert_eq!(meant("always".into()), api::Answer::Always);
        assert_eq!(meant("2".into()), api::Answer::Choose { choice: 2 });
        assert_eq!(meant("PostgreSQL".into()), api::Answer::Words { words: "PostgreSQL".into() });
        assert_eq!(meant("-1".into()), api::Answer::Words { words: "-1".into() });
    }
}
