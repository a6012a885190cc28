//! The description of the API in the repository is that of the code.

use std::fs;
use std::path::Path;

#[test]
fn the_description_in_the_repository_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let text = server::openapi();
    if std::env::var_os("ABIDE_UPDATE").is_some() {
        fs::write(&path, &text).expect("the file can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "docs/openapi.json is not that of the code; write it anew with `ABIDE_UPDATE=1 cargo test -p server --test openapi`"
    );
}
