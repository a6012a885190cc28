//! Checks that `docs/openapi.json` matches the code.

use std::fs;
use std::path::Path;

/// All property names are in camelCase, for every type.
#[test]
fn every_property_name_is_in_camel_case() {
    let description: serde_json::Value = serde_json::from_str(&server::openapi()).expect("JSON");
    let mut found = Vec::new();
    walk(&description, &mut found);
    assert!(found.len() > 100, "{} properties", found.len());
    found.retain(|name| name.contains('_') || name.starts_with(char::is_uppercase));
    assert_eq!(found, Vec::<String>::new());
}

/// Generated clients have one function for each operation.
#[test]
fn every_operation_has_a_name_of_its_own() {
    let description: serde_json::Value = serde_json::from_str(&server::openapi()).expect("JSON");
    let paths = description["paths"].as_object().expect("paths");
    let operations = paths.values().filter_map(serde_json::Value::as_object).flat_map(|item| item.values());
    let mut names: Vec<&str> = operations.map(|each| each["operationId"].as_str().expect("a name")).collect();
    assert!(names.len() > 50, "{} operations", names.len());
    names.sort_unstable();
    let twice: Vec<&[&str]> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert_eq!(twice, Vec::<&[&str]>::new());
}

/// The names of all properties.
fn walk(value: &serde_json::Value, found: &mut Vec<String>) {
    if let Some(properties) = value.get("properties").and_then(serde_json::Value::as_object) {
        found.extend(properties.keys().cloned());
    }
    match value {
        serde_json::Value::Object(fields) => fields.values().for_each(|field| walk(field, found)),
        serde_json::Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
        _ => {}
    }
}

#[test]
fn the_openapi_file_matches_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let text = server::openapi();
    if std::env::var_os("ABIDE_UPDATE").is_some() {
        fs::write(&path, &text).expect("the file can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "docs/openapi.json does not match the code; update it with `ABIDE_UPDATE=1 cargo test -p server --test openapi`"
    );
}
