//! Sizes for people.

/// A size in the largest unit that leaves a number of at least one, with one place behind the point where that says
/// something.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    // What would be rounded to 1024 of one unit is 1 of the next.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let places = usize::from(value < 99.95);
    format!("{value:.places$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short_and_never_show_1024() {
        let sizes = [0, 1023, 1024, 1536, 102_400, (1 << 20) - 1, 1 << 20, 5 << 30, 3 << 40];
        let texts =
            ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "100 KiB", "1.0 MiB", "1.0 MiB", "5.0 GiB", "3.0 TiB"];
        assert_eq!(sizes.map(bytes), texts);
    }
}
