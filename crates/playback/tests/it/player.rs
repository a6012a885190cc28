use model::{Offset, TermSize};
use playback::EventKind;
use terminal::Terminal;
use testkit::Random;

use crate::life::{HISTORY, Happened, RecordedLife, assert_alike};

const LIVES: u64 = 150;

#[test]
fn live_screens_are_played_again_step_by_step() {
    for seed in 0..LIVES {
        let life = RecordedLife::random(seed, false);
        let mut player = life.player();
        let mut live = Terminal::new(life.size, HISTORY);
        for (number, step) in life.steps.iter().enumerate() {
            let event = player.step().unwrap_or_else(|| panic!("seed {seed}: step {number} is missing"));
            match (&step.happened, event.kind) {
                (Happened::Output(bytes), EventKind::Output(played)) => {
                    assert_eq!(*bytes, played);
                    live.feed(bytes);
                }
                (Happened::Resize(size), EventKind::Resize(played)) => {
                    assert_eq!(*size, played);
                    live.resize(*size);
                }
                (Happened::Exit, EventKind::Exit(_)) => (),
                (happened, played) => panic!("seed {seed}: {happened:?} was played as {played:?}"),
            }
            assert_eq!((event.at, event.time_us), (step.at, step.time_us), "seed {seed}");
            assert_alike(player.terminal(), &live, &format!("seed {seed}, step {number}"));
        }
        assert_eq!(player.step(), None);
        assert_eq!(player.moment(), player.end());
    }
}

#[test]
fn a_jump_to_any_byte_shows_the_live_screen_of_then() {
    for seed in 0..LIVES {
        let life = RecordedLife::random(seed, false);
        let mut player = life.player();
        let mut random = Random::new(seed);
        for _ in 0..12 {
            let at = Offset(random.below(life.at - Offset(0) + 20) as u64);
            let moment = player.seek_to_offset(at);
            assert_eq!(moment.at, at.min(life.at), "seed {seed}");
            assert_alike(player.terminal(), &life.live_at(at), &format!("seed {seed}, jump to {at}"));
        }
    }
}

#[test]
fn playing_on_after_a_jump_into_a_block_shows_the_live_screens() {
    for seed in 0..LIVES {
        let life = RecordedLife::random(seed, false);
        let mut player = life.player();
        player.seek_to_offset(Offset(life.at.0 / 2));
        let mut at = player.at();
        while let Some(event) = player.step() {
            assert_eq!(event.at, at, "seed {seed}");
            at = player.at();
        }
        assert_alike(player.terminal(), &life.live_at(life.at), &format!("seed {seed}"));
    }
}

#[test]
fn a_jump_to_any_time_shows_everything_up_to_it() {
    for seed in 0..LIVES {
        let life = RecordedLife::random(seed, false);
        let mut player = life.player();
        let mut random = Random::new(seed);
        for _ in 0..12 {
            let time_us = 500_000 + random.below(life.time_us as usize) as u64;
            player.seek_to_time(time_us);
            let mut live = Terminal::new(life.size, HISTORY);
            for step in life.steps.iter().filter(|step| step.time_us <= time_us) {
                match &step.happened {
                    Happened::Output(bytes) => live.feed(bytes),
                    Happened::Resize(size) => live.resize(*size),
                    Happened::Exit => (),
                }
            }
            assert_alike(player.terminal(), &live, &format!("seed {seed}, jump to {time_us} µs"));
        }
    }
}

#[test]
fn the_time_line_never_falls_and_a_jump_agrees_with_playing_when_clocks_are_set_back() {
    for seed in 0..LIVES {
        let life = RecordedLife::random(seed, true);
        let mut playing = life.player();
        let mut screens = vec![(playing.time_us(), playing.terminal().describe())];
        while let Some(event) = playing.step() {
            assert!(event.time_us >= screens[screens.len() - 1].0, "seed {seed}");
            assert_eq!(event.time_us, playing.time_us());
            screens.push((event.time_us, playing.terminal().describe()));
        }
        let mut jumping = life.player();
        let mut random = Random::new(seed);
        for _ in 0..12 {
            let (time_us, _) = screens[random.below(screens.len())];
            let time_us = time_us + random.below(2) as u64;
            jumping.seek_to_time(time_us);
            let (_, screen) = screens.iter().rfind(|(time, _)| *time <= time_us).expect("the first one");
            assert_eq!(jumping.terminal().describe(), *screen, "seed {seed}, jump to {time_us} µs");
        }
    }
}

#[test]
fn before_its_beginning_and_behind_its_end_a_recording_has_its_first_and_last_screen() {
    let mut life = RecordedLife::begun(TermSize::clamped(20, 3));
    life.wait(10);
    life.print(b"first");
    life.begin_segment();
    life.print(b" second");
    let mut player = life.player();
    player.seek_to_offset(Offset(1_000_000));
    assert_eq!(player.terminal().text(0), "first second\n");
    player.seek_to_time(0);
    assert_eq!(player.terminal().text(0), "");
    assert_eq!(player.moment(), player.start());
    player.seek_to_time(u64::MAX);
    assert_eq!(player.moment(), player.end());
}

#[test]
fn a_recording_of_nothing_can_be_played() {
    let dir = tempfile::tempdir().expect("a directory");
    let recording = recording::Recording::open(dir.path()).expect("a recording");
    let mut player = playback::Player::new(recording, HISTORY);
    assert_eq!(player.step(), None);
    player.seek_to_offset(Offset(5));
    player.seek_to_time(5);
    assert_eq!(player.end(), player.start());
    assert_eq!(player.terminal().text(0), "");
}
