//! Repositories that try to make git run their programs.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use git::{GitError, provisioning};

use crate::sandbox::{Sandbox, branch, make_executable};

const HOOKS: [&str; 27] = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-pre-submit",
    "post-index-change",
    "p4-post-changelist",
];

/// Settings whose value is a program, or a command for a shell.
const SETTINGS: [&str; 26] = [
    "core.fsmonitor",
    "core.pager",
    "pager.status",
    "pager.log",
    "core.editor",
    "sequence.editor",
    "core.askPass",
    "core.sshCommand",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "credential.helper",
    "diff.external",
    "diff.trap.textconv",
    "diff.trap.command",
    "filter.trap.clean",
    "filter.trap.smudge",
    "filter.odd=name.clean",
    "filter.odd=name.smudge",
    "merge.trap.driver",
    "gpg.program",
    "gpg.ssh.program",
    "hook.trap.command",
    "interactive.diffFilter",
    "remote.origin.uploadpack",
    "trailer.trap.command",
    "uploadpack.packObjectsHook",
];

const ALIASES: [&str; 8] =
    ["status", "rev-parse", "for-each-ref", "rev-list", "worktree", "config", "ls-files", "update-ref"];

/// Each has a filter of another kind.
const FILES: [&str; 5] = ["file", "odd", "process", "included", "own"];

struct Traps {
    sandbox: Sandbox,
    repo: PathBuf,
    sprung: PathBuf,
}

impl Traps {
    fn new() -> Traps {
        let (sandbox, repo) = Sandbox::with_repo();
        let sprung = sandbox.root.join("sprung");
        fs::create_dir(&sprung).unwrap();
        let traps = Traps { sandbox, repo, sprung };
        for file in &FILES[1..] {
            traps.sandbox.commit(&traps.repo, file, "one\n");
        }
        let attributes = "* diff=trap merge=trap filter=trap\nodd filter=odd=name\nprocess filter=process\n\
                          included filter=included\nown filter=own\n";
        traps.sandbox.commit(&traps.repo, ".gitattributes", attributes);
        traps.sandbox.git(&traps.repo, &["branch", "there"]);
        let inner = traps.sandbox.repo("inner");
        traps.sandbox.commit(&inner, ".gitattributes", "* filter=inner\n");
        traps.sandbox.git(&traps.repo, &["submodule", "add", "-q", &inner.display().to_string(), "sub"]);
        traps.sandbox.git(&traps.repo, &["commit", "-q", "-m", "with a submodule"]);
        let linked = traps.sandbox.worktree("linked");
        traps.sandbox.git(&traps.repo, &["worktree", "add", "-q", &linked.display().to_string()]);
        traps.set();
        traps
    }

    /// A program that leaves a file of this name behind, and else does no harm.
    fn program(&self, name: &str) -> String {
        let file = name.replace(['/', ' ', '='], "_");
        let path = self.sandbox.root.join(format!("trap-{file}"));
        // A filter hands on what it gets; with a way to a remote, git would wait for more.
        let is_remote = name.starts_with("remote") || ["core.sshCommand", "core.gitProxy"].contains(&name);
        let then = if is_remote { "exit 1" } else { "cat" };
        let sprung = self.sprung.join(file);
        fs::write(&path, format!("#!/bin/sh\ntouch '{}'\n{then}\n", sprung.display())).unwrap();
        make_executable(&path);
        path.display().to_string()
    }

    fn set(&self) {
        let hooks = self.repo.join(".git/hooks");
        for hook in HOOKS {
            fs::copy(self.program(&format!("hook-{hook}")), hooks.join(hook)).unwrap();
        }
        let sub = self.repo.join("sub");
        self.sandbox.git(&sub, &["config", "filter.inner.clean", &self.program("submodule-clean")]);
        fs::write(sub.join("file"), "two\n").unwrap();

        let (clean, smudge) = (self.program("included-clean"), self.program("included-smudge"));
        let included =
            format!("[filter \"included\"]\nclean = {clean}\nsmudge = {smudge}\nrequired = true\n");
        fs::write(self.repo.join(".git/more"), included).unwrap();
        let worktree = format!("[filter \"own\"]\nclean = {}\n", self.program("worktree-clean"));
        fs::write(self.repo.join(".git/worktrees/linked/config.worktree"), worktree).unwrap();

        let mut config = fs::read_to_string(self.repo.join(".git/config")).unwrap();
        config = config.replace("repositoryformatversion = 0", "repositoryformatversion = 1");
        let mut set = |key: &str, value: &str| {
            let (section, name) = key.rsplit_once('.').unwrap();
            let section = section.replacen('.', " \"", 1) + if section.contains('.') { "\"" } else { "" };
            config.push_str(&format!("[{section}]\n{name} = \"{value}\"\n"));
        };
        for setting in SETTINGS {
            set(setting, &self.program(setting));
        }
        for alias in ALIASES {
            set(&format!("alias.{alias}"), &format!("!{}", self.program(&format!("alias-{alias}"))));
        }
        set("hook.trap.event", "post-checkout");
        set("log.showSignature", "true");
        set("filter.process.process", &self.program("process"));
        set("status.submoduleSummary", "true");
        set("includeIf.gitdir:**.path", "more");
        set("extensions.worktreeConfig", "true");
        // What is missing would have to be fetched from a remote that has a program for an address.
        set("remote.origin.url", &format!("ext::{} %S", self.program("remote")));
        set("remote.origin.promisor", "true");
        set("protocol.ext.allow", "always");
        set("extensions.partialClone", "origin");
        fs::write(self.repo.join(".git/config"), config).unwrap();

        // Files that have to be compared by what is in them.
        for dir in [&self.repo, &self.sandbox.worktree("linked")] {
            for file in FILES {
                fs::write(dir.join(file), "two\n").unwrap();
            }
        }
        for name in ["git", "sh", "cat", "true"] {
            fs::copy(self.program(&format!("path-{name}")), self.repo.join(name)).unwrap();
        }
    }

