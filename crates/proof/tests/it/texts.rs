//! The header that binds a request, as any text.

use proof::{Claim, SCHEME};
use proptest::prelude::*;

#[path = "../../fuzz/check.rs"]
mod check;

#[test]
fn a_claim_has_exactly_one_text() {
    let claim = Claim { bond: [1; 16], count: 7, body: [2; 32], mac: [3; 32] };
    let text = claim.write();
    let value = text.strip_prefix(SCHEME).unwrap().trim_start();
    assert_eq!(Claim::read(value), Some(claim));
    for other in [
        value.replace(".7.", ".07."),
        value.replace(".7.", ".+7."),
        value.replace(".7.", ".."),
        value.replace(".7.", ".18446744073709551616."),
        format!("{value}."),
        format!(" {value}"),
        value[1..].to_owned(),
        String::new(),
    ] {
        assert_eq!(Claim::read(&other), None, "{other}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[A-Za-z0-9_-]{0,44}\\.[0-9]{0,21}\\.[A-Za-z0-9_=-]{0,44}\\.[A-Za-z0-9_-]{42,44}") {
        check::a_text_is_read_as_it_is_written(&text);
    }

    #[test]
    fn any_bytes_are_a_key_a_signature_or_nothing(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check::foreign_bytes_are_judged(&bytes);
    }
}
