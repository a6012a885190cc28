//! The directory that a shell tells.

/// The directory that a program reported (OSC 7): the path of a `file:` address, with the name of the machine in front if
/// that is another one than `machine`. Any other text is itself, and an empty one is none.
pub fn told_directory(address: &str, machine: &str) -> Option<String> {
    if address.is_empty() {
        return None;
    }
    let shown = address.strip_prefix("file://").and_then(|rest| {
        let (named, path) = rest.split_at(rest.find('/')?);
        let path = decoded(path);
        Some(if is_same(named, machine) { path } else { format!("{named}:{path}") })
    });
    Some(shown.unwrap_or_else(|| address.to_owned()))
}

/// Whether an address means this machine. Shells write its short name, its long one, or none.
fn is_same(named: &str, machine: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(short(named), name if name.is_empty() || name == "localhost" || name == short(machine))
}

/// Decodes the percent signs in the path of an address.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = match (first, behind) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_told_place_is_its_path() {
        for (address, shown) in [
            ("file://localhost/usr/share", "/usr/share"),
            ("file:///usr/share", "/usr/share"),
            ("file://desk/usr", "/usr"),
            ("file://DESK.example.org/usr", "/usr"),
            ("file:///my%20home/100%25/%c3%b6", "/my home/100%/ö"),
            ("file:///a%2", "/a%2"),
            ("file:///a%zz%", "/a%zz%"),
            ("file://elsewhere.example.org/usr", "elsewhere.example.org:/usr"),
            ("/usr/share", "/usr/share"),
            ("file://nowhere", "file://nowhere"),
        ] {
            assert_eq!(told_directory(address, "desk").as_deref(), Some(shown), "{address}");
        }
        assert_eq!(told_directory("", "desk"), None);
    }
}