    fn reset(&self) {
        for entry in fs::read_dir(&self.sprung).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }

    fn sprung(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(&self.sprung).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

#[test]
fn s36_a_booby_trapped_repository_runs_nothing_when_we_look_at_it() {
    let traps = Traps::new();
    let git = traps.sandbox.subject();
    let linked = traps.sandbox.worktree("linked");
    for path in [&traps.repo, &linked] {
        git.inspect(path).unwrap();
        git.branches(path).unwrap();
        git.worktrees(path).unwrap();
        git.free_branch(path, &branch("main")).unwrap();
        git.summary(path, "there").unwrap();
        let _ = git.trashed(path);
        provisioning(path).unwrap();
        let work = git.work(path).unwrap();
        assert!(work.unstaged >= FILES.len(), "{work:?}");
        assert_eq!(traps.sprung(), BTreeSet::new(), "at {}", path.display());
    }
    git.inspect(&traps.repo.join(".git")).unwrap_err();
    assert_eq!(traps.sprung(), BTreeSet::new());

    // The traps are real: for ordinary git they spring.
    let unset = ["config", "--unset", "filter.process.process"];
    for args in [&["status"][..], &["diff"], &unset, &["checkout", "-q", "-f", "there"]] {
        let _ = traps.sandbox.try_git(&traps.repo, args);
    }
    let _ = traps.sandbox.try_git(&linked, &["status"]);
    let sprung = traps.sprung();
    for trap in [
        "core.fsmonitor",
        "diff.trap.command",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.odd_name.clean",
        "process",
        "included-clean",
        "submodule-clean",
        "worktree-clean",
        "hook-post-checkout",
        "hook-post-index-change",
        "hook-reference-transaction",
    ] {
        assert!(sprung.contains(trap), "{trap} did not spring: {sprung:?}");
    }
}

#[test]
fn s36_changing_a_booby_trapped_repository_runs_nothing_of_its_own() {
    let traps = Traps::new();
    let git = traps.sandbox.subject();
    let sandbox = &traps.sandbox;
    sandbox.git(&traps.repo, &["config", "--unset", "filter.process.process"]);
    traps.reset();

    let made = git.add_worktree(&traps.repo, &sandbox.new_branch("x")).unwrap();
    assert_eq!(traps.sprung(), BTreeSet::new(), "at a checkout");

    fs::write(made.path.join("file"), "changed\n").unwrap();
    let trashed = git.to_trash(&traps.repo, &made.path, &sandbox.trash("t")).unwrap();
    git.from_trash(&traps.repo, &sandbox.trash("t"), &made.path, &trashed).unwrap();
    git.to_trash(&traps.repo, &made.path, &sandbox.trash("t")).unwrap();
    git.expire(&traps.repo, &sandbox.trash("t")).unwrap();
    assert!(git.delete_branch_if_untouched(&traps.repo, &made.branch, &made.base_commit).unwrap());
    assert_eq!(git.finish().len(), 0);
    assert_eq!(traps.sprung(), BTreeSet::new());
}

#[test]
fn s36_a_checkout_fetches_no_missing_object_by_any_program_of_the_repository() {
    let traps = Traps::new();
    let git = traps.sandbox.subject();
    let blob = traps.sandbox.git(&traps.repo, &["rev-parse", "there:odd"]);
    let object = traps.repo.join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    fs::remove_file(object).unwrap();
    traps.reset();
    let inner = traps.sandbox.root.join("inner").display().to_string();
    let ext = format!("ext::{} %S", traps.program("remote"));
    let cases: [(&str, &[(&str, &str)]); 5] = [
        ("remote", &[("remote.origin.url", &ext)]),
        ("remote", &[("remote.origin.url", "odd:x"), (&format!("url.{ext}.insteadOf"), "odd:x")]),
        ("core.sshCommand", &[("remote.origin.url", "ssh://nowhere.invalid/x")]),
        ("core.gitProxy", &[("remote.origin.url", "git://nowhere.invalid/x")]),
        ("remote.origin.uploadpack", &[("remote.origin.url", &inner)]),
    ];
    for (number, (trap, settings)) in cases.into_iter().enumerate() {
        for (key, value) in settings {
            traps.sandbox.git(&traps.repo, &["config", key, value]);
        }
        let made = git.add_worktree(&traps.repo, &traps.sandbox.existing_branch("there"));
        assert!(matches!(made, Err(GitError::Partial)), "{number}: {made:?}");
        assert_eq!(traps.sprung(), BTreeSet::new(), "{number}: {trap}");
        let _ = traps.sandbox.try_git(&traps.repo, &["cat-file", "-p", &blob]);
        assert!(traps.sprung().contains(trap), "{number}: the trap is real: {:?}", traps.sprung());
        traps.reset();
    }
}

#[test]
fn s36_the_users_filters_run_at_a_checkout_and_get_no_program_of_the_repository() {
    let traps = Traps::new();
    let (sandbox, repo) = (&traps.sandbox, &traps.repo);
    // Like git-lfs, it asks git how to connect and who knows passwords, and runs that.
    let filter = sandbox.root.join("large");
    let script = "#!/bin/sh\ncat\n$(git config core.sshCommand) < /dev/null\n\
                  echo | git credential fill > /dev/null 2>&1\n\
                  for key in lfs.customtransfer.x.path lfs.standalonetransferagent; do\n\
                  [ -z \"$(git config $key)\" ] || $(git config $key) < /dev/null\ndone\n";
    fs::write(&filter, script).unwrap();
    make_executable(&filter);
    let smudge = filter.display().to_string();
    let own_ssh = sandbox.root.join("own-ssh");
    let used = sandbox.root.join("own-ssh-used");
    fs::write(&own_ssh, format!("#!/bin/sh\ntouch '{}'\n", used.display())).unwrap();
    make_executable(&own_ssh);
    for (key, value) in
        [("filter.trap.smudge", smudge.as_str()), ("core.sshCommand", &own_ssh.display().to_string())]
    {
        sandbox.git(repo, &["config", "--global", key, value]);
    }
    for key in ["lfs.customtransfer.x.path", "lfs.standalonetransferagent", "credential.https://a.b.helper"] {
        sandbox.git(repo, &["config", key, &traps.program(key)]);
    }
    sandbox.git(repo, &["config", "--unset", "filter.process.process"]);
    traps.reset();
    let made = sandbox.subject().add_worktree(repo, &sandbox.new_branch("x")).unwrap();
    assert_eq!(fs::read_to_string(made.path.join("file")).unwrap(), "one\n");
    assert_eq!(traps.sprung(), BTreeSet::new());
    assert!(used.exists(), "the user's own filter ran, with the user's own settings");
    // The repository's filter of the same name is what ordinary git runs.
    fs::remove_file(made.path.join("file")).unwrap();
    let _ = sandbox.try_git(&made.path, &["checkout", "-q", "-f", "HEAD", "--", "file"]);
    assert!(traps.sprung().contains("filter.trap.smudge"), "{:?}", traps.sprung());
}

#[test]
fn s36_a_missing_object_is_not_fetched_when_we_look() {
    let traps = Traps::new();
    let git = traps.sandbox.subject();
    let objects = traps.repo.join(".git/objects");
    let tree = traps.sandbox.git(&traps.repo, &["rev-parse", "HEAD^{tree}"]);
    traps.reset();
    fs::remove_file(objects.join(&tree[..2]).join(&tree[2..])).unwrap();
    let inner = traps.sandbox.root.join("inner").display().to_string();
    for (trap, url) in [("remote", None), ("remote.origin.uploadpack", Some(inner))] {
        if let Some(url) = url {
            traps.sandbox.git(&traps.repo, &["config", "remote.origin.url", &url]);
        }
        let _ = git.inspect(&traps.repo);
        let _ = git.work(&traps.repo);
        let _ = git.summary(&traps.repo, "there");
        assert_eq!(traps.sprung(), BTreeSet::new());
        let _ = traps.sandbox.try_git(&traps.repo, &["cat-file", "-p", &tree]);
        assert!(traps.sprung().contains(trap), "the trap is real: {:?}", traps.sprung());
        traps.reset();
    }
}

#[test]
fn s36_the_users_own_git_settings_are_read() {
    let (sandbox, repo) = Sandbox::with_repo();
    fs::write(sandbox.root.join("home/ignore"), "scratch\n").unwrap();
    let file = sandbox.root.join("home/ignore").display().to_string();
    sandbox.git(&repo, &["config", "--global", "core.excludesFile", &file]);
    fs::write(repo.join("scratch"), "").unwrap();
    assert_eq!(sandbox.subject().work(&repo).unwrap().untracked, 0);
}
