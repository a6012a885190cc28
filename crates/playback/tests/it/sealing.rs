//! A sealed recording differs from an unsealed one only by its masks.

use std::fs::{self, File};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use masking::Rules;
use model::{MaskPolicy, Offset, TermSize};
use playback::{
    Growth, MaskedRecording, Masks, Player, SealedRecording, Source, count_unsealed, lines, seal_recording,
};
use recording::{Block, BlockKind, Masked, Recording, SegmentKind, SegmentReader};
use terminal::Terminal;
use testkit::Random;

use crate::life::{HISTORY, RecordedLife, assert_alike};

/// A made-up secret. It is put together here, so that no scanner takes this file for a leak.
fn secret() -> String {
    ["ghp", "_", &"aB3dE5fG7hJ9".repeat(3)].concat()
}

fn rules() -> Arc<Rules> {
    Arc::new(Rules::builtin())
}

fn masks(policy: MaskPolicy) -> Masks {
    Masks { policy, rules: rules(), are_complete: true }
}

/// Seals what can be, when it is our turn at once.
fn seal_at_once(life: &RecordedLife, growth: Growth, policy: MaskPolicy) -> SealedRecording {
    seal_recording(life.dir.path(), || growth, &masks(policy), Duration::ZERO).expect("sealed")
}

fn seal(life: &RecordedLife, policy: MaskPolicy) {
    life.seal(policy);
    assert!(life.recording().segments().iter().all(|segment| segment.kind == SegmentKind::Sealed));
}

fn blocks(source: &impl Source) -> Vec<Block> {
    (0..source.segments().len()).flat_map(|index| source.blocks(index).collect::<Vec<_>>()).collect()
}

#[test]
fn a_recording_without_secrets_is_the_same_sealed_or_not() {
    for seed in 0..60 {
        let life = RecordedLife::random(seed, seed % 3 == 0);
        let before = life.recording();
        let masked = MaskedRecording::open(life.dir.path(), rules()).expect("a recording");
        let before = (blocks(&before), blocks(&masked), lines(&masked, Offset(0)).collect::<Vec<_>>());
        seal(&life, MaskPolicy::Never);
        assert_eq!(blocks(&life.recording()), before.0, "seed {seed}: without masking not a byte differs");

        let life = RecordedLife::random(seed, seed % 3 == 0);
        seal(&life, MaskPolicy::Always);
        assert_eq!(blocks(&life.recording()), before.1, "seed {seed}: sealed as it leaves unsealed");
        assert_eq!(lines(&life.recording(), Offset(0)).collect::<Vec<_>>(), before.2, "seed {seed}");
    }
}

#[test]
fn a_sealed_recording_plays_the_live_screen_at_every_byte() {
    for seed in 0..60 {
        let life = RecordedLife::random(seed, false);
        seal(&life, MaskPolicy::Never);
        let mut player = Player::new(life.recording(), HISTORY);
        let mut random = Random::new(seed);
        for _ in 0..8 {
            let at = Offset(random.below(life.at - Offset(0) + 1) as u64);
            player.seek_to_offset(at);
            assert_alike(player.terminal(), &life.live_at(at), &format!("seed {seed}, jump to {at}"));
        }
    }
}

#[test]
fn sealing_changes_the_bytes_of_secrets_alone() {
    for seed in 0..60 {
        let life = life_with_secrets(seed);
        let before = blocks(&life.recording());
        seal(&life, MaskPolicy::Always);
        let after = blocks(&life.recording());
        let shape =
            |blocks: &[Block]| blocks.iter().map(|block| (block.at, block.time_us)).collect::<Vec<_>>();
        assert_eq!(shape(&after), shape(&before), "seed {seed}");
        let all = |blocks: &[Block]| blocks.iter().flat_map(bytes_of).collect::<Vec<u8>>();
        let (before, after) = (all(&before), all(&after));
        assert_eq!(after.len(), before.len(), "seed {seed}");
        let changed = before.iter().zip(&after).filter(|(before, after)| before != after);
        for (before, after) in changed {
            assert!(
                secret().as_bytes().contains(before),
                "seed {seed}: {:?} is in no secret",
                *before as char
            );
            assert!(b"*REDACTED".contains(after), "seed {seed}: {:?} is in no mask", *after as char);
        }
        let text = String::from_utf8_lossy(&after);
        assert!(!text.contains(&secret()), "seed {seed}");
        assert!(after.windows(8).any(|window| window == b"REDACTED"), "seed {seed}");
    }
}

