//! Links in what a program printed.

/// Whether a link leads to the web. A program chose it, so it may lead nowhere else.
pub(crate) fn is_web(uri: &str) -> bool {
    let scheme = uri.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| ["http", "https"].iter().any(|known| known.eq_ignore_ascii_case(scheme)))
}
