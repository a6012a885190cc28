use model::{ExitStatus, MaskPolicy, Offset};
use server::recordings::{Mark, MarkKind, Stop, marks};

use crate::life::{House, Life, after_ms, rules, seal, secret, size};

fn all(life: &Life, limit: usize) -> Vec<Mark> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = marks(&life.dir, &rules(), after, limit, &Stop::default()).expect("a recording");
        assert!(page.items.len() <= limit);
        all.extend(page.items);
        match page.next {
            None => return all,
            Some(next) => after = Some(next),
        }
    }
}

fn command(life: &mut Life, typed: &str, code: i32) {
    life.print(format!("\x1b]133;A\x07$ \x1b]133;B\x07{typed}\r\n\x1b]133;C\x07"));
    life.wait_ms(1_000).print(format!("output\r\n\x1b]133;D;{code}\x07"));
}

#[test]
fn commands_resizes_gaps_and_the_exit_have_marks() {
    let house = House::new();
    let mut life = house.life(1);
    command(&mut life, "make", 0);
    life.resize(100, 30).resize(90, 30);
    life.segment();
    command(&mut life, "make test", 2);
    life.print("\x07\x1b]777;notify;Build;do\u{202e}ne\x07").miss(Some(5)).exit();
    for sealed in [false, true] {
        if sealed {
            seal(&life, MaskPolicy::Always);
        }
        let marks = all(&life, usize::MAX);
        let kinds: Vec<&MarkKind> = marks.iter().map(|mark| &mark.kind).collect();
        assert_eq!(kinds[0], &MarkKind::CommandStarted { command: Some("make".into()) });
        assert_eq!(kinds[1], &MarkKind::CommandEnded { code: Some(0) });
        assert_eq!(kinds[2], &MarkKind::Resize(size(100, 30)));
        assert_eq!(kinds[3], &MarkKind::Resize(size(90, 30)));
        assert_eq!(kinds[4], &MarkKind::CommandStarted { command: Some("make test".into()) });
        assert_eq!(kinds[5], &MarkKind::CommandEnded { code: Some(2) });
        let MarkKind::Notification(notification) = kinds[6] else { panic!("{kinds:?}") };
        assert!(!notification.body.contains('\u{202e}'), "{notification:?}");
        assert_eq!(kinds[7], &MarkKind::Gap { to: Some(life.at) });
        assert_eq!(kinds[8], &MarkKind::Exit(ExitStatus::Exited { code: 3 }));
        assert_eq!(kinds.len(), 9);
        assert_eq!((marks[0].at, marks[1].at), (after_ms(0), after_ms(1_000)));
        assert!(marks[0].offset > Offset(0) && marks.is_sorted_by_key(|mark| mark.offset));
        for limit in 1..10 {
            assert_eq!(all(&life, limit), marks, "{limit} at a time");
        }
    }
}

#[test]
fn s38_a_typed_secret_is_in_no_mark() {
    let house = House::new();
    let mut life = house.life(1);
    let secret = secret();
    command(&mut life, &format!("export GITHUB={secret}"), 0);
    life.print(format!("\x1b]777;notify;token;it is {secret}\x07")).exit();
    let marks = format!("{:?}", all(&life, 100));
    assert!(marks.contains("export GITHUB=") && marks.contains("it is "), "{marks}");
    assert!(!marks.contains(&secret), "{marks}");
}
