//! Agents that a user defines.

use std::time::Duration;

use agents::{AgentId, Agents, Detector, Heard};
use model::Activity;

fn id(text: &str) -> AgentId {
    text.parse().expect("an id")
}

#[test]
fn a_user_defines_an_agent() {
    let agents = Agents::load(Some(
        r#"
        [[agent]]
        id = "aider"
        name = "Aider, careful"
        command = ["aider", "--no-auto-commits"]
        prompt = ["--message", "{prompt}"]
        continue = ["--restore-chat-history"]
        environment = { AIDER_DARK_MODE = "true", EMPTY = "" }

        [[agent]]
        id = "mine"
        command = ["/opt/my agent"]
        "#,
    ))
    .expect("two agents");
    assert_eq!(agents.all().len(), Agents::builtin().all().len() + 1, "one has the id of ours");
    let aider = agents.get(&id("aider")).expect("it is defined");
    assert_eq!(aider.name, "Aider, careful");
    assert_eq!(aider.start(Some("go on")), ["aider", "--no-auto-commits", "--message", "go on"]);
    assert_eq!(aider.start(Some("-x")), ["aider", "--no-auto-commits", "--message", " -x"]);
    assert_eq!(aider.restart(), ["aider", "--no-auto-commits", "--restore-chat-history"]);
    assert_eq!(aider.environment["AIDER_DARK_MODE"], "true");
    let mine = agents.get(&id("mine")).expect("it is defined");
    assert_eq!((mine.name.as_str(), mine.start(Some("lost"))), ("mine", vec!["/opt/my agent".to_owned()]));
    assert!(mine.prompt.is_empty() && mine.continue_args.is_none());
}

#[test]
fn a_definition_of_the_same_id_replaces_ours() {
    let text = "[[agent]]\nid = \"claude-code-builtin\"\nname = \"My Claude\"\ncommand = [\"/opt/claude\"]\n";
    let agents = Agents::load(Some(text)).expect("one agent");
    let all: Vec<&str> = agents.all().map(|agent| agent.name.as_str()).collect();
    assert_eq!((all[0], all.len()), ("My Claude", Agents::builtin().all().len()));
    let claude = agents.get(&AgentId::claude()).expect("Claude");
    assert!(claude.environment.is_empty() && claude.prompt.is_empty(), "{claude:?}");
    let ours = Agents::builtin();
    assert_eq!(
        claude.signs,
        ours.get(&AgentId::claude()).expect("Claude").signs,
        "it says nothing of activity"
    );
}

#[test]
fn a_new_agent_brings_rules_of_its_own() {
    let agents = Agents::load(Some(
        r#"
        [[agent]]
        id = "mine"
        command = ["mine"]
        resume = ["--go-on", "{id}"]
        prompt-marks = "ignored"
        work-is-shown = true
        rule = [
            { in = "title", pattern = "^BUSY", means = "active" },
            { in = "title", pattern = "^ASK", means = "asking", kind = "limit", versions = ">=2" },
        ]
        [agent.answer]
        limit = { yes = ["y"], choose = ["{number}"] }
        "#,
    ))
    .expect("an agent");
    let mine = agents.get(&id("mine")).expect("it is defined");
    assert_eq!(mine.resume("7"), Some(vec!["mine".to_owned(), "--go-on".into(), "7".into()]));
    let asks = |version: &str| {
        let mut detector = Detector::new(mine, Some(version.parse().expect("a version")));
        detector.hear(Duration::ZERO, &Heard::Title("ASK me".into()));
        detector.state().activity
    };
    assert_eq!((asks("2.1"), asks("1.9")), (Activity::Asking, Activity::Unknown));
}

#[test]
fn a_shell_that_the_user_defined_is_not_replaced_by_the_login_shell() {
    let text = "[[agent]]\nid = \"shell\"\ncommand = [\"fish\", \"-l\"]\n";
    let agents = Agents::load(Some(text)).expect("one agent").with_login_shell("/bin/bash");
    assert_eq!(agents.get(&AgentId::shell()).expect("a shell").start(None), ["fish", "-l"]);
}

