use std::fs;

use model::{Offset, TermSize};
use playback::{EventKind, Player};
use recording::Recording;

use crate::life::RecordedLife;

/// Three segments that say so.
fn three_segments() -> RecordedLife {
    let mut life = RecordedLife::begun(TermSize::clamped(30, 4));
    life.print(b"first\r\n");
    life.begin_segment();
    life.print(b"second\r\n");
    life.begin_segment();
    life.print(b"third\r\n");
    life
}

fn events(player: &mut Player<Recording>) -> Vec<EventKind> {
    std::iter::from_fn(|| player.step()).map(|event| event.kind).collect()
}

#[test]
fn a_segment_that_is_gone_is_a_gap_and_the_next_snapshot_is_shown() {
    let life = three_segments();
    fs::remove_file(&life.recording().segments()[1].path).expect("removed");
    let mut player = life.player();
    let played = events(&mut player);
    let expected = [
        EventKind::Output(b"first\r\n".to_vec()),
        EventKind::Gap { to: Some(Offset(15)) },
        EventKind::Screen,
        EventKind::Output(b"third\r\n".to_vec()),
    ];
    assert_eq!(played, expected);
    assert_eq!(player.terminal().text(0), "first\nsecond\nthird\n");
    player.seek_to_offset(Offset(10));
    assert_eq!((player.at(), player.terminal().text(0).as_str()), (Offset(7), "first\n"));
}

#[test]
fn a_damaged_segment_is_a_gap_from_the_damage_on() {
    let life = three_segments();
    let path = life.recording().segments()[1].path.clone();
    let bytes = fs::read(&path).expect("read");
    fs::write(&path, &bytes[..bytes.len() - 3]).expect("written");
    let mut player = life.player();
    let expected = [
        EventKind::Output(b"first\r\n".to_vec()),
        EventKind::Gap { to: Some(Offset(15)) },
        EventKind::Screen,
        EventKind::Output(b"third\r\n".to_vec()),
    ];
    assert_eq!(events(&mut player), expected);
}

#[test]
fn a_segment_that_holds_nothing_is_as_if_it_were_not_there() {
    let life = three_segments();
    let path = life.recording().segments()[2].path.clone();
    let bytes = fs::read(&path).expect("read");
    fs::write(&path, &bytes[..60]).expect("written");
    let mut player = life.player();
    for _ in 0..2 {
        player.seek_to_offset(Offset(20));
        assert_eq!(player.terminal().text(0), "first\nsecond\n");
        assert_eq!(player.step(), None);
    }
    assert_eq!(player.end().at, Offset(15));
    player.seek_to_offset(Offset(3));
    assert_eq!(player.terminal().text(0), "fir\n");
}

#[test]
fn behind_a_gap_inside_a_segment_the_screen_is_doubtful_until_the_next_snapshot() {
    let mut life = three_segments();
    let (at, time_us) = (life.at + 100, life.time_us);
    life.writer().output(at, time_us, b"after\r\n").expect("written");
    life.at = at + 7;
    life.begin_segment();
    life.print(b"!");
    let mut player = life.player();
    let tail = events(&mut player).split_off(3);
    let expected = [
        EventKind::Gap { to: Some(at) },
        EventKind::Output(b"after\r\n".to_vec()),
        EventKind::Screen,
        EventKind::Output(b"!".to_vec()),
    ];
    assert_eq!(tail, expected);
    assert_eq!(player.terminal().text(0), "first\nsecond\nthird\n!\n", "the snapshot is right");
    player.seek_to_offset(at);
    assert!(player.is_doubtful());
    player.seek_to_offset(Offset(8));
    assert!(!player.is_doubtful());
}

#[test]
fn a_resize_that_is_missing_is_made_up_for_by_the_next_snapshot() {
    let mut life = RecordedLife::begun(TermSize::clamped(30, 4));
    life.print(b"first\r\n");
    life.resize(TermSize::clamped(12, 3));
    let path = life.recording().segments()[0].path.clone();
    life.begin_segment();
    life.print(b"second\r\n");
    let bytes = fs::read(&path).expect("read");
    fs::write(&path, &bytes[..bytes.len() - 1]).expect("written");
    let mut player = life.player();
    let played = events(&mut player);
    assert_eq!(played[1], EventKind::Screen);
    assert_eq!(player.terminal().size(), TermSize::clamped(12, 3));
}
