//! The agents that come with abide.

use agents::{Agent, AgentId, Agents};
use testkit::Random;

fn agent(id: &str) -> Agent {
    Agents::builtin().get(&id.parse().expect("an id")).expect("it comes with abide").clone()
}

#[test]
fn the_builtin_agents_are_these() {
    let builtin = Agents::builtin();
    let ids: Vec<&str> = builtin.all().map(|agent| agent.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "claude", "codex", "gemini", "opencode", "qwen", "copilot", "pi", "kilo", "aider", "cline",
            "droid", "amp", "continue", "shell"
        ]
    );
    assert_eq!(builtin.get(&AgentId::claude()).expect("Claude").name, "Claude");
    assert_eq!(Agents::load(None).expect("no file is a file without agents"), builtin);
    assert_eq!(builtin.get(&"nobody".parse().expect("an id")), None);
}

#[test]
fn the_old_ids_stand_for_the_same_agents() {
    for (old, id) in [
        ("claude-code-builtin", "claude"),
        ("codex-builtin", "codex"),
        ("gemini-builtin", "gemini"),
        ("opencode-builtin", "opencode"),
    ] {
        assert_eq!(agent(old).id.as_str(), id);
    }
    assert_eq!(
        agent("claude").start_as("ID", Some("go on")).expect("it takes one"),
        ["claude", "--session-id", "ID", "--", "go on"]
    );
    assert_eq!(agent("codex").resume("ID").expect("it can")[3..], ["resume", "ID"]);
}

#[test]
fn an_agent_is_known_by_its_program() {
    let agents = Agents::builtin();
    let of = |command: &str| {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        agents.of_command(&words).map(|agent| agent.id.as_str())
    };
    assert_eq!(of("/opt/bin/claude --continue"), Some("claude"));
    assert_eq!(of("node /opt/lib/gemini.js -m x"), Some("gemini"));
    assert_eq!(of("env A=1 codex"), Some("codex"));
    assert_eq!(of("cn"), Some("continue"));
    assert_eq!(of("zsh -l"), Some("shell"));
    assert_eq!(of("vim claude"), None);
}

#[test]
fn each_agent_gets_its_prompt_as_an_argument() {
    let start = |id| agent(id).start(Some("fix the tests"));
    assert_eq!(start("claude-code-builtin"), ["claude", "--", "fix the tests"]);
    assert_eq!(start("codex-builtin"), ["codex", "--no-alt-screen", "--no-daemon", "--", "fix the tests"]);
    assert_eq!(start("gemini-builtin"), ["gemini", "--prompt-interactive=fix the tests"]);
    assert_eq!(start("opencode-builtin"), ["opencode", "--prompt=fix the tests"]);
}

#[test]
fn each_agent_can_start_without_a_prompt() {
    for prompt in [None, Some(""), Some(" \n")] {
        assert_eq!(agent("claude-code-builtin").start(prompt), ["claude"]);
        assert_eq!(agent("codex-builtin").start(prompt), ["codex", "--no-alt-screen", "--no-daemon"]);
        assert_eq!(agent("gemini-builtin").start(prompt), ["gemini"]);
        assert_eq!(agent("opencode-builtin").start(prompt), ["opencode"]);
    }
}

#[test]
fn each_agent_is_restarted_with_its_own_continue_command() {
    let restart = |id| agent(id).restart();
    assert_eq!(restart("claude-code-builtin"), ["claude", "--continue"]);
    assert_eq!(restart("codex-builtin"), ["codex", "--no-alt-screen", "--no-daemon", "resume", "--last"]);
    assert_eq!(restart("gemini-builtin"), ["gemini", "--resume", "latest"]);
    assert_eq!(restart("opencode-builtin"), ["opencode", "--continue"]);
}

#[test]
fn claude_stays_off_the_alternate_screen() {
    let environment = agent("claude-code-builtin").environment;
    assert_eq!(environment.get("CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN").map(String::as_str), Some("1"));
}

#[test]
fn the_shell_is_the_login_shell_and_takes_no_prompt() {
    let agents = Agents::builtin().with_login_shell("/bin/zsh");
    let shell = agents.get(&AgentId::shell()).expect("a shell");
    assert_eq!(shell.start(Some("rm -rf /")), ["/bin/zsh"]);
    assert_eq!(shell.restart(), ["/bin/zsh"]);
    assert!(shell.prompt.is_empty() && shell.continue_args.is_none());
    assert_eq!(Agents::builtin().with_login_shell(""), Agents::builtin());
}

/// Options end at `--`, and `--name=value` is all of an option: everything else that an agent is given begins like no
/// option and is no single word, so that it cannot be a command.
#[test]
fn s35_no_prompt_becomes_an_option_or_a_command() {
    let mut random = Random::new(5);
    let pieces =
        ["-", "--", "-p", "=", " ", "\n", "update", "$(id)", "`id`", "'", "\"", "\\", "é", "/", "\u{1b}["];
    let builtin = Agents::builtin();
    for _ in 0..5_000 {
        let prompt: String = (0..random.between(1, 6)).map(|_| random.pick(&pieces)).collect();
        for agent in builtin.all().filter(|agent| !agent.prompt.is_empty()) {
            let start = agent.start(Some(&prompt));
            let given = &start[agent.command.len()..];
            let carried = match given {
                [] => "",
                [option] if option.starts_with("--") => {
                    option.split_once('=').expect("an option with its value").1
                }
                [text] => {
                    assert!(!text.starts_with('-'), "{prompt:?} became {text:?}");
                    text
                }
                [end, text] => {
                    assert_eq!(end, "--");
                    let could_be_a_command = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
                    assert!(!could_be_a_command, "{prompt:?} became {text:?}");
                    text
                }
                more => panic!("{prompt:?} became {more:?}"),
            };
            assert_eq!(carried.trim(), prompt.trim(), "{}", agent.id);
        }
    }
}
