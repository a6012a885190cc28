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
        shells::told_directory(address, &machine::name()).map(|place| exit.show(&place))
    }

    /// The directory of the program that has a child's terminal now, or else the child's own. Most shells report
    /// nothing by themselves.
    pub(crate) fn cwd_of_child(&self, child: u32, exit: &Exit) -> Option<ShownText> {
        of_child(child).map(|place| exit.show(&place.to_string_lossy()))
    }
}

fn of_child(child: u32) -> Option<PathBuf> {
    let foreground = processes::foreground_group(child).and_then(processes::directory);
    foreground.or_else(|| processes::directory(child))
}

#[cfg(test)]
mod tests {
    use home::Home;

    use super::*;

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
