//! Rules by which an agent's activity is known, as a definition has them.

use model::Activity;
use regex_lite::Regex;

use crate::asking::AskedFor;
use crate::version::VersionRange;

/// A pattern that can be compared with others by its text.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// Reads a regular expression.
    ///
    /// # Errors
    ///
    /// When it is none; says why.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let regex = Regex::new(text).map_err(|error| error.to_string())?;
        Ok(Pattern { text: text.to_owned(), regex })
    }

    /// Whether it occurs in a text.
    pub fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// What its first group stands for in a text in which it occurs.
    pub(crate) fn group_in<'t>(&self, text: &'t str) -> Option<&'t str> {
        Some(self.regex.captures(text)?.get(1)?.as_str())
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

/// Where a rule looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The window's title, without spaces around it.
    Title,
    /// A notification: its title, a line break, its text.
    Notification,
    /// One of the rows directly above the place where the person types: where agents show that they work.
    Status,
    /// One of the rows below the place where the person types.
    Footer,
    /// All rows of a dialog, from its heading to its last row, each without its border.
    Dialog,
    /// The last row of the screen that has text, when the cursor stands in it or there is nothing else to type into.
    LastRow,
}

impl Place {
    /// The word for it in a definition.
    pub fn as_str(self) -> &'static str {
        match self {
            Place::Title => "title",
            Place::Notification => "notification",
            Place::Status => "status",
            Place::Footer => "footer",
            Place::Dialog => "dialog",
            Place::LastRow => "last-row",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Place> {
        let all =
            [Place::Title, Place::Notification, Place::Status, Place::Footer, Place::Dialog, Place::LastRow];
        all.into_iter().find(|place| place.as_str() == word)
    }
}

/// What a rule says when its pattern occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// The agent works.
    Active,
    /// The agent is done.
    Idle,
    /// Probably done: what the screen shows is believed more.
    ProbablyIdle,
    /// The agent asks.
    Asking(Option<AskedFor>),
    /// The person has opened something in the program. The agent asks nothing.
    Menu,
}

impl Meaning {
    /// The activity that it stands for; nothing if it stands for none.
    pub fn activity(self) -> Option<Activity> {
        match self {
            Meaning::Active => Some(Activity::Active),
            Meaning::Idle | Meaning::ProbablyIdle => Some(Activity::Idle),
            Meaning::Asking(_) => Some(Activity::Asking),
            Meaning::Menu => None,
        }
    }

    /// The word for it in a definition.
    pub fn as_str(self) -> &'static str {
        match self {
            Meaning::Active => "active",
            Meaning::Idle => "idle",
            Meaning::ProbablyIdle => "probably-idle",
            Meaning::Asking(_) => "asking",
            Meaning::Menu => "menu",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Meaning> {
        let all =
            [Meaning::Active, Meaning::Idle, Meaning::ProbablyIdle, Meaning::Asking(None), Meaning::Menu];
        all.into_iter().find(|meaning| meaning.as_str() == word)
    }
}

/// A rule: where to look, for what, and what it means. The first rule of a place that fits is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where it looks.
    pub place: Place,
    /// What it looks for.
    pub pattern: Pattern,
    /// What it means.
    pub meaning: Meaning,
    /// The versions of the agent for which it is meant.
    pub versions: VersionRange,
}

/// Whether OSC 133 of a program says what it is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptMarks {
    /// It is a shell, or may be one: they do.
    #[default]
    Believed,
    /// It marks something else with them.
    Ignored,
}

/// How an agent's activity is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Whether its OSC 133 is believed.
    pub prompt_marks: PromptMarks,
    /// Whether the screen always shows that the agent works, so that it is idle when the screen shows a place to type
    /// and no work. Of other agents that is only known when the screen has not changed for a while.
    pub work_is_shown: bool,
}