#[test]
fn screens_of_a_sealed_recording_differ_in_masked_cells_alone() {
    for seed in 0..40 {
        let life = life_with_secrets(seed);
        let live: Vec<Terminal> =
            (0..=10).map(|tenth| life.live_at(Offset(life.at.0 * tenth / 10))).collect();
        seal(&life, MaskPolicy::Always);
        let mut player = Player::new(life.recording(), HISTORY);
        for (tenth, live) in live.iter().enumerate() {
            player.seek_to_offset(Offset(life.at.0 * tenth as u64 / 10));
            for (played, was) in player.terminal().rows().zip(live.rows()) {
                let (played, was) = (played.text(), was.text());
                assert_eq!(played.chars().count(), was.chars().count(), "seed {seed}: {played:?} {was:?}");
                for (now, then) in played.chars().zip(was.chars()) {
                    let is_masked = "*REDACTED".contains(now);
                    assert!(now == then || is_masked, "seed {seed}: {played:?} was {was:?}");
                }
            }
        }
    }
}

/// Lines of text in which secrets stand, plain, coloured and cut by segments.
fn life_with_secrets(seed: u64) -> RecordedLife {
    let mut random = Random::new(seed);
    let mut life =
        RecordedLife::begun(TermSize::clamped(random.between(60, 120) as u16, random.between(5, 30) as u16));
    let secret = secret();
    for number in 0..random.between(10, 60) {
        let line = match random.below(4) {
            0 => format!("key {secret} here\r\n"),
            1 => {
                secret.chars().map(|c| format!("\x1b[3{}m{c}", number % 8)).collect::<String>() + "\x1b[m\r\n"
            }
            2 => format!("line {number}\r\n"),
            _ => "\x1b[1mwords and more words\x1b[m\r\n".to_owned(),
        };
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            let length = random.between(1, 60).min(rest.len());
            life.print(&rest[..length]);
            rest = &rest[length..];
            life.wait(1_000);
            if random.percent(8) {
                life.begin_segment();
            }
        }
    }
    life.print(format!("{secret}\r\n").as_bytes());
    life.exit();
    life
}

fn bytes_of(block: &Block) -> Vec<u8> {
    match &block.kind {
        BlockKind::Snapshot(bytes) | BlockKind::Output(bytes) => bytes.clone(),
        _ => Vec::new(),
    }
}

#[test]
fn a_secret_that_a_segment_ends_in_is_masked_in_both() {
    let secret = secret();
    for cut in 0..=secret.len() {
        let mut life = RecordedLife::begun(TermSize::clamped(80, 5));
        life.print(format!("key {}", &secret[..cut]).as_bytes());
        life.begin_segment();
        life.print(format!("{} end\r\n", &secret[cut..]).as_bytes());
        life.exit();
        seal(&life, MaskPolicy::Always);
        let printed: Vec<u8> = blocks(&life.recording())
            .iter()
            .filter(|block| matches!(block.kind, BlockKind::Output(_)))
            .flat_map(bytes_of)
            .collect();
        let printed = String::from_utf8(printed).expect("text");
        assert!(printed.starts_with("key ***REDACTED***"), "cut {cut}: {printed}");
        assert!(!printed.contains(&secret[20..24]), "cut {cut}: {printed}");
    }
}

#[test]
fn the_two_newest_segments_of_a_growing_recording_are_not_sealed() {
    let mut life = RecordedLife::begun(TermSize::clamped(80, 5));
    for word in [&b"one\r\n"[..], b"two\r\n", b"three\r\n"] {
        life.print(word);
        life.begin_segment();
    }
    assert_eq!(count_unsealed(life.dir.path(), Growth::Growing).expect("counted"), 2);
    assert_eq!(seal_at_once(&life, Growth::Growing, MaskPolicy::Always).segments, 2);
    let kinds: Vec<_> = life.recording().segments().iter().map(|segment| segment.kind).collect();
    assert_eq!(kinds, [SegmentKind::Sealed, SegmentKind::Sealed, SegmentKind::Active, SegmentKind::Active]);
    life.print(b"four\r\n");
    assert_eq!(seal_at_once(&life, Growth::Growing, MaskPolicy::Always).segments, 0);
    let mut player = life.player();
    while player.step().is_some() {}
    assert_alike(player.terminal(), &life.live_at(life.at), "a recording of both kinds");
    assert_eq!(count_unsealed(life.dir.path(), Growth::Finished).expect("counted"), 2);
}

#[test]
fn a_secret_of_which_half_is_still_to_come_is_not_sealed_by_halves() {
    let secret = secret();
    let mut life = RecordedLife::begun(TermSize::clamped(80, 5));
    life.print(format!("key {}", &secret[..20]).as_bytes());
    life.begin_segment();
    assert_eq!(seal_at_once(&life, Growth::Growing, MaskPolicy::Always).segments, 0);
    life.print(format!("{} end\r\n", &secret[20..]).as_bytes());
    life.begin_segment();
    assert_eq!(seal_at_once(&life, Growth::Growing, MaskPolicy::Always).segments, 1);
    let sealed = blocks(&life.recording()).iter().flat_map(bytes_of).take(200).collect::<Vec<u8>>();
    let sealed = String::from_utf8_lossy(&sealed).into_owned();
    assert!(sealed.contains("key ***REDACTED***"), "{sealed}");
}

