//! Things of the server's, as a person names them.

use client::{Client, Error};

use crate::failure::Failure;

/// So many candidates are enough to choose by.
const CANDIDATES_SHOWN: usize = 5;

/// A thing that a person can name.
pub(crate) trait Named: Sized {
    /// What it is.
    const KIND: &'static str;
    /// The command that lists them.
    const COMMAND: &'static str;
    /// Asks the server for all of them.
    fn all(server: &Client) -> Result<Vec<Self>, Error>;
    /// Which one.
    fn id(&self) -> &str;
    /// What people call it.
    fn name(&self) -> &str;
}

impl Named for api::Task {
    const KIND: &'static str = "task";
    const COMMAND: &'static str = "abide task ls --all";

    fn all(server: &Client) -> Result<Vec<Self>, Error> {
        server.tasks()
    }

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> &str {
        &self.title
    }
}

impl Named for api::Repository {
    const KIND: &'static str = "repository";
    const COMMAND: &'static str = "abide repo ls";

    fn all(server: &Client) -> Result<Vec<Self>, Error> {
        server.repositories()
    }

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for api::Session {
    const KIND: &'static str = "session";
    const COMMAND: &'static str = "abide session ls";

    fn all(server: &Client) -> Result<Vec<Self>, Error> {
        server.sessions()
    }

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> &str {
        self.title.as_deref().unwrap_or("")
    }
}

/// The one of the server's things that a word means; see [`the_one`].
///
/// # Errors
///
/// When there is none, or more than one, or the server cannot be asked.
pub(crate) fn find<T: Named>(server: &Client, word: &str) -> Result<T, Failure> {
    the_one(T::all(server)?, word)
}

/// The one that a word means: a whole id, a whole name, or the beginning of either that only one of them has.
///
/// # Errors
///
/// When there is none, or more than one.
pub(crate) fn the_one<T: Named>(mut things: Vec<T>, word: &str) -> Result<T, Failure> {
    if let Some(at) = things.iter().position(|thing| thing.id() == word) {
        return Ok(things.swap_remove(at));
    }
    let lower = word.to_lowercase();
    things.retain(|thing| {
        !word.is_empty() && (thing.id().starts_with(word) || thing.name().to_lowercase().starts_with(&lower))
    });
    if things.iter().any(|thing| thing.name() == word) {
        things.retain(|thing| thing.name() == word);
    }
    let (kind, shown) = (T::KIND, model::display_safe(word));
    match things.len() {
        0 => Err(Failure::ours(format!("there is no {kind} `{shown}`"))
            .hint(format!("`{}` lists them", T::COMMAND))),
        1 => Ok(things.remove(0)),
        _ => Err(Failure::ours(format!("`{shown}` could be {}", candidates(&things)))
            .hint("give more letters of the id, or of the name")),
    }
}

fn candidates<T: Named>(things: &[T]) -> String {
    let shown = |thing: &T| match thing.name() {
        "" => thing.id().to_owned(),
        name => format!("{} ({})", thing.id(), model::display_safe(name)),
    };
    let mut texts: Vec<String> = things.iter().take(CANDIDATES_SHOWN).map(shown).collect();
    if things.len() > CANDIDATES_SHOWN {
        texts.push(format!("{} more", things.len() - CANDIDATES_SHOWN));
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Thing(&'static str, &'static str);

    impl Named for Thing {
        const KIND: &'static str = "thing";
        const COMMAND: &'static str = "abide thing ls";

        fn all(_: &Client) -> Result<Vec<Thing>, Error> {
            Ok(ALL.into())
        }

        fn id(&self) -> &str {
            self.0
        }

        fn name(&self) -> &str {
            self.1
        }
    }

    const ALL: [Thing; 5] = [
        Thing("aaaa0001", "Fix the door"),
        Thing("aaaa0002", "Fix the door and the window"),
        Thing("bbbb0003", "Paint"),
        Thing("cccc0004", "aaaa0001"),
        Thing("dddd0005", ""),
    ];

    fn meant(word: &str) -> Result<&'static str, String> {
        the_one(ALL.into(), word).map(|thing| thing.0).map_err(|failure| failure.sentence())
    }

    #[test]
    fn a_word_means_the_only_thing_that_begins_so() {
        for (word, id) in [
            ("aaaa0001", "aaaa0001"),
            ("aaaa0002", "aaaa0002"),
            ("b", "bbbb0003"),
            ("paint", "bbbb0003"),
            ("Fix the door", "aaaa0001"),
            ("fix the door a", "aaaa0002"),
            ("d", "dddd0005"),
        ] {
            assert_eq!(meant(word), Ok(id), "{word}");
        }
    }

    #[test]
    fn an_ambiguous_word_is_refused_with_all_candidates() {
        let words = meant("fix").unwrap_err();
        assert!(words.contains("aaaa0001 (Fix the door), aaaa0002"), "{words}");
        assert!(meant("aaaa").unwrap_err().contains("cccc0004 (aaaa0001)"));
        for word in ["", "x", "AAAA0001x", "\u{1b}"] {
            assert!(meant(word).unwrap_err().starts_with("there is no thing `"), "{word:?}");
        }
    }

    #[test]
    fn many_candidates_are_counted() {
        let many: Vec<Thing> = (0..20).map(|_| Thing("aaaa0001", "same")).collect();
        let words = the_one(many, "sam").unwrap_err().sentence();
        assert!(words.ends_with("15 more"), "{words}");
    }
}
