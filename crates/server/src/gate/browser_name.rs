//! A readable name for a browser, from its user agent.

use model::display_safe;

/// Parts of a user agent, and the names that people use. The order matters, because the first match counts: the user
/// agent of many browsers and phones also names another browser or system.
const BROWSERS: [(&str, &str); 12] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// The longest name of an unknown program. It is enough for real programs, and short enough for a list.
const MOST_CHARACTERS: usize = 40;

/// A short name from a user agent: `Firefox on macOS`. For a program that is not a browser, it is the first word of its
/// user agent: `curl/8.5.0`.
pub(super) fn browser_name(user_agent: &str) -> String {
    let known = |names: &[(&str, &'static str)]| {
        names.iter().find(|(sign, _)| user_agent.contains(sign)).map(|(_, name)| *name)
    };
    match (known(&BROWSERS), known(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, Some(system)) => format!("Browser on {system}"),
        (None, None) => {
            let first = user_agent.split_whitespace().next().unwrap_or("browser");
            display_safe(first).chars().take(MOST_CHARACTERS).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_gets_the_name_that_people_use_for_it() {
        let mozilla = "Mozilla/5.0";
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (agent, name) in [
            (
                format!("{mozilla} (X11; Linux x86_64) {webkit} Chrome/140.0.0.0 Safari/537.36"),
                "Chrome on Linux",
            ),
            (
                format!("{mozilla} (X11; Linux x86_64) {webkit} HeadlessChrome/140.0.0.0 Safari/537.36"),
                "Chrome on Linux",
            ),
            (
                format!(
                    "{mozilla} (Linux; Android 15; Pixel 9) {webkit} Chrome/140.0.0.0 Mobile Safari/537.36"
                ),
                "Chrome on Android",
            ),
            (
                format!(
                    "{mozilla} (Windows NT 10.0; Win64; x64) {webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
                ),
                "Edge on Windows",
            ),
            (
                format!(
                    "{mozilla} (Windows NT 10.0; Win64; x64) {webkit} Chrome/140.0.0.0 Safari/537.36 OPR/122.0.0.0"
                ),
                "Opera on Windows",
            ),
            (
                format!("{mozilla} (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0"),
                "Firefox on macOS",
            ),
            (
                format!("{mozilla} (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0"),
                "Firefox on Android",
            ),
            (
                format!(
                    "{mozilla} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                     Version/18.6 Mobile/15E148 Safari/604.1"
                ),
                "Safari on iPhone",
            ),
            (
                format!(
                    "{mozilla} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                     CriOS/140.0.0.0 Mobile/15E148 Safari/604.1"
                ),
                "Chrome on iPhone",
            ),
            (
                format!("{mozilla} (X11; CrOS x86_64 14541.0.0) {webkit} Chrome/140.0.0.0 Safari/537.36"),
                "Chrome on ChromeOS",
            ),
            (format!("{mozilla} (X11; Linux x86_64) Something/1.0"), "Browser on Linux"),
            ("curl/8.5.0".to_owned(), "curl/8.5.0"),
            ("a\u{1b}[31m\u{202e}b c".to_owned(), "a\u{fffd}[31m\u{fffd}b"),
            (String::new(), "browser"),
            ("x".repeat(400), &"x".repeat(40)),
        ] {
            assert_eq!(browser_name(&agent), name, "{agent}");
        }
    }
}
