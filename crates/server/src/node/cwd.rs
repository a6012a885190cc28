//! The directory that a worker's program is in.

use model::display_safe;
use system::{machine, processes};

use super::Node;

impl Node {
    /// The directory that a program reported (OSC 7): the path of a `file:` address, with the name of the machine in
    /// front if that is another machine. Any other text is shown unchanged.
    pub(crate) fn told_cwd(&self, address: &str) -> Option<String> {
        told(address)
    }

    /// The directory of the program that has a child's terminal now, or else the child's own. Most shells report
    /// nothing by themselves.
    pub(crate) fn cwd_of_child(&self, child: u32) -> Option<String> {
        of_child(child)
    }
}

fn told(address: &str) -> Option<String> {
    if address.is_empty() {
        return None;
    }
    let shown = address.strip_prefix("file://").and_then(|rest| {
        let (machine, path) = rest.split_at(rest.find('/')?);
        let path = decoded(path);
        Some(if is_ours(machine) { path } else { format!("{machine}:{path}") })
    });
    Some(display_safe(shown.as_deref().unwrap_or(address)))
}

fn of_child(child: u32) -> Option<String> {
    let foreground = processes::foreground_group(child).and_then(processes::directory);
    let place = foreground.or_else(|| processes::directory(child))?;
    Some(display_safe(&place.to_string_lossy()))
}

/// Whether an address means this machine. Shells write its short name, its long one, or none.
fn is_ours(machine: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(short(machine), name if name.is_empty() || name == "localhost" || name == short(&machine::name()))
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
        let ours = machine::name();
        for (address, shown) in [
            ("file://localhost/usr/share", "/usr/share"),
            ("file:///usr/share", "/usr/share"),
            (&format!("file://{ours}/usr"), "/usr"),
            (&format!("file://{}.example.org/usr", ours.to_uppercase()), "/usr"),
            ("file:///my%20home/100%25/%c3%b6", "/my home/100%/ö"),
            ("file:///a%2", "/a%2"),
            ("file:///a%zz%", "/a%zz%"),
            ("file://elsewhere.example.org/usr", "elsewhere.example.org:/usr"),
            ("/usr/share", "/usr/share"),
            ("file://nowhere", "file://nowhere"),
        ] {
            assert_eq!(told(address).as_deref(), Some(shown), "{address}");
        }
        assert_eq!(told(""), None);
    }

    #[test]
    fn s24_a_told_place_misleads_nobody() {
        assert_eq!(
            told("file:///a%1b%5b31m%e2%80%aeb%0a").as_deref(),
            Some("/a\u{fffd}[31m\u{fffd}b\u{fffd}")
        );
        assert_eq!(told("file:///a%ff").as_deref(), Some("/a\u{fffd}"));
    }

    #[test]
    fn a_process_is_where_the_kernel_says() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(of_child(std::process::id()).as_deref(), here.to_str());
        assert_eq!(of_child(u32::MAX), None);
    }
}
