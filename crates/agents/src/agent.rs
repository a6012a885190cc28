//! One agent's definition.

use std::collections::BTreeMap;

use crate::agent_id::AgentId;
use crate::asking::AskedFor;
use crate::conversation::ConversationSigns;
use crate::hooks::Hooks;
use crate::prompt_arguments::PromptArguments;
use crate::prompt_keys::PromptKeys;
use crate::rule::Signs;
use crate::transcript::TranscriptForm;

/// An id's place among the arguments that start or resume a conversation.
const ID: &str = "{id}";

/// An agent program: how it is started, how it is given a prompt, and how it takes up its last conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// What others refer to it by.
    pub id: AgentId,
    /// What people call it. The user chose it: it has no controls in it, but may have anything else.
    pub name: String,
    /// The program and the arguments it always gets. Never empty.
    pub command: Vec<String>,
    /// How it is given a prompt.
    pub prompt: PromptArguments,
    /// The keys with which it takes a prompt while it runs.
    pub prompt_keys: PromptKeys,
    /// What makes it go on where it was, behind the command; nothing if it cannot.
    pub continue_args: Option<Vec<String>>,
    /// Variables that only this agent gets, besides those of every agent.
    pub environment: BTreeMap<String, String>,
    /// Other ids that stand for it.
    pub aliases: Vec<AgentId>,
    /// The names of its program, by which a worker that runs it is recognised.
    pub programs: Vec<String>,
    /// What makes it begin a conversation with an id of ours, behind the command; nothing if it takes none.
    pub start_with_id: Option<Vec<String>>,
    /// What makes it go on with the conversation of an id, behind the command; nothing if it cannot.
    pub resume: Option<Vec<String>>,
    /// What prints its version; nothing if that is not known.
    pub version: Option<Vec<String>>,
    /// Where it draws when it is started as this definition says.
    pub draws: Draws,
    /// The form of the file in which it keeps a conversation. Where that file is, `conversation` says.
    pub transcript: Option<TranscriptForm>,
    /// How its conversation is found, so that exactly that one is continued.
    pub conversation: ConversationSigns,
    /// The hooks that it is given when it is started.
    pub hooks: Hooks,
    /// The keys that answer what it asks.
    pub answers: BTreeMap<AskedFor, BTreeMap<Answer, Vec<String>>>,
    /// How its activity is known.
    pub signs: Signs,
}

/// Where an agent draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draws {
    /// It is not known.
    #[default]
    Somewhere,
    /// On the main screen: its lines stay, and can be scrolled to.
    Inline,
    /// On the alternate screen.
    Alternate,
}

/// An answer that keys can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// Yes, this time.
    Yes,
    /// Yes, from now on.
    Always,
    /// No.
    No,
    /// One of the choices: `{number}` among the keys is its number, `{down}` so many times the key Down.
    Choose,
}

