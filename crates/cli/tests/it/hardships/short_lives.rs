//! Children that print and exit at once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use model::{ExitStatus, Offset};

use super::left_behind;
use crate::house::House;

/// Starts so many workers, a few side by side. Every byte of theirs arrives before their end is told.
pub(crate) fn short_lives(lives: u32, side_by_side: u32) {
    let next = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..side_by_side {
            // A name is looked for among all workers of a house, so each has its own.
            scope.spawn(|| {
                let house = House::new();
                loop {
                    let life = next.fetch_add(1, Ordering::Relaxed);
                    if life >= lives {
                        break;
                    }
                    short_life(&house, life);
                }
                left_behind::no_process(&house);
            });
        }
    });
}

/// One of them; how much it prints and how it exits goes by its number.
fn short_life(house: &House, life: u32) {
    let last = 1 + life % 60 * 40;
    let code = (life % 7) as u8;
    let expected: String = (1..=last).map(|n| format!("{n}\r\n")).collect();
    let worker = house.script(&format!("seq 1 {last}; exit {code}"));
    let note = worker.wait_for_exit();
    assert_eq!(note.status, ExitStatus::Exited { code });
    assert_eq!(note.offset, Offset(expected.len() as u64));
    assert_eq!(String::from_utf8(worker.recorded()).unwrap(), expected, "life {life}");
}
