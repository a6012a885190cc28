//! Rules of a user's own.

use masking::Rules;

fn with(text: &str) -> Result<Rules, String> {
    Rules::builtin().with_user_rules(text).map_err(|error| error.to_string())
}

fn refusal(text: &str) -> String {
    with(text).expect_err("the rules cannot be used")
}

#[test]
fn a_user_rule_masks_its_matches() {
    let rules = with(
        r#"
        [[rule]]
        name = "badge"
        triggers = ["badge"]
        pattern = 'badge no\. (?P<secret>[0-9]{6})'
        examples = ["badge no. 123456"]

        [[rule]]
        name = "ticket"
        starts = ["TCK-"]
        pattern = 'TCK-[a-z]{4}'

        [[rule]]
        name = "anywhere"
        pattern = 'zz[0-9]{3}zz'
        "#,
    )
    .expect("the rules are good");
    let text = "my badge no. 654321 and TCK-abcd, zz123zz";
    assert_eq!(rules.mask_text(text), "my badge no. ****** and ********, *******");
    let names: Vec<String> = rules.find(text).into_iter().map(|finding| finding.rule).collect();
    assert_eq!(names, ["badge", "ticket", "anywhere"]);
    assert_eq!(rules.mask_text("nothing here"), "nothing here");
}

#[test]
fn a_bad_rule_is_refused_with_its_line_and_a_hint() {
    let cases = [
        ("[[rule]\n", "line 1: "),
        ("x = 1\n", "line 1: unknown key `x`; a file of rules has `[[rule]]` and nothing else at its top"),
        (
            "[[rule]]\nname = \"a\"\npattern = 'ab'\ncolour = 1\n",
            "line 4: unknown key `colour`; a rule has name, pattern, starts or triggers",
        ),
        ("[[rule]]\npattern = 'ab'\n", "line 1: rule ``: give it a `name`"),
        ("[[rule]]\nname = \"a\"\n", "line 1: rule `a`: give it a `pattern`"),
        (
            "[[rule]]\nname = \"a\"\npattern = '('\n",
            "line 1: rule `a`: its pattern is no regular expression: unclosed group",
        ),
        ("[[rule]]\nname = \"a\"\npattern = 'x*'\n", "line 1: rule `a`: its pattern matches nothing at all"),
        ("[[rule]]\nname = \"a\"\npattern = 1\n", "line 3: rule `a`: expected a text"),
        (
            "[[rule]]\nname = \"a\"\npattern = '(?:[a-z]{500}){500}'\n",
            "line 1: rule `a`: its pattern is too large",
        ),
        ("[[rule]]\nname = \"a\"\npattern = 'ab'\ncheck = \"no\"\n", "line 1: rule `a`: `check` is"),
        (
            "[[rule]]\nname = \"a\"\npattern = 'ab'\nstarts = [\"a\"]\n",
            "line 1: rule `a`: `starts` and `triggers` are",
        ),
        (
            "[[rule]]\nname = \"a\"\npattern = 'ab'\n[[rule]]\nname = \"b\"\npattern = 'cd'\nexamples = [\"xy\"]\n",
            "line 4: rule `b`: it does not find a secret in its example `xy`",
        ),
    ];
    for (text, expected) in cases {
        let refusal = refusal(text);
        assert!(refusal.starts_with(expected), "{text}\nsays {refusal}\nnot  {expected}");
    }
}

#[test]
fn too_many_rules_and_too_long_patterns_are_refused() {
    let many: String = (0..101).map(|n| format!("[[rule]]\nname = \"r{n}\"\npattern = 'x{n}'\n")).collect();
    assert_eq!(
        refusal(&many),
        "there are 101 rules, and at most 100 can be used; join some into one pattern with `|`"
    );
    let long = format!("[[rule]]\nname = \"a\"\npattern = '{}'\n", "x".repeat(1001));
    assert!(refusal(&long).contains("`pattern` of 1 to 1000 characters"));
}
