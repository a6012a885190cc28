//! Whether a text has the shape of a path. Keys in base64 may begin with a slash and have more of them.

/// What paths begin with on most machines: one of these is enough.
#[rustfmt::skip]
const ROOTS: &[&[u8]] = &[
    b"Applications", b"Library", b"System", b"Users", b"Volumes", b"app", b"bin", b"boot", b"builds", b"data",
    b"dev", b"etc", b"home", b"lib", b"media", b"mnt", b"nix", b"opt", b"private", b"proc", b"root", b"run",
    b"sbin", b"snap", b"srv", b"sys", b"tmp", b"usr", b"var", b"work", b"workspace",
];

/// `/home/me`, `~/x`, `./x`, `../x`, and other several words after slashes.
pub(crate) fn is_path(text: &[u8]) -> bool {
    if [&b"~/"[..], b"./", b"../"].iter().any(|start| text.starts_with(start)) {
        return true;
    }
    let Some(rest) = text.strip_prefix(b"/") else { return false };
    let mut parts = rest.split(|byte| *byte == b'/');
    let first = parts.next().unwrap_or_default();
    let others = parts.clone().filter(|part| !part.is_empty()).count();
    ROOTS.contains(&first)
        || is_plain(first) && others > 0 && parts.all(|part| part.is_empty() || is_plain(part))
}

/// A name as people give them: words and numbers with marks between them, and no capital inside a word.
fn is_plain(part: &[u8]) -> bool {
    let words = part.split(|byte| b"._-@".contains(byte));
    words.into_iter().all(|word| {
        let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let letters = &word[..word.len() - digits];
        let small = letters.iter().skip(1).all(u8::is_ascii_lowercase);
        let capital = letters.iter().all(u8::is_ascii_uppercase) && letters.len() < 8;
        letters.iter().all(u8::is_ascii_alphabetic) && (small || capital)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_words_after_slashes_and_a_key_that_begins_with_one_is_none() {
        for path in [
            "/home/Me/x9K2vTz7Lk83",
            "/root",
            "~/.token",
            "./a",
            "../a",
            "/srv2/my-app_v2/.key",
            "/v1/token",
            "/c/Users/Me",
        ] {
            assert!(is_path(path.as_bytes()), "{path}");
        }
        for key in [
            "/sunshine",
            "/vVdK9xQ2",
            "/9/8xQ2/vVdK+aa",
            "/ab/vVdK9xQ2+/Lk83mNw=",
            "~sunshine",
            ".sunshine",
            "//",
            "sun/shine",
        ] {
            assert!(!is_path(key.as_bytes()), "{key}");
        }
    }
}
