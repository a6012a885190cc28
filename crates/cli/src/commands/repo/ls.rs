//! `abide repo ls`: the repositories that are registered.

use api::Repository;
use clap::Args;
use jiff::Timestamp;

use crate::duration::age;
use crate::failure::Failure;
use crate::output;
use crate::table::{self, Cell, Tint};
use crate::the_server;

/// List the repositories
#[derive(Args)]
pub(in crate::commands) struct Ls {
    /// Print a JSON array with an object for each repository
    #[arg(long)]
    json: bool,
}

impl Ls {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let repositories = the_server::find()?.repositories()?;
        output::write_list(
            &repositories,
            self.json,
            "no repositories; `abide repo add` registers the one you are in",
            |repositories| Ok(list(repositories, Timestamp::now())),
        )?;
        Ok(0)
    }
}

fn list(repositories: &[Repository], now: Timestamp) -> String {
    let heading = ["NAME", "ID", "AGE", "PATH"];
    let mut rows = vec![heading.map(|text| Cell::new(text, Tint::Bold))];
    rows.extend(repositories.iter().map(|repository| {
        [
            model::display_safe(&repository.name).into(),
            Cell::new(repository.id.as_str(), Tint::Faint),
            age(repository.created_at, now).into(),
            model::display_safe(&repository.path).into(),
        ]
    }));
    table::aligned(&rows, output::takes_colours(), output::width_cols())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_a_line() {
        let repository = Repository {
            id: model::RepositoryId::from_random([1; 8]),
            path: "/src/shop\u{202e}".into(),
            shown_path: String::new(),
            name: "shop".into(),
            created_at: Timestamp::UNIX_EPOCH,
        };
        let text = list(&[repository], Timestamp::from_second(60).unwrap());
        assert_eq!(text, "NAME  ID        AGE  PATH\nshop  11111111  1m   /src/shop\u{fffd}\n");
    }
}
