//! Values known from the environment.

use std::sync::Arc;

use masking::Rules;

use crate::common::{masked_with, size};

fn knowing(variables: &[(&str, &str)]) -> Rules {
    Rules::builtin().with_variables(variables.iter().map(|(name, value)| (name.into(), value.into())))
}

const VALUE: &str = "Zürich & 密 \"9!\"";

#[test]
fn a_known_value_is_masked_in_every_encoding() {
    let rules = knowing(&[("MY_TOKEN", VALUE)]);
    let forms = [
        VALUE,
        "Z%C3%BCrich%20%26%20%E5%AF%86%20%229%21%22",
        "Z%c3%bcrich%20%26%20%e5%af%86%20%229%21%22",
        "Z%C3%BCrich+%26+%E5%AF%86+%229%21%22",
        "5ac3bc72696368202620e5af86202239212 2",
        "Zürich & 密 \\\"9!\\\"",
        "Z\\u00fcrich & \\u5bc6 \\\"9!\\\"",
        "WsO8cmljaCAmIOWvhiAiOSEi",
    ];
    for form in forms {
        let form = form.replace("212 2", "2122");
        for form in [form.clone(), if form.starts_with("5a") { form.to_ascii_uppercase() } else { form }] {
            let masked = rules.mask_text(&form);
            assert!(masked.bytes().all(|byte| b"*REDACT".contains(&byte)), "{form} became {masked}");
        }
    }
    let found = rules.find(&format!("say {VALUE} twice"));
    assert_eq!(found[0].rule, "variable MY_TOKEN");
}

#[test]
fn a_known_value_is_masked_inside_of_other_base64() {
    let rules = knowing(&[("DB_PASSWORD", "s3cr3t-v4lue")]);
    // user:s3cr3t-v4lue, xs3cr3t-v4lue and xxs3cr3t-v4luey
    for (encoded, kept) in [
        ("dXNlcjpzM2NyM3QtdjRsdWU=", "dXNlcj"),
        ("eHMzY3IzdC12NGx1ZQ==", "e"),
        ("eHhzM2NyM3QtdjRsdWV5", "eH"),
    ] {
        let masked = rules.mask_text(encoded).into_owned();
        assert!(
            masked.starts_with(kept) && masked[kept.len()..].starts_with("***"),
            "{encoded} became {masked}"
        );
        assert!(!encoded[6..].contains(&masked[masked.len() - 4..]) || masked.ends_with('='), "{masked}");
    }
}

#[test]
fn a_known_value_is_masked_on_a_screen() {
    let rules = Arc::new(knowing(&[("MY_TOKEN", VALUE)]));
    for cols in 8..60 {
        let text = format!("so: {VALUE} it is\r\n");
        let masked = String::from_utf8(masked_with(&rules, size(cols, 10), text.as_bytes()))
            .expect("masks are characters");
        assert!(!masked.contains("rich") && !masked.contains("9!"), "{cols}: {masked}");
        assert!(masked.contains("it"), "{cols}: {masked}");
    }
}

#[test]
fn short_values_and_values_that_are_no_secrets_stay() {
    let rules = knowing(&[
        ("TOKEN", "short"),
        ("PWD", "/home/somebody"),
        ("EDITOR_KEY", "disabled"),
        ("PATH", "a-long-value-of-no-secret"),
        ("SSH_AUTH_SOCK", "agent-socket-name"),
    ]);
    let text = "short /home/somebody disabled a-long-value-of-no-secret agent-socket-name";
    assert_eq!(rules.mask_text(text), text);
}

#[test]
fn a_value_of_several_lines_is_masked_line_by_line() {
    let rules = knowing(&[("GCP_CREDENTIALS", "first-line-of-it\nsecond-line-of-it\n}")]);
    let masked = rules.mask_text("a first-line-of-it b\nsecond-line-of-it }");
    assert_eq!(masked, "a ***REDACTED***** b\n***REDACTED****** }");
}