impl Answer {
    /// All of them, with the words for them.
    pub const ALL: [(Answer, &'static str); 4] =
        [(Answer::Yes, "yes"), (Answer::Always, "always"), (Answer::No, "no"), (Answer::Choose, "choose")];
}

impl Agent {
    /// What to start, with a prompt to begin with. An agent that takes none (its [`PromptArguments`] are
    /// empty) starts without it; so does every agent if the prompt is blank.
    pub fn start(&self, prompt: Option<&str>) -> Vec<String> {
        let mut arguments = self.command.clone();
        arguments.extend(prompt.into_iter().flat_map(|prompt| self.prompt.fill(prompt)));
        arguments
    }

    /// The conversation that a command of this agent begins or continues, if it names one.
    pub fn conversation_in(&self, command: &[String]) -> Option<String> {
        let behind = command.strip_prefix(self.command.as_slice())?;
        let of = |arguments: &Option<Vec<String>>| id_in(arguments.as_ref()?, behind);
        of(&self.start_with_id).or_else(|| of(&self.resume))
    }

    /// The same command for another conversation, which begins with this id; nothing if the command begins none.
    pub fn begin_again(&self, command: &[String], id: &str) -> Option<Vec<String>> {
        let arguments = self.start_with_id.as_ref()?;
        let behind = command.strip_prefix(self.command.as_slice())?;
        id_in(arguments, behind)?;
        let mut again = self.command.clone();
        again.extend(filled(arguments, id));
        again.extend_from_slice(&behind[arguments.len()..]);
        Some(again)
    }

    /// What to start so that the conversation gets this id; nothing if the agent takes none.
    pub fn start_as(&self, id: &str, prompt: Option<&str>) -> Option<Vec<String>> {
        let mut arguments = self.command.clone();
        arguments.extend(filled(self.start_with_id.as_ref()?, id));
        arguments.extend(prompt.into_iter().flat_map(|prompt| self.prompt.fill(prompt)));
        Some(arguments)
    }

    /// What to start so that the conversation with this id goes on; nothing if the agent cannot.
    pub fn resume(&self, id: &str) -> Option<Vec<String>> {
        let mut arguments = self.command.clone();
        arguments.extend(filled(self.resume.as_ref()?, id));
        Some(arguments)
    }

    /// A command of the agent, with arguments that stand directly behind its own. Nothing if it is no command of it.
    pub fn with_arguments(&self, command: &[String], arguments: Vec<String>) -> Option<Vec<String>> {
        let behind = command.strip_prefix(self.command.as_slice())?;
        Some([&self.command, arguments.as_slice(), behind].concat())
    }

    /// A command that starts the agent, so that the conversation with this id goes on; nothing if the agent cannot.
    pub fn resume_of(&self, command: &[String], id: &str) -> Option<Vec<String>> {
        Some(command.iter().cloned().chain(filled(self.resume.as_ref()?, id)).collect())
    }

    /// Whether a command of this agent goes on with a conversation that it names.
    pub fn is_resumed_by(&self, command: &[String]) -> bool {
        let behind = command.strip_prefix(self.command.as_slice());
        behind
            .is_some_and(|behind| self.resume.as_ref().is_some_and(|resume| id_in(resume, behind).is_some()))
    }

    /// Whether a command starts this agent: by the name of its program, also behind an interpreter that runs it.
    pub fn is_started_by(&self, command: &[String]) -> bool {
        let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
        let is_ours = |word: &String| {
            let name = name(word);
            let stem = name.strip_suffix(".js").or_else(|| name.strip_suffix(".mjs")).unwrap_or(&name);
            self.programs.iter().any(|program| program == stem)
        };
        let Some(program) = command.first() else { return false };
        let runs_others =
            ["env", "node", "bun", "npx", "bunx", "uvx", "pipx", "python", "python3", "sh", "bash"];
        is_ours(program)
            || runs_others.contains(&name(program).as_str())
                && command[1..]
                    .iter()
                    .find(|word| !word.starts_with('-') && !word.contains('='))
                    .is_some_and(is_ours)
    }

    /// What to start so that the newest conversation in the directory goes on; a fresh start if the agent has no such
    /// thing.
    pub fn restart(&self) -> Vec<String> {
        let mut arguments = self.command.clone();
        arguments.extend(self.continue_args.iter().flatten().cloned());
        arguments
    }
}

/// The id that stands in these arguments.
fn id_in(arguments: &[String], given: &[String]) -> Option<String> {
    let mut id = None;
    for (at, argument) in arguments.iter().enumerate() {
        let given = given.get(at)?;
        match argument.split_once(ID) {
            None if given == argument => {}
            None => return None,
            Some((before, behind)) => id = Some(given.strip_prefix(before)?.strip_suffix(behind)?.to_owned()),
        }
    }
    id.filter(|id| !id.is_empty())
}

fn filled(arguments: &[String], id: &str) -> impl Iterator<Item = String> {
    arguments.iter().map(move |argument| argument.replace(ID, id))
}
