//! How the conversation of an agent is found: which one its program has, and whether there is anything to continue.

use crate::rule::Pattern;

/// How an agent's conversation is found. Paths begin with `~` for the user's home, or with `{config}` for the agent's own
/// directory; `{id}` is the conversation, and `*` stands for any text within one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversationSigns {
    /// The agent's own directory, and the variable that names another one.
    pub config: Option<String>,
    /// The variable that names another such directory.
    pub config_variable: Option<String>,
    /// The file of a conversation. It is there once there is anything to continue.
    pub kept_in: Option<String>,
    /// A JSON file in which the running program tells its conversation as `sessionId`. `{pid}` is its process.
    pub told_in: Option<String>,
    /// The conversation's file, which the running program keeps open: the first group is the id.
    pub open_file: Option<Pattern>,
    /// What the program says when it ends at once since there is no such conversation any more.
    pub gone: Option<Pattern>,
}

impl ConversationSigns {
    /// Whether the id of a conversation that the program chose can be found.
    pub fn can_be_found(&self) -> bool {
        self.told_in.is_some() || self.open_file.is_some()
    }

    /// The id in the path of a file that the program has open.
    pub fn id_of_open_file<'p>(&self, path: &'p str) -> Option<&'p str> {
        self.open_file.as_ref()?.group_in(path)
    }

    /// A path of these signs, with what stands for its places. Nothing if one of those is not known.
    pub fn path(
        &self,
        path: &str,
        home: &str,
        variable: impl FnOnce(&str) -> Option<String>,
    ) -> Option<String> {
        let path = match path.strip_prefix("{config}") {
            None => path.to_owned(),
            Some(rest) => {
                let named =
                    self.config_variable.as_deref().and_then(variable).filter(|named| !named.is_empty());
                format!("{}{rest}", named.or_else(|| self.config.clone())?)
            }
        };
        Some(match path.strip_prefix('~') {
            Some(rest) => format!("{home}{rest}"),
            None => path,
        })
    }
}

/// Whether a conversation's id can be one: it becomes an argument and a part of paths.
pub fn is_conversation_id(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (8..=100).contains(&id.len()) && id.chars().all(is_plain) && !id.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_in_the_home_or_where_the_variable_says() {
        let signs = ConversationSigns {
            config: Some("~/.agent".into()),
            config_variable: Some("AGENT_HOME".into()),
            ..ConversationSigns::default()
        };
        let path = |variable: Option<&str>| {
            let variable = variable.map(str::to_owned);
            signs.path("{config}/{id}.json", "/home/me", |_| variable)
        };
        assert_eq!(path(None).as_deref(), Some("/home/me/.agent/{id}.json"));
        assert_eq!(path(Some("")).as_deref(), Some("/home/me/.agent/{id}.json"));
        assert_eq!(path(Some("/elsewhere")).as_deref(), Some("/elsewhere/{id}.json"));
    }

    #[test]
    fn an_id_is_no_option_and_no_path() {
        for id in ["0f8e2c1a-5b7d-4c3e-9a1f-2b3c4d5e6f70", "ses_5b7d4c3e", "12345678"] {
            assert!(is_conversation_id(id), "{id}");
        }
        for id in ["", "-resume-x", "../../etc/passwd", "a b c d e f", "*******x", "short"] {
            assert!(!is_conversation_id(id), "{id}");
        }
    }
}
