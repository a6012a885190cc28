//! The directory that a worker's program is in.

use std::path::PathBuf;

use model::ShownText;
use reading::Exit;
use system::{machine, processes};

use super::Node;

impl Node {
    /// The directory that a program reported (OSC 7): the path of a `file:` address, with the name of the machine in
    /// front if that is another machine. Any other text is shown unchanged.
    pub(crate) fn told_cwd(&self, address: &str, exit: &Exit) -> Option<ShownText> {
        told(address).map(|place| exit.show(&place))
    }

    /// The directory of the program that has a child's terminal now, or else the child's own. Most shells report
    /// nothing by themselves.
    pub(crate) fn cwd_of_child(&self, child: u32, exit: &Exit) -> Option<ShownText> {
        of_child(child).map(|place| exit.show(&place.to_string_lossy()))
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
    Some(shown.unwrap_or_else(|| address.to_owned()))
}

fn of_child(child: u32) -> Option<PathBuf> {
    let foreground = processes::foreground_group(child).and_then(processes::directory);
    foreground.or_else(|| processes::directory(child))
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
    use home::Home;

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

    #[tokio::test]
    async fn s24_s38_a_told_place_is_shown_safely_and_without_secrets() {
        let home = tempfile::tempdir().unwrap();
        let node = Node::for_test(&Home::at(home.path())).await;
        let exit = node.exit();
        assert_eq!(
            node.told_cwd("file:///a%1b%5b31m%e2%80%aeb%0a", &exit).as_deref(),
            Some("/a\u{fffd}[31m\u{fffd}b\u{fffd}")
        );
        assert_eq!(node.told_cwd("file:///a%ff", &exit).as_deref(), Some("/a\u{fffd}"));
        let secret = node.told_cwd("file:///%67hp_aB3dE5fG7hJ9aB3dE5fG7hJ9aB3dE5fG7hJ9", &exit).unwrap();
        assert!(!secret.contains("aB3dE5fG7hJ9") && secret.contains("REDACTED"), "{secret}");
    }

    #[test]
    fn a_process_is_where_the_kernel_says() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(of_child(std::process::id()), Some(here));
        assert_eq!(of_child(u32::MAX), None);
    }
}
