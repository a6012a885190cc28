//! The pages on disk that lead browsers to links with one-time codes: removed once a link was used or is too old.

use std::time::Duration;

use home::SIGN_IN_PAGE_GOOD_FOR;

use super::Node;

/// So much later a page is surely too old, also on a file system that counts time in whole seconds.
const LATER: Duration = Duration::from_secs(2);

impl Node {
    /// A browser has used the link with this code: removes the page that leads there.
    pub(crate) fn sign_in_page_was_used(&self, is_used: impl Fn(&str) -> bool + Send + 'static) {
        let home = self.0.home.clone();
        tokio::task::spawn_blocking(move || home::remove_used_sign_in_pages(&home, is_used));
    }

    /// A link was made, for which `abide open` may write a page: removes it once the link is too old.
    pub(crate) fn sign_in_page_will_be_old(&self) {
        let home = self.0.home.clone();
        tokio::spawn(async move {
            tokio::time::sleep(SIGN_IN_PAGE_GOOD_FOR + LATER).await;
            tokio::task::spawn_blocking(move || home::remove_old_sign_in_pages(&home));
        });
    }

    /// Removes the pages that the last server left and whose links are too old.
    pub(crate) fn remove_old_sign_in_pages(&self) {
        let home = self.0.home.clone();
        tokio::task::spawn_blocking(move || home::remove_old_sign_in_pages(&home));
    }
}
