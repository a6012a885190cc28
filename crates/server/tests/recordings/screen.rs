use model::{MaskPolicy, Offset};
use server::recordings::{Bound, ScreenAt, Stop, screen_at};

use crate::life::{House, Life, after_ms, rules, seal, secret, size};

fn screen(life: &Life, moment: Option<Bound>, history: usize) -> ScreenAt {
    screen_at(&life.dir, &rules(), moment, history, &Stop::default()).expect("a recording")
}

fn shown(screen: &ScreenAt) -> String {
    screen.rows.iter().filter(|row| !row.is_empty()).cloned().collect::<Vec<_>>().join("|")
}

#[test]
fn the_screen_can_be_read_at_any_moment() {
    let house = House::new();
    let mut life = house.life(1);
    for number in 0..9 {
        life.wait_ms(1_000).print(format!("line {number}\r\n"));
        if number == 4 {
            life.segment().resize(40, 10);
        }
    }
    life.exit();
    for sealed in [false, true] {
        if sealed {
            seal(&life, MaskPolicy::Always);
        }
        let first = screen(&life, Some(Bound::Offset(Offset(8))), 0);
        assert_eq!((shown(&first).as_str(), first.offset, first.at), ("line 0", Offset(8), after_ms(1_000)));
        let second = screen(&life, Some(Bound::Time(after_ms(2_500))), 0);
        assert_eq!((shown(&second).as_str(), second.offset), ("line 0|line 1", Offset(16)));
        assert_eq!((second.size, second.rows.len(), second.is_doubtful), (size(80, 24), 24, false));
        let inside = screen(&life, Some(Bound::Offset(Offset(10))), 0);
        assert_eq!((shown(&inside).as_str(), inside.offset), ("line 0|li", Offset(10)));
        for moment in [None, Some(Bound::Time(after_ms(99_000))), Some(Bound::Offset(Offset(9_999)))] {
            let last = screen(&life, moment, 0);
            assert_eq!((shown(&last).as_str(), last.offset), ("line 5|line 6|line 7|line 8", life.at));
            assert_eq!(last.size, size(40, 10));
        }
        assert_eq!(shown(&screen(&life, Some(Bound::Time(after_ms(0))), 0)), "");
    }
}

#[test]
fn a_screen_has_as_much_history_as_requested() {
    let house = House::new();
    let mut life = house.life(1);
    for number in 0..100 {
        life.print(format!("line {number}.\r\n"));
    }
    life.exit();
    let has = |history: usize, text: &str| {
        let snapshot = screen(&life, None, history).snapshot;
        String::from_utf8_lossy(&snapshot).contains(text)
    };
    assert!(has(0, "line 99.") && !has(0, "line 70."));
    assert!(has(10, "line 70.") && !has(10, "line 10."));
    assert!(has(usize::MAX, "line 0."));
}

#[test]
fn a_screen_after_a_gap_is_doubtful() {
    let house = House::new();
    let mut life = house.life(1);
    life.print("one").miss(Some(10)).print("two").exit();
    assert!(!screen(&life, Some(Bound::Offset(Offset(3))), 0).is_doubtful);
    assert!(screen(&life, None, 0).is_doubtful);
}

#[test]
fn s38_secrets_on_a_screen_are_masked() {
    let house = House::new();
    let mut life = house.life(1);
    let secret = secret();
    life.print(format!("token {secret}\r\n\x1b]2;{secret}\x07")).exit();
    let screen = screen(&life, None, 100);
    assert!(shown(&screen).starts_with("token "));
    assert!(!shown(&screen).contains(&secret));
    assert!(!String::from_utf8_lossy(&screen.snapshot).contains(&secret));
}
