//! The secret that a request carries.

use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderValue, SEC_WEBSOCKET_PROTOCOL, UPGRADE};

use super::rules::only;
use crate::tokens::Secret;

/// Begins the subprotocol that carries a secret: a page can set no header on an upgrade, but this one.
const BEARER_PROTOCOL: &str = "abide.bearer.";

/// What a request carries.
#[derive(Debug)]
pub(crate) enum Credential {
    /// Nothing.
    None,
    /// Something that reads like a secret.
    Secret(Secret),
    /// Something that is none, or more than one.
    Nonsense,
}

impl Credential {
    /// Takes the secret out of the request, so that nobody behind the gate sees it.
    pub(crate) fn take(headers: &mut HeaderMap) -> Credential {
        let bearer = match headers.contains_key(AUTHORIZATION) {
            false => Credential::None,
            true => read(only(headers, &AUTHORIZATION).and_then(bearer)),
        };
        headers.remove(AUTHORIZATION);
        match (bearer, take_protocol(headers)) {
            (credential, Credential::None) | (Credential::None, credential) => credential,
            _ => Credential::Nonsense,
        }
    }
}

/// The secret of an upgrade's subprotocols; the others stay.
fn take_protocol(headers: &mut HeaderMap) -> Credential {
    let upgrades = only(headers, &UPGRADE).is_some_and(|to| to.eq_ignore_ascii_case(b"websocket"));
    let mut secrets = Vec::new();
    let mut others = Vec::new();
    for offered in headers.get_all(SEC_WEBSOCKET_PROTOCOL) {
        // What is no text is no secret either, and is treated like a wrong one.
        for protocol in offered.to_str().unwrap_or(BEARER_PROTOCOL).split(',').map(str::trim) {
            match protocol.strip_prefix(BEARER_PROTOCOL) {
                Some(secret) => secrets.push(secret.to_owned()),
                None => others.push(protocol),
            }
        }
    }
    if secrets.is_empty() {
        return Credential::None;
    }
    let others = HeaderValue::from_str(&others.join(", ")).expect("what was in a header may be in one again");
    headers.insert(SEC_WEBSOCKET_PROTOCOL, others);
    match secrets.as_slice() {
        [secret] if upgrades => read(Some(secret)),
        _ => Credential::Nonsense,
    }
}

fn bearer(value: &[u8]) -> Option<&str> {
    let (scheme, secret) = str::from_utf8(value).ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(secret)
}

fn read(text: Option<&str>) -> Credential {
    text.and_then(|text| text.parse().ok()).map_or(Credential::Nonsense, Credential::Secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> String {
        format!("abide_0z0z789a_{}", "A".repeat(43))
    }

    fn taken(pairs: &[(&'static str, &str)]) -> (Credential, HeaderMap) {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        (Credential::take(&mut headers), headers)
    }

    fn check(pairs: &[(&'static str, &str)], expected: &str) {
        let (credential, headers) = taken(pairs);
        let found = match credential {
            Credential::None => "none",
            Credential::Secret(_) => "secret",
            Credential::Nonsense => "nonsense",
        };
        assert_eq!(found, expected, "{pairs:?}");
        assert!(!format!("{headers:?}").contains("AAAA"), "a secret stays behind: {headers:?}");
    }

    #[test]
    fn s6_a_secret_is_taken_out_of_the_request() {
        let bearer = format!("Bearer {}", secret());
        let offered = format!("abide.v1, abide.bearer.{}", secret());
        check(&[], "none");
        check(&[("authorization", &bearer)], "secret");
        check(&[("authorization", &bearer.to_lowercase().replace('a', "A"))], "nonsense");
        check(&[("authorization", &bearer), ("authorization", &bearer)], "nonsense");
        check(&[("authorization", &secret())], "nonsense");
        check(&[("authorization", "Basic AAAA")], "nonsense");
        check(&[("authorization", "")], "nonsense");
        check(&[("upgrade", "websocket"), ("sec-websocket-protocol", &offered)], "secret");
        check(&[("sec-websocket-protocol", &offered)], "nonsense");
        check(
            &[("authorization", &bearer), ("upgrade", "websocket"), ("sec-websocket-protocol", &offered)],
            "nonsense",
        );
        check(
            &[
                ("upgrade", "WebSocket"),
                ("sec-websocket-protocol", "abide.v1"),
                ("sec-websocket-protocol", &format!("abide.bearer.{}", secret())),
            ],
            "secret",
        );
        check(&[("upgrade", "websocket"), ("sec-websocket-protocol", "abide.bearer.")], "nonsense");
    }

    #[test]
    fn the_other_subprotocols_stay() {
        let offered = format!("abide.v1, abide.bearer.{}, other", secret());
        let (_, headers) = taken(&[("upgrade", "websocket"), ("sec-websocket-protocol", &offered)]);
        assert_eq!(headers[SEC_WEBSOCKET_PROTOCOL], "abide.v1, other");
    }
}
