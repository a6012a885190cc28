//! Examples in documentation: which of them cargo would run as tests.

use std::fs;
use std::path::Path;

/// Whether any source file below `directory` has an example in its documentation that cargo runs. Building what runs them
/// takes a minute, so that is done only if there are some.
pub(crate) fn any(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.into_iter().any(|path| {
        if path.is_dir() {
            path.file_name().is_none_or(|name| name != "target") && any(&path)
        } else {
            path.extension().is_some_and(|extension| extension == "rs")
                && fs::read_to_string(&path).is_ok_and(|text| has_example(&text))
        }
    })
}

/// Words after the opening fence of an example that is not run.
const NOT_RUN: [&str; 7] = ["text", "toml", "json", "sh", "console", "ignore", "html"];

fn has_example(source: &str) -> bool {
    let documentation = source.lines().map(str::trim_start);
    let documentation =
        documentation.filter_map(|line| line.strip_prefix("///").or(line.strip_prefix("//!")));
    let mut fences = documentation.filter_map(|line| line.trim_start().strip_prefix("```"));
    // Every other fence closes.
    while let Some(opening) = fences.next() {
        if !NOT_RUN.iter().any(|word| opening.split(',').any(|given| given.trim() == *word)) {
            return true;
        }
        fences.next();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_run_unless_its_fence_says_otherwise() {
        assert!(has_example("/// ```\n/// f();\n/// ```\nfn f() {}"));
        assert!(has_example("    //! ```no_run\n    //! f();\n    //! ```"));
        assert!(has_example("//! ```toml\n//! ```\n/// ```should_panic\n/// ```"));
        assert!(!has_example("//! ```toml\n//! a = 1\n//! ```\nfn f() { let fence = \"```\"; }"));
        assert!(!has_example("// ```\n// no documentation\n// ```"));
    }
}