#[test]
fn one_process_seals_at_a_time_and_none_waits_for_ever() {
    let mut life = RecordedLife::begun(TermSize::clamped(80, 5));
    life.print(b"one\r\n");
    let turn = File::open(life.dir.path()).expect("opened");
    rustix::fs::flock(&turn, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    let waited =
        seal_recording(life.dir.path(), || Growth::Finished, &masks(MaskPolicy::Always), Duration::ZERO);
    assert_eq!(waited.expect_err("not our turn").kind(), io::ErrorKind::WouldBlock);
    drop(turn);
    assert_eq!(seal_at_once(&life, Growth::Finished, MaskPolicy::Always).segments, 1);
}

#[test]
fn leftovers_of_a_stopped_sealing_are_removed() {
    let mut life = RecordedLife::begun(TermSize::clamped(80, 5));
    life.print(b"one\r\n");
    let active = life.recording().segments()[0].path.clone();
    let raw = fs::read(&active).expect("read");
    seal(&life, MaskPolicy::Always);
    fs::write(&active, raw).expect("written");
    let sealed = seal_at_once(&life, Growth::Finished, MaskPolicy::Always);
    assert_eq!((sealed.segments, sealed.leftovers), (0, 1));
    assert!(!active.exists());
}

#[test]
fn a_recording_sealed_without_all_secrets_is_masked_again_when_read() {
    let mut life = RecordedLife::begun(TermSize::clamped(80, 5));
    life.print(b"the value of-a-variable-42 here\r\n");
    life.exit();
    let masks = Masks { are_complete: false, ..masks(MaskPolicy::Always) };
    seal_recording(life.dir.path(), || Growth::Finished, &masks, Duration::ZERO).expect("sealed");
    let known = Rules::builtin().with_variables([("MY_TOKEN".into(), "of-a-variable-42".into())]);
    let leaving = MaskedRecording::open(life.dir.path(), Arc::new(known)).expect("a recording");
    let printed = blocks(&leaving).iter().flat_map(bytes_of).collect::<Vec<u8>>();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    assert!(printed.contains("the value ***REDACTED***") && !printed.contains("variable-42"), "{printed}");
}

#[test]
fn d3_a_damaged_segment_is_sealed_up_to_the_damage_and_the_damage_is_reported() {
    let mut life = RecordedLife::begun(TermSize::clamped(80, 5));
    life.print(b"one\r\n");
    life.print(b"two\r\n");
    let path = life.recording().segments()[0].path.clone();
    let bytes = fs::read(&path).expect("read");
    fs::write(&path, &bytes[..bytes.len() - 2]).expect("written");
    let sealed = seal_at_once(&life, Growth::Finished, MaskPolicy::Always);
    assert_eq!(sealed.segments, 1);
    assert!(sealed.damaged_bytes > 0);
    let recording = Recording::open(life.dir.path()).expect("a recording");
    let reader = SegmentReader::open(&recording.segments()[0].path).expect("a segment");
    assert_eq!(reader.masked(), Masked::Yes);
    assert_eq!(reader.at(), Offset(0));
    assert_eq!(reader.last().map(|block| block.kind), Some(BlockKind::Output(b"one\r\n".to_vec())));
}

#[test]
fn s38_sealing_removes_unreadable_segments_and_keeps_those_of_newer_releases() {
    let life = RecordedLife::random(7, false);
    let dir = life.dir.path();
    let (damaged, newer) = (dir.join("00000100.active"), dir.join("00000101.active"));
    fs::write(&damaged, [&[0; 64][..], secret().as_bytes()].concat()).expect("written");
    fs::write(&newer, [&b"\x89abide\r\n\x02\0\x01"[..], &[b'?'; 200]].concat()).expect("written");

    seal_at_once(&life, Growth::Growing, MaskPolicy::Always);
    assert!(damaged.exists(), "it may still be written");
    assert!(count_unsealed(dir, Growth::Finished).expect("counted") > 0);
    let ended = seal_at_once(&life, Growth::Finished, MaskPolicy::Always);
    assert!(ended.damaged_bytes > 64, "{ended:?}");
    assert!(!damaged.exists());
    assert!(newer.exists());
    assert_eq!(count_unsealed(dir, Growth::Finished).expect("counted"), 0);
}
