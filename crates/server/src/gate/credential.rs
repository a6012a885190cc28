//! The secret that a request carries.

use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderValue, SEC_WEBSOCKET_PROTOCOL, UPGRADE};

use proof::{Claim, SCHEME};

use super::rules::only;
use crate::tokens::Secret;

/// The prefix of the subprotocol that carries a secret. When a page opens a WebSocket, this is the only header that it
/// can set.
const BEARER_PROTOCOL: &str = "abide.bearer.";

/// The secret of a request.
#[derive(Debug)]
pub(crate) enum Credential {
    /// The request carries no secret.
    None,
    /// A text that has the form of a secret.
    Secret(Secret),
    /// The request is bound to a bond.
    Bond(Claim),
    /// A text that does not have the form of a secret, or more than one text.
    Nonsense,
}

impl Credential {
    /// Removes the secret from the request, so that no code behind the gate sees it.
    pub(crate) fn take(headers: &mut HeaderMap) -> Credential {
        let bearer = match headers.contains_key(AUTHORIZATION) {
            false => Credential::None,
            true => authorization(only(headers, &AUTHORIZATION)),
        };
        headers.remove(AUTHORIZATION);
        match (bearer, take_protocol(headers)) {
            (credential, Credential::None) | (Credential::None, credential) => credential,
            _ => Credential::Nonsense,
        }
    }
}

/// Removes the secret from an upgrade's subprotocols. The other subprotocols stay.
fn take_protocol(headers: &mut HeaderMap) -> Credential {
    let upgrades = only(headers, &UPGRADE).is_some_and(|to| to.eq_ignore_ascii_case(b"websocket"));
    let mut secrets = Vec::new();
    let mut others = Vec::new();
    for offered in headers.get_all(SEC_WEBSOCKET_PROTOCOL) {
        // A value that is not text counts as a wrong secret.
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
    let others =
        HeaderValue::from_str(&others.join(", ")).expect("parts of a header value are a valid header value");
    headers.insert(SEC_WEBSOCKET_PROTOCOL, others);
    match secrets.as_slice() {
        [secret] if upgrades => read(Some(secret)),
        _ => Credential::Nonsense,
    }
}

fn authorization(value: Option<&[u8]>) -> Credential {
    let text = value.and_then(|value| str::from_utf8(value).ok());
    match text.and_then(|text| text.split_once(' ')) {
        Some((scheme, secret)) if scheme.eq_ignore_ascii_case("bearer") => read(Some(secret)),
        Some((scheme, claim)) if scheme.eq_ignore_ascii_case(SCHEME) => {
            Claim::read(claim).map_or(Credential::Nonsense, Credential::Bond)
        }
        _ => Credential::Nonsense,
    }
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
            Credential::Bond(_) => "bond",
            Credential::Nonsense => "nonsense",
        };
        assert_eq!(found, expected, "{pairs:?}");
        assert!(!format!("{headers:?}").contains("AAAA"), "the request still has a secret: {headers:?}");
    }

    #[test]
    fn s6_the_gate_removes_the_secret_from_a_request() {
        let bearer = format!("Bearer {}", secret());
        let offered = format!("abide.v1, abide.bearer.{}", secret());
        check(&[], "none");
        check(&[("authorization", &bearer)], "secret");
        check(&[("authorization", &bearer.to_lowercase().replace('a', "A"))], "nonsense");
        check(&[("authorization", &bearer), ("authorization", &bearer)], "nonsense");
        check(&[("authorization", &secret())], "nonsense");
        check(&[("authorization", "Basic AAAA")], "nonsense");
        check(&[("authorization", "")], "nonsense");
        let claim = Claim { bond: [0; 16], count: 7, body: [0; 32], mac: [0; 32] };
        check(&[("authorization", &claim.write())], "bond");
        check(&[("authorization", &claim.write()), ("authorization", &bearer)], "nonsense");
        check(&[("authorization", &claim.write().replace(".7.", ".x."))], "nonsense");
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
