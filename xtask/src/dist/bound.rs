//! How large the program of a release may be.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The program of a release has at most so many bytes: 30 MB. Its symbols are in a file beside it.
const MOST_BYTES: u64 = 30_000_000;

/// Refuses the program of a release that is too large.
pub(super) fn check(program: &Path) -> Result<()> {
    let shown = program.display();
    let bytes = fs::metadata(program).with_context(|| format!("cannot look at `{shown}`"))?.len();
    ensure!(
        bytes <= MOST_BYTES,
        "`{shown}` has {bytes} bytes, and a release may have {MOST_BYTES}: look for a dependency or a file that it does \
         not need, and at the profile `release` in Cargo.toml"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::{env, process};

    use super::*;

    #[test]
    fn a_release_may_have_thirty_megabytes_and_no_byte_more() {
        let program = env::temp_dir().join(format!("abide-dist-bound-{}", process::id()));
        assert!(check(&program).is_err(), "there is no program");
        // The file has a length and no content, so it takes no room on the disk.
        let file = File::create(&program).unwrap();
        file.set_len(30_000_000).unwrap();
        check(&program).unwrap();
        file.set_len(30_000_001).unwrap();
        let words = check(&program).unwrap_err().to_string();
        fs::remove_file(&program).unwrap();
        assert!(words.contains("has 30000001 bytes") && words.contains("may have 30000000"), "{words}");
    }
}
