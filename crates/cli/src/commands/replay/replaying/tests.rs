use super::*;

const SECOND: u64 = 1_000_000;
const SPAN: Span = Span { start_us: 1_000 * SECOND, end_us: 1_100 * SECOND };

/// A replay with a clock that is moved by hand, of a recording in which something happens at these seconds.
struct Desk {
    replaying: Replaying,
    now: Instant,
    events: Vec<u64>,
    played: usize,
}

impl Desk {
    fn new(seconds: &[u64]) -> Desk {
        let events = seconds.iter().map(|second| SPAN.start_us + second * SECOND).collect();
        let mut desk = Desk { replaying: Replaying::new(SPAN, 1.0), now: Instant::now(), events, played: 0 };
        desk.replaying.play(desk.now);
        desk
    }

    fn pause(&self) -> Pause {
        let from_us = self.played.checked_sub(1).map_or(SPAN.start_us, |last| self.events[last]);
        Pause { from_us, to_us: self.events.get(self.played).copied() }
    }

    /// Lets so many milliseconds pass, and looks so often meanwhile; gives how many events were played by then.
    fn pass(&mut self, ms: u64, looks: u32) -> usize {
        for _ in 0..looks {
            self.now += Duration::from_millis(ms) / looks;
            while self.replaying.tick(self.now, self.pause()) == Due::Event {
                self.played += 1;
            }
        }
        self.played
    }

    fn press(&mut self, keys: &str) -> Vec<Effect> {
        keys.chars().filter_map(|key| self.replaying.press(Key::Char(key), self.now)).collect()
    }

    fn at(&self) -> f64 {
        (self.replaying.at_us() - SPAN.start_us) as f64 / 1e6
    }
}

#[test]
fn events_are_played_when_they_are_due() {
    let mut desk = Desk::new(&[0, 1, 2, 2, 3]);
    assert_eq!(desk.pass(0, 1), 1);
    assert_eq!(desk.pass(990, 10), 1);
    assert_eq!(desk.pass(20, 1), 2);
    assert_eq!(desk.pass(1000, 5), 4);
    assert!((desk.at() - 2.01).abs() < 0.001, "{}", desk.at());
}

#[test]
fn the_position_does_not_depend_on_how_often_the_player_looks() {
    for looks in [3, 7, 60, 1000] {
        let mut desk = Desk::new(&[1, 2, 40, 41]);
        desk.pass(1500, looks);
        assert!((desk.at() - 1.5).abs() < 0.01, "{looks}: {}", desk.at());
    }
}

#[test]
fn a_long_pause_is_cut_to_two_seconds_unless_real_pauses_are_on() {
    let mut desk = Desk::new(&[0, 90]);
    desk.pass(1000, 10);
    assert!((desk.at() - 45.0).abs() < 0.1, "half of it after half of the time: {}", desk.at());
    assert!(desk.replaying.shortens(desk.pause()));
    assert_eq!(desk.pass(990, 10), 1);
    assert_eq!(desk.pass(20, 1), 2);

    let mut desk = Desk::new(&[0, 90]);
    desk.press("i");
    assert!(!desk.replaying.shortens(desk.pause()));
    desk.pass(3000, 10);
    assert!((desk.at() - 3.0).abs() < 0.01, "{}", desk.at());
}

#[test]
fn speed_is_chosen_by_keys_within_bounds() {
    let mut desk = Desk::new(&[0, 1, 2]);
    desk.press(">>");
    assert_eq!(desk.replaying.speed(), 4.0);
    desk.pass(0, 1);
    assert_eq!(desk.pass(260, 2), 2);
    desk.press("<<<<<<<<");
    assert_eq!(desk.replaying.speed(), 0.25);
    desk.press(&"+".repeat(20));
    assert_eq!(desk.replaying.speed(), 64.0);
    desk.press("-");
    assert_eq!(desk.replaying.speed(), 32.0);
}

#[test]
fn from_an_unusual_speed_the_keys_go_to_the_next_usual_one() {
    let mut replaying = Replaying::new(SPAN, 1000.0);
    let now = Instant::now();
    replaying.press(Key::Char('>'), now);
    assert_eq!(replaying.speed(), 1000.0);
    replaying.press(Key::Char('<'), now);
    assert_eq!(replaying.speed(), 64.0);
}