#[test]
fn n5_a_bad_definition_names_its_line_and_the_remedy() {
    let good = "[[agent]]\nid = \"a\"\ncommand = [\"a\"]\n";
    for (text, line, remedy) in [
        ("[[agent]]\nid = = 1", "line 2", "TOML"),
        ("\nagents = 1", "line 2", "[[agent]]"),
        ("agent = 1", "line 1", "[[agent]]"),
        ("agent = [1]", "line 1", "[[agent]]"),
        ("[[agent]]\ncommand = [\"a\"]", "line 1", "`id`"),
        ("[[agent]]\nid = \"../a\"\ncommand = [\"a\"]", "line 1", "`id`"),
        ("[[agent]]\nid = \"a\"", "line 1", "`command`"),
        ("[[agent]]\nid = \"a\"\ncommand = []", "line 1", "`command`"),
        ("[[agent]]\nid = \"a\"\ncommand = \"a -b\"", "line 3", "does not split"),
        ("[[agent]]\nid = \"a\"\ncommand = [\"a\", 1]", "line 3", "quotes"),
        ("[[agent]]\nid = \"a\"\ncommand = [\"a\\u0000\"]", "line 3", "NUL"),
        ("[[agent]]\nid = \"a\"\ncommand = [\"a\"]\nprompt = [\"-p\"]", "line 1", "{prompt}"),
        ("[[agent]]\nid = \"a\"\nname = \"\\u001b[2J\"\ncommand = [\"a\"]", "line 1", "`name`"),
        ("[[agent]]\nid = \"a\"\ncommand = [\"a\"]\ncontinue = true", "line 4", "list"),
        ("[[agent]]\nid = \"a\"\ncommand = [\"a\"]\nenvironment = [\"A=1\"]", "line 4", "NAME"),
        (
            "[[agent]]\nid = \"a\"\ncommand = [\"a\"]\nenvironment = { \"A=\" = \"1\" }",
            "line 4",
            "variable name",
        ),
        ("[[agent]]\nid = \"a\"\ncommand = [\"a\"]\nresumes = [\"-c\"]", "line 4", "continue"),
        ("[[agent]]\nid = \"a\"\ncommand = [\"a\"]\nresume = [\"-c\"]", "line 4", "{id}"),
        (
            "[[agent]]\nid = \"a\"\ncommand = [\"a\"]\nrule = [{ in = \"title\", pattern = \"(\", means = \"idle\" }]",
            "line 4",
            "regular expression",
        ),
        ("[[agent]]\nid = \"a\"\ncommand = [\"a\"]\nrule = [{ in = \"x\" }]", "line 4", "`in` is"),
        (&format!("{good}{good}"), "line 4", "twice"),
        (&"[[agent]]\n".repeat(101), "101", "at most 100"),
    ] {
        let words = Agents::load(Some(text)).expect_err(text).to_string();
        assert!(words.contains(line) && words.contains(remedy), "{text:?}: {words}");
        assert!(!words.contains('\u{1b}'), "{words:?}");
    }
}

#[test]
fn another_definition_of_a_known_program_names_conversations_like_that_program() {
    let text = r#"
        [[agent]]
        id = "careful"
        command = ["claude", "--permission-mode", "plan"]

        [[agent]]
        id = "bare"
        command = ["claude"]
        hooks = { events = [] }

        [[agent]]
        id = "other"
        command = ["other"]
        "#;
    let agents = Agents::load(Some(text)).expect("three agents");
    let agent = |name| agents.get(&id(name)).expect("it is defined");
    let start = agent("careful").start_as("k7f2", None).expect("it takes an id");
    assert_eq!(start, ["claude", "--permission-mode", "plan", "--session-id", "k7f2"]);
    assert_eq!(agent("careful").conversation_in(&start).as_deref(), Some("k7f2"));
    let again = agent("careful").begin_again(&start, "m9qx").expect("it takes an id");
    assert_eq!(agent("careful").conversation_in(&again).as_deref(), Some("m9qx"));
    assert!(!agent("careful").hooks.is_empty() && agent("bare").hooks.is_empty());
    assert_eq!(agent("other").start_as("k7f2", None), None);
}

#[test]
fn signs_of_conversations_and_hooks_are_checked() {
    for (text, wanted) in [
        ("conversation = { kept-in = \"~/x\" }", "{id}"),
        ("conversation = { told-in = \"~/x\" }", "{pid}"),
        ("conversation = { gone = \"(\" }", "regular expression"),
        ("conversation = { other = \"x\" }", "a conversation has config"),
        ("hooks = { arguments = [\"--settings\"] }", "{file}"),
        ("hooks = { answer = [] }", "hooks have arguments"),
    ] {
        let text = format!("[[agent]]\nid = \"x\"\ncommand = [\"x\"]\n{text}\n");
        let error = Agents::load(Some(&text)).expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

/// A prompt that looks like the arguments of a conversation is no conversation.
#[test]
fn s35_a_prompt_names_no_conversation() {
    let agents = Agents::builtin();
    let claude = agents.get(&AgentId::claude()).expect("Claude");
    assert_eq!(claude.conversation_in(&claude.start(Some("--session-id k7f2"))), None);
    let started = claude.start_as("k7f2m9qx", Some("--resume other")).expect("it takes an id");
    assert_eq!(claude.conversation_in(&started).as_deref(), Some("k7f2m9qx"));
    assert!(!claude.is_resumed_by(&started));
    let resumed = claude.resume("k7f2m9qx").expect("it resumes");
    assert!(claude.is_resumed_by(&resumed));
    assert_eq!(claude.begin_again(&resumed, "other"), None);
}
