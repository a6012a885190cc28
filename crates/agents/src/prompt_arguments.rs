//! A prompt as arguments.

/// The prompt's place among the arguments.
const PLACE: &str = "{prompt}";

/// What ends the options of many programs.
const END_OF_OPTIONS: &str = "--";

/// Linux gives a program no argument of 128 KiB or more; an option's name may share it with the prompt.
pub const MOST_PROMPT_BYTES: usize = 120 << 10;

/// How an agent is given a prompt: arguments, one of which has the prompt's place, `{prompt}`. Without any, the agent
/// takes no prompt.
///
/// The prompt is one argument, or a part of one, with any content. It never becomes an option or a command of the
/// agent: where it could be taken for one, a space stands before it, which no agent minds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptArguments(Vec<String>);

impl PromptArguments {
    /// Arguments with the prompt's place in exactly one of them, once; or no arguments.
    pub fn new(arguments: Vec<String>) -> Option<PromptArguments> {
        let places: usize = arguments.iter().map(|argument| argument.matches(PLACE).count()).sum();
        (arguments.is_empty() || places == 1).then_some(PromptArguments(arguments))
    }

    /// True when the agent takes no prompt.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The arguments with the prompt in its place; none for a blank prompt.
    pub fn fill(&self, prompt: &str) -> Vec<String> {
        // The kernel ends an argument at the first NUL.
        let prompt = prompt.trim_end().replace('\0', "");
        if prompt.trim().is_empty() {
            return Vec::new();
        }
        let mut filled = Vec::with_capacity(self.0.len());
        let mut before: Option<&str> = None;
        for argument in &self.0 {
            let space = if argument.starts_with(PLACE) && is_misleading(&prompt, before) { " " } else { "" };
            filled.push(format!("{space}{}", argument.replace(PLACE, &prompt)));
            before = Some(argument);
        }
        filled
    }
}

/// Whether a prompt that begins an argument, behind this one, may be taken for something else.
fn is_misleading(prompt: &str, before: Option<&str>) -> bool {
    let looks_like_an_option = prompt.starts_with('-') && before != Some(END_OF_OPTIONS);
    // Codex runs `!touch x` in a shell, at once and unasked.
    let is_a_shell_command = prompt.starts_with('!');
    // `claude -- update` updates.
    let is_an_option_value = before.is_some_and(|before| before.starts_with('-') && before != END_OF_OPTIONS);
    let is_a_word = prompt.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'));
    looks_like_an_option || is_a_shell_command || is_a_word && !is_an_option_value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(arguments: &[&str], prompt: &str) -> Vec<String> {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        PromptArguments::new(arguments).expect("one place").fill(prompt)
    }

    #[test]
    fn a_prompt_with_any_content_is_one_argument() {
        let prompt = "fix $(id) `it`; \"now\" 'please'\n\n- first {prompt}\t\u{1b}[2J && rm -rf *";
        assert_eq!(fill(&["{prompt}"], prompt), [prompt]);
        assert_eq!(fill(&["--", "{prompt}"], prompt), ["--", prompt]);
        assert_eq!(fill(&["--prompt={prompt}", "-v"], prompt), [format!("--prompt={prompt}"), "-v".into()]);
    }

    #[test]
    fn a_prompt_is_never_an_option() {
        for prompt in ["-p", "--help", "- [ ] first", "-", "--", "--model=x\nand more"] {
            assert_eq!(fill(&["--", "{prompt}"], prompt)[1].trim_start(), prompt);
            assert_eq!(fill(&["{prompt}"], prompt), [format!(" {prompt}")]);
            assert_eq!(fill(&["--prompt", "{prompt}"], prompt), ["--prompt".into(), format!(" {prompt}")]);
            assert_eq!(fill(&["--prompt={prompt}"], prompt), [format!("--prompt={prompt}")]);
        }
        assert_eq!(fill(&["--", "{prompt}"], "- [ ] first")[1], "- [ ] first");
    }

    #[test]
    fn a_prompt_is_never_a_command_of_the_agent() {
        assert_eq!(fill(&["--", "{prompt}"], "update"), ["--", " update"]);
        assert_eq!(fill(&["{prompt}"], "mcp"), [" mcp"]);
        assert_eq!(fill(&["--prompt", "{prompt}"], "update"), ["--prompt", "update"]);
        for prompt in ["update it", "/init", "what?"] {
            assert_eq!(fill(&["--", "{prompt}"], prompt), ["--", prompt]);
        }
    }

    #[test]
    fn s35_a_prompt_is_never_a_shell_command_of_the_agent() {
        assert_eq!(fill(&["--", "{prompt}"], "!touch x"), ["--", " !touch x"]);
        assert_eq!(fill(&["{prompt}"], "!touch x"), [" !touch x"]);
    }

    #[test]
    fn a_blank_prompt_is_none() {
        for prompt in ["", "  ", "\n\t", "\0"] {
            assert_eq!(fill(&["--", "{prompt}"], prompt), Vec::<String>::new(), "{prompt:?}");
        }
        assert_eq!(fill(&["{prompt}"], "a\0 b \n"), ["a b"]);
        assert_eq!(fill(&[], "anything"), Vec::<String>::new());
    }

    #[test]
    fn a_prompt_has_one_place() {
        for arguments in [vec!["--prompt"], vec!["{prompt}", "{prompt}"], vec!["{prompt}{prompt}"]] {
            assert_eq!(PromptArguments::new(arguments.into_iter().map(Into::into).collect()), None);
        }
    }
}
