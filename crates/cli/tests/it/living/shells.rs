//! Real shells that mark their commands, and what abide knows by that.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use testkit::{Watcher, Worker};

use crate::house::{House, wait_for};

/// Each shell, with a file of the user's that sets a prompt and a word.
const SHELLS: [(&str, &str, &str); 3] = [
    ("bash", ".bashrc", "PS1='u> '; word=mine; PROMPT_COMMAND='told=$?'"),
    ("zsh", ".zshrc", "PS1='u> '; word=mine; precmd() { told=$? }"),
    ("fish", ".config/fish/config.fish", "function fish_prompt; echo -n 'u> '; end; set word mine"),
];

/// A house in which each shell has its own file.
fn house() -> House {
    let house = House::new();
    for (_, file, text) in SHELLS {
        let path = house.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    // Otherwise the first fish of a user reads all manual pages.
    fs::create_dir_all(house.path().join(".local/share/fish/generated_completions")).unwrap();
    house
}

fn is_here(shell: &str) -> bool {
    let found =
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|path| path.join(shell).exists());
    if !found {
        testkit::skip(&format!("{shell} is not installed"));
    }
    found
}

/// A person at a worker's shell.
struct Person<'h> {
    house: &'h House,
    worker: Worker,
}

impl<'h> Person<'h> {
    fn at(house: &'h House, command: &[&str]) -> Person<'h> {
        let worker = house.worker_with(&["--cwd", "/usr"], command);
        Watcher::watch(&worker).wait_for("u>");
        Person { house, worker }
    }

    /// Types a command, and waits until as many are known to have ended.
    fn types(&self, command: &str, ended: usize) -> Vec<Value> {
        self.worker.send(format!("{command}\r").as_bytes());
        wait_for(&format!("the end of `{command}`"), || {
            let known = self.history();
            let have_ended = known.iter().filter(|command| !command["endedAt"].is_null()).count();
            (have_ended >= ended).then_some(known)
        })
    }

    fn history(&self) -> Vec<Value> {
        serde_json::from_str(&self.house.output(["history", &self.worker.name, "--json"])).unwrap()
    }

    fn last(&self, number: &str) -> String {
        self.house.output(["last", &self.worker.name, number])
    }
}

#[test]
fn shells_mark_their_commands_and_read_the_users_own_files() {
    let house = house();
    let place = house.path().join("a b%ü");
    fs::create_dir(&place).unwrap();
    for (shell, _, _) in SHELLS.into_iter().filter(|(shell, _, _)| is_here(shell)) {
        let person = Person::at(&house, &[shell]);
        person.types("echo $word", 1);
        person.types("cat /no/such/file", 2);
        person.types(&format!("cd '{}'", place.display()), 3);
        let known = person.types("seq 60", 4);
        let of = |field: &str| known.iter().map(|command| command[field].clone()).collect::<Vec<_>>();
        let cd = format!("cd '{}'", place.display());
        assert_eq!(of("command"), ["echo $word", "cat /no/such/file", &cd, "seq 60"], "{shell}");
        assert_eq!(of("exitCode"), [0, 1, 0, 0], "{shell}");
        let directories = ["/usr", "/usr", "/usr", place.to_str().unwrap()];
        assert_eq!(of("directory"), directories.map(|place| json!(place)), "{shell}");
        assert_eq!(person.last("4"), "mine\n", "{shell}");
        let numbers: String = (1..=60).map(|number| format!("{number}\n")).collect();
        assert_eq!(person.last("1"), numbers, "{shell}");
        assert_eq!(person.last("2"), "", "{shell}");
        let shown = house.output(["history", &person.worker.name, "-n", "3"]);
        assert!(shown.lines().next().unwrap().ends_with("cat /no/such/file"), "{shown}");
        // The file for the shell is private, and nothing of the user's was touched.
        let meta = person.worker.dir.meta().unwrap();
        assert_eq!(meta.command, [shell]);
        assert!(meta.launch.is_some());
    }
    for (_, file, text) in SHELLS {
        assert_eq!(fs::read_to_string(house.path().join(file)).unwrap(), text);
    }
}

#[test]
fn a_shell_is_left_alone_where_the_user_wants_that_or_marks_by_itself() {
    let house = house().setting("ABIDE_SHELL_INTEGRATION", "false");
    let person = Person::at(&house, &["bash"]);
    assert_eq!(person.worker.dir.meta().unwrap().launch, None);
    person.worker.send(b"echo $((40 + 2))\r");
    Watcher::watch(&person.worker).wait_for("42");
    let words = house.refused(&["history", &person.worker.name], 1);
    assert!(words.contains("no command is known") && words.contains("shell-integration"), "{words}");
    assert_eq!(person.history(), [] as [Value; 0]);

    let house = self::house();
    let own = r"PS1='\[\e]133;A\a\]u> \[\e]133;B\a\]'; PS0='\e]133;C\a'";
    fs::write(house.path().join(".bashrc"), own).unwrap();
    let person = Person::at(&house, &["bash"]);
    person.worker.send(b"echo ${PROMPT_COMMAND:-none}\r");
    Watcher::watch(&person.worker).wait_for("none");
}

#[test]
fn what_the_user_hooked_into_the_prompt_still_works() {
    let house = house();
    let debug = "PS1='u> '; trap 'seen=$BASH_COMMAND' DEBUG; PROMPT_COMMAND=(first second); first() { code=$?; }; \
                 second() { PS1=\"u> \"; }";
    fs::write(house.path().join(".bashrc"), debug).unwrap();
    let person = Person::at(&house, &["bash"]);
    person.types("(exit 7)", 1);
    person.types("echo \"code $code\"", 2);
    let known = person.types("echo \"$seen\"", 3);
    assert_eq!(known[0]["exitCode"], 7);
    // The user's function sees the code of the command, and the prompt that it sets is marked again.
    assert_eq!(person.last("2"), "code 7\n");
    assert_eq!(person.last("1"), "echo \"$seen\"\n");
    // A shell in the shell knows none of it, and says nothing about it.
    person.worker.send(b"export PROMPT_COMMAND; bash --norc\r");
    person.worker.send(b"echo in $((1 + 1))\r");
    Watcher::watch(&person.worker).wait_for("in 2");
    assert!(!house.output(["screen", &person.worker.name]).contains("not found"));
}

#[test]
fn zsh_reads_its_files_where_the_user_has_them() {
    if !is_here("zsh") {
        return;
    }
    let house = house();
    let own = house.path().join("zsh files");
    fs::create_dir(&own).unwrap();
    fs::write(own.join(".zshenv"), "env=read").unwrap();
    fs::write(own.join(".zshrc"), "PS1='u> '").unwrap();
    let house = house.setting("ZDOTDIR", own.to_str().unwrap());
    let person = Person::at(&house, &["zsh", "-l"]);
    person.types("echo $env ${ZDOTDIR:t} ${ABIDE_ZDOTDIR-gone}", 1);
    assert_eq!(person.last("1"), "read zsh files gone\n");
}

#[test]
fn the_script_for_other_shells_is_the_same() {
    let house = house();
    let script = house.output(["shell-integration", "bash"]);
    assert!(script.contains("133;A") && !script.contains(".bashrc"));
    fs::write(house.path().join(".bashrc"), format!("PS1='u> '\n{script}")).unwrap();
    let house = house.setting("ABIDE_SHELL_INTEGRATION", "false");
    let person = Person::at(&house, &["bash"]);
    let known = person.types("false", 1);
    assert_eq!(known[0]["exitCode"], 1);
    assert!(Path::new(known[0]["directory"].as_str().unwrap()) == Path::new("/usr"));
    house.refused(&["last", &person.worker.name, "2"], 1);
    let words = house.run(["shell-integration", "tcsh"]);
    assert_eq!(words.status.code(), Some(2));
}
