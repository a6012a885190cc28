//! Secrets in plain text.

use crate::common::{examples, rules};

#[test]
fn every_rule_finds_its_examples() {
    for example in examples() {
        let found = rules().find(&example.text);
        assert!(found.iter().any(|finding| finding.rule == example.rule), "{example:?}: {found:?}");
    }
    assert!(rules().names().count() >= 60);
}
