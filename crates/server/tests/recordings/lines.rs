use model::MaskPolicy;
use server::recordings::{Line, Stop, WantedLines, lines};

use crate::life::{House, Life, after_ms, numbered, rules, seal, secret};

/// All requested lines, read page by page.
fn all(life: &Life, mut wanted: WantedLines) -> Vec<Line> {
    let mut all = Vec::new();
    loop {
        let page = lines(&life.dir, &rules(), wanted, &Stop::default()).expect("a recording");
        assert!(page.items.len() <= wanted.limit);
        all.extend(page.items);
        match page.next {
            None => return all,
            Some(next) => wanted.after = Some(next.to_string().parse().expect("a cursor")),
        }
    }
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn all_pages_together_contain_every_line_once() {
    for seed in 0..6 {
        let house = House::new();
        let mut life = house.life(1);
        let printed = String::from_utf8(numbered(&mut life, seed)).expect("text");
        let printed = printed.replace("\x1b[H\x1b[2J", "");
        for sealed in [false, true] {
            if sealed {
                seal(&life, MaskPolicy::Always);
            }
            let whole = all(&life, WantedLines::default());
            let expected: Vec<&str> = printed.lines().map(str::trim_end).collect();
            assert_eq!(texts(&whole), expected, "seed {seed}");
            for limit in [1, 3, 50] {
                assert_eq!(all(&life, WantedLines { limit, ..WantedLines::default() }), whole, "seed {seed}");
            }
        }
    }
}

#[test]
fn only_lines_within_the_requested_time_are_returned() {
    let house = House::new();
    let mut life = house.life(1);
    life.resize(40, 2);
    for number in 0..20 {
        life.wait_ms(1_000).print(format!("\r\nline {number}"));
        if number == 10 {
            life.segment_showing(b"\x1bcline 9\r\nline 10");
        }
    }
    life.exit();
    let wanted = WantedLines {
        since: Some(after_ms(12_000)),
        until: Some(after_ms(14_000)),
        limit: 2,
        ..WantedLines::default()
    };
    let told = all(&life, wanted);
    assert_eq!(texts(&told), ["line 11", "line 12", "line 13"]);
    let times: Vec<_> = told.iter().map(|line| line.at).collect();
    assert_eq!(times, [12_000, 13_000, 14_000].map(after_ms));
    assert!(told.is_sorted_by_key(|line| line.offset));
}

#[test]
fn s38_secrets_are_masked_even_if_drawn_letter_by_letter() {
    let house = House::new();
    let mut life = house.life(1);
    let secret = secret();
    life.print(format!("plain {secret}\r\n"));
    // Drawn letter by letter, from its end to its start.
    for (column, letter) in secret.char_indices().rev() {
        life.print(format!("\x1b[{}G{letter}", column + 1));
    }
    life.print("\r\n-----BEGIN RSA PRIVATE KEY-----\r\n");
    for _ in 0..20 {
        life.print("MIIEpAIBAAKCAQEA7bq3Vn0y6kTzq0X1o2mZ5c8R4u9w1t6y\r\n");
    }
    life.print("-----END RSA PRIVATE KEY-----\r\nafter\r\n").exit();
    for limit in [1, 4, 1_000] {
        let told = all(&life, WantedLines { limit, ..WantedLines::default() });
        let text = texts(&told).join("\n");
        assert!(text.starts_with("plain ") && text.ends_with("after"), "{text}");
        assert!(!text.contains(&secret) && !text.contains("MIIEpAIB"), "{text}");
    }
}
