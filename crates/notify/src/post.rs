//! Posts a nudge to a URL.

use std::sync::{Arc, OnceLock};

use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Error};

use crate::{Form, Nudge, NudgeError, PATIENCE, Url};

pub(crate) fn post(url: &Url, form: Form, nudge: &Nudge) -> Result<(), NudgeError> {
    let request = agent(url).post(url.secret());
    let sent = match form {
        Form::Json => request.content_type("application/json").send(nudge.json()),
        // Of the words, only those that a header can hold.
        Form::Text => request
            .content_type("text/plain; charset=utf-8")
            .header("title", ascii(&nudge.title))
            .send(nudge.text.as_str()),
    };
    let answer = sent.map_err(|error| told(url, &error))?;
    if answer.status().is_success() {
        return Ok(());
    }
    Err(NudgeError::Refused { url: url.to_string(), status: answer.status().as_u16() })
}

fn told(url: &Url, error: &Error) -> NudgeError {
    let shown = url.to_string();
    match error {
        Error::StatusCode(status) => NudgeError::Refused { url: shown, status: *status },
        Error::Timeout(_) => NudgeError::TooSlow { destination: shown },
        other => {
            let reason = model::display_safe(&other.to_string().replace(url.secret(), &shown));
            NudgeError::Unreachable { url: shown, reason }
        }
    }
}

/// Follows no redirect: what it tells is for this URL. A redirect counts as a refusal.
fn agent(url: &Url) -> Agent {
    let mut config = Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .max_redirects(0)
        .user_agent(concat!("abide/", env!("CARGO_PKG_VERSION")));
    if url.secret().starts_with("https:") {
        config = config.tls_config(tls());
    }
    config.build().new_agent()
}

/// Trusts the authorities that the machine trusts, so that a server in the house works as well.
fn tls() -> TlsConfig {
    static ROOTS: OnceLock<Vec<Certificate<'static>>> = OnceLock::new();
    let roots = ROOTS.get_or_init(|| {
        let found = rustls_native_certs::load_native_certs().certs;
        found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect()
    });
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::new_with_certs(roots))
        .build()
}

fn ascii(text: &str) -> String {
    text.chars().map(|char| if char.is_ascii_graphic() || char == ' ' { char } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use testkit::{Answer, ScriptedServer};

    use super::*;
    use crate::nudge::tests::waiting;

    fn posted(form: Form, status: u16) -> (Result<(), NudgeError>, testkit::Request) {
        let (server, url) = ScriptedServer::at_a_port(vec![Answer::body("POST /topic", status, "")]);
        let ran = post(&format!("{url}/topic").parse().unwrap(), form, &Nudge::of(vec![waiting("¿May I?")]));
        (ran, server.requests().pop().expect("a request"))
    }

    #[test]
    fn a_nudge_is_posted_as_json_or_as_text() {
        let (ran, request) = posted(Form::Json, 200);
        assert_eq!((ran, request.line.as_str()), (Ok(()), "POST /topic"));
        let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(body["text"], "claude asks: ¿May I? (Fix the door · shop)");
        let (ran, request) = posted(Form::Text, 200);
        assert_eq!((ran, request.body.as_str()), (Ok(()), "claude asks: ¿May I? (Fix the door · shop)"));
        assert!(request.headers.contains(&"title: claude asks".to_owned()), "{request:?}");
    }

    #[test]
    fn a_refusal_and_a_redirect_are_told_without_the_secret_of_the_url() {
        let words = |status| posted(Form::Json, status).0.unwrap_err().to_string();
        for status in [403, 302] {
            let words = words(status);
            assert!(words.starts_with("http://127.0.0.1:") && !words.contains("topic"), "{words}");
        }
        let nobody = "http://127.0.0.1:1/topic".parse().unwrap();
        let words = post(&nobody, Form::Json, &Nudge::test()).unwrap_err().to_string();
        assert!(
            words.starts_with("cannot reach http://127.0.0.1:1/…") && !words.contains("topic"),
            "{words}"
        );
    }
}
