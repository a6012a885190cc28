//! The content of an HTML page.

use export::{Range, Subject, html};
use recording::Recording;
use testkit::{StreamGen, heap_of};

use crate::life::{BEGIN_US, exit, output, recorded, resize, size, subject};

fn page(recording: &Recording) -> String {
    page_about(recording, &subject())
}

fn page_about(recording: &Recording, subject: &Subject) -> String {
    let mut out = Vec::new();
    html(recording, subject, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What is between the header and the footer, without tags.
fn lines(page: &str) -> Vec<String> {
    let (_, main) = page.split_once("<main>").unwrap();
    let (main, _) = main.split_once("</main>").unwrap();
    let mut text = String::new();
    let mut is_tag = false;
    for c in main.chars() {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            c if !is_tag => text.push(c),
            _ => (),
        }
    }
    text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_line_is_there_once_and_in_its_colour() {
    let printed = (0..500).map(|n| output(n, &format!("\u{1b}[3{}mline {n}\u{1b}[m\r\n", n % 8)));
    let page = page(&recorded(size(40, 10), printed).recording);
    assert_eq!(lines(&page), (0..500).map(|n| format!("line {n}")).collect::<Vec<_>>());
    assert!(page.contains("<span style=\"color:var(--c3);\">line 3</span>"));
}

#[test]
fn a_line_that_wraps_is_one_line_at_any_size() {
    let long = "0123456789".repeat(13);
    let events =
        [output(0, &format!("{long}\r\n")), resize(1, 30, 6), output(2, &format!("{long}\r\n\n\n\n\nend"))];
    let page = page(&recorded(size(40, 5), events).recording);
    assert_eq!(lines(&page), [long.as_str(), &long, "end"]);
}

#[test]
fn cleared_rows_are_kept_and_redrawn_rows_are_not_doubled() {
    let recorded = recorded(
        size(40, 5),
        [
            output(0, "first\r\nsecond\r\n"),
            output(1_000, "\u{1b}[H\u{1b}[2Jthird\r\nfourth\r\n"),
            output(2_000, "\u{1b}[H\u{1b}[2Jthird\r\nfourth\r\nfifth"),
        ],
    );
    assert_eq!(lines(&page(&recorded.recording)), ["first", "second", "third", "fourth", "fifth"]);
}

#[test]
fn a_history_that_is_cleared_and_printed_again_is_not_doubled() {
    let told = |lines: u64| (0..lines).map(|n| format!("line {n}\r\n")).collect::<String>();
    let redraws = (1..30).map(|n| output(n * 2_000, &format!("\u{1b}[2J\u{1b}[3J\u{1b}[H{}", told(n))));
    let page = page(&recorded(size(40, 5), redraws).recording);
    assert_eq!(lines(&page), (0..29).map(|n| format!("line {n}")).collect::<Vec<_>>());
}

#[test]
fn a_full_screen_program_leaves_its_last_screen_even_if_it_wiped_it() {
    for wipe in ["", "\u{1b}[H\u{1b}[2J", "\u{1b}[H\u{1b}[K"] {
        let recorded = recorded(
            size(40, 5),
            [
                output(0, "$ edit\r\n"),
                output(100, "\u{1b}[?1049h\u{1b}[Hdraft"),
                output(200, "\u{1b}[Hfinal"),
                output(3_000, &format!("{wipe}\u{1b}[?1049l$ ")),
            ],
        );
        let page = page(&recorded.recording);
        assert_eq!(lines(&page), ["$ edit", "final", "$ "], "{wipe:?}");
        assert_eq!(page.matches("class=\"frame\"").count(), 1);
    }
}

#[test]
fn s24_nothing_that_is_printed_becomes_markup_and_only_the_web_is_linked() {
    let hostile = "</script>\"><img src=x onerror=alert(1)>\u{202e}x";
    let link = |to: &str| format!("\u{1b}]8;;{to}\u{1b}\\here\u{1b}]8;;\u{1b}\\ ");
    let text = format!(
        "{hostile}\r\n{}{}{}{}",
        link("https://example.org/?a&b=\"c\""),
        link("javascript:alert(1)"),
        link("file:///etc/passwd"),
        link("HTTP://example.org"),
    );
    let recorded = recorded(size(80, 5), [output(0, &text)]);
    let subject =
        Subject { title: hostile.into(), worker: hostile.into(), command: Some(hostile.into()), ..subject() };
    let page = page_about(&recorded.recording, &subject);
    assert!(!page.contains("<img") && !page.contains("</script>") && !page.contains('\u{202e}'));
    assert!(!page.contains("javascript:") && !page.contains("file:") && !page.contains("<script"));
    let address = "https://example.org/?a&amp;b=&quot;c&quot;";
    let tag = format!("<a href=\"{address}\" title=\"{address}\" rel=\"noopener noreferrer\">here</a>");
    assert!(page.contains(&tag));
    assert_eq!(page.matches("<a ").count(), 2);
}

#[test]
fn a_page_names_its_worker_command_time_and_exit() {
    let recorded = recorded(size(80, 24), [output(0, "x"), exit(61_000, 2)]);
    let page = page(&recorded.recording);
    for word in [
        "A night at the terminal",
        "night",
        "bash -l",
        "15 November 2026, 23:56 UTC",
        "80\u{d7}24",
        "exited 2",
        "1 min 1 s",
    ] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn a_part_has_the_screen_at_its_start_and_the_rest() {
    let recorded =
        recorded(size(80, 24), [output(0, "one\r\n"), output(5_000, "two\r\n"), output(9_000, "three")]);
    let range = Range { from_us: Some(BEGIN_US + 1_000_000), to_us: Some(BEGIN_US + 6_000_000) };
    let page = page_about(&recorded.recording, &Subject { range, ..subject() });
    assert_eq!(lines(&page), ["one", "two"]);
}

#[test]
fn s25_a_little_output_does_not_become_an_endless_page() {
    // A character, repeated over the whole screen, which is then cleared.
    let bomb = "\u{1b}[Hx\u{1b}[999999b\u{1b}[Hy\u{1b}[2J".repeat(200);
    let recorded = recorded(size(1000, 1000), (0..20).map(|n| output(n * 2_000, &bomb)));
    let page = page(&recorded.recording);
    assert!(page.len() < 16 << 20, "{}", page.len());
}

#[test]
fn any_stream_gives_a_page_in_little_memory() {
    for seed in 0..40 {
        let stream = StreamGen::new(seed);
        let size = stream.size();
        let text = String::from_utf8_lossy(&stream.bytes()).into_owned();
        let recorded = recorded(size, [output(0, &text), output(6_000, &text)]);
        let (result, heap) = heap_of(|| html(&recorded.recording, &subject(), std::io::empty()));
        result.unwrap();
        assert!(heap.peak < 32 << 20, "seed {seed}: {}", heap.peak);
    }
}
