//! A URL that nudges are posted to. Its path is often a secret: who knows it may post there too.

use std::fmt;
use std::str::FromStr;

use http::Uri;
use thiserror::Error;

/// A URL that nudges are posted to. It is shown without its path.
#[derive(Clone, PartialEq, Eq)]
pub struct Url(String);

/// Why a text is no URL to post to. The text may hold a secret, so it is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this is no http:// or https:// URL with a host, without user name and password")]
pub struct ParseUrlError;

impl Url {
    /// The whole URL.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl FromStr for Url {
    type Err = ParseUrlError;

    fn from_str(text: &str) -> Result<Url, ParseUrlError> {
        let uri: Uri = text.parse().map_err(|_| ParseUrlError)?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let is_fit = is_http && !uri.host().unwrap_or_default().is_empty() && !authority.contains('@');
        is_fit.then(|| Url(text.to_owned())).ok_or(ParseUrlError)
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri: Uri = self.0.parse().unwrap_or_default();
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        write!(f, "{}://{}/…", uri.scheme_str().unwrap_or_default(), model::display_safe(authority))
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_secret() {
        let url: Url = "https://ntfy.example:8080/my-topic?auth=x".parse().unwrap();
        assert_eq!(url.to_string(), "https://ntfy.example:8080/…");
        assert_eq!(format!("{url:?}"), "Url(https://ntfy.example:8080/…)");
        assert_eq!(url.secret(), "https://ntfy.example:8080/my-topic?auth=x");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "ntfy.example/topic", "ftp://a/b", "https://", "file:///etc", "http://me:word@a/b", "a b"]
        {
            assert!(text.parse::<Url>().is_err(), "{text}");
        }
    }
}