#[test]
fn a_paused_player_stands_still_and_does_not_catch_up_later() {
    let mut desk = Desk::new(&[1, 2, 3]);
    desk.pass(500, 5);
    desk.press(" ");
    assert!(!desk.replaying.is_playing());
    desk.pass(10_000, 5);
    assert!((desk.at() - 0.5).abs() < 0.001);
    desk.press(" ");
    desk.pass(400, 4);
    assert!((desk.at() - 0.9).abs() < 0.001, "{}", desk.at());
    // A player that was stopped for an hour does not rush.
    desk.pass(3_600_000, 1);
    assert!(desk.at() < 1.5, "{}", desk.at());
}

#[test]
fn at_the_end_the_player_pauses_and_space_starts_again() {
    let mut desk = Desk::new(&[1]);
    desk.pass(2000, 10);
    assert!(desk.replaying.is_at_end() && !desk.replaying.is_playing());
    assert_eq!(desk.at(), 100.0);
    assert_eq!(desk.press(" "), [Effect::Go(Place::Beginning)]);
    desk.replaying.arrived(SPAN.start_us, false, desk.now);
    assert!(desk.replaying.is_playing() && !desk.replaying.is_at_end());
}

#[test]
fn arrows_and_numbers_stay_within_the_recording() {
    let mut replaying = Replaying::new(SPAN, 1.0);
    let now = Instant::now();
    let mut press = |at: u64, key| {
        replaying.arrived(SPAN.start_us + at * SECOND, false, now);
        replaying.press(key, now)
    };
    let time = |second| Some(Effect::Go(Place::Time(SPAN.start_us + second * SECOND)));
    assert_eq!(press(3, Key::Left), Some(Effect::Go(Place::Beginning)));
    assert_eq!(press(30, Key::Left), time(25));
    assert_eq!(press(30, Key::Right), time(35));
    assert_eq!(press(96, Key::Right), Some(Effect::Go(Place::End)));
    assert_eq!(press(70, Key::FarLeft), time(10));
    assert_eq!(press(30, Key::PageDown), time(90));
    assert_eq!(press(30, Key::Char('0')), Some(Effect::Go(Place::Beginning)));
    assert_eq!(press(30, Key::Char('7')), time(70));
    assert_eq!(press(30, Key::Char('G')), Some(Effect::Go(Place::End)));
}

#[test]
fn stepping_pauses() {
    let mut desk = Desk::new(&[1]);
    assert_eq!(desk.press("."), [Effect::Step(Way::Forward)]);
    assert!(!desk.replaying.is_playing());
    assert_eq!(desk.press(","), [Effect::Step(Way::Back)]);
}

#[test]
fn a_pattern_is_typed_and_looked_for_again() {
    let mut desk = Desk::new(&[1]);
    assert_eq!(desk.press("n"), [], "nothing was looked for");
    assert_eq!(desk.press("/q x"), [], "keys are text here");
    assert_eq!(desk.replaying.typed(), Some("q x"));
    desk.replaying.press(Key::Backspace, desk.now);
    let found = |way| Effect::Find { pattern: "q ".into(), way };
    assert_eq!(desk.replaying.press(Key::Enter, desk.now), Some(found(Way::Forward)));
    assert_eq!(desk.replaying.typed(), None);
    assert_eq!(desk.press("nN"), [found(Way::Forward), found(Way::Back)]);
    desk.press("/ab");
    assert_eq!(desk.replaying.press(Key::Escape, desk.now), None, "leaves the line, not the replay");
    assert_eq!(desk.replaying.typed(), None);
    assert_eq!(desk.press("n"), [found(Way::Forward)]);
}

#[test]
fn any_key_closes_the_help_and_three_keys_quit() {
    let mut desk = Desk::new(&[1]);
    desk.press("?");
    assert!(desk.replaying.shows_help());
    assert_eq!(desk.press("q"), [], "leaves the help, not the replay");
    assert!(!desk.replaying.shows_help());
    for key in [Key::Char('q'), Key::Escape, Key::Control('c')] {
        assert_eq!(desk.replaying.press(key, desk.now), Some(Effect::Quit));
    }
}
