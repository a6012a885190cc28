use std::fs;
use std::process::{Child, Command, Stdio};

use model::MaskPolicy;
use server::recordings::{Asked, Masks, MasksError, Span, Stop, WantedLines, lines, output, search};

use crate::life::{House, Life, seal};

fn printed(house: &House, life: &Life) -> String {
    let rules = Masks::read(house.home()).expect("rules").of(&life.dir);
    let chunk = output(&life.dir, &rules, Span::default(), 1_000, &Stop::default()).expect("a recording");
    String::from_utf8(chunk.bytes).expect("text")
}

const TICKETS: &str = "[[rule]]\nname = \"tickets\"\npattern = 'ticket-[0-9]+'\nstarts = [\"ticket-\"]\n";

#[test]
fn the_users_own_rules_mask_too() {
    let house = House::new();
    let mut life = house.life(1);
    life.print("ticket-12345 and more\r\n").exit();
    assert_eq!(printed(&house, &life), "ticket-12345 and more\r\n");
    fs::write(house.home().mask_file(), TICKETS).expect("written");
    assert_eq!(printed(&house, &life), "************ and more\r\n");
}

#[test]
fn a_new_rule_masks_lines_that_were_sealed_before() {
    let house = House::new();
    let mut life = house.life(1);
    life.print("ticket-12345\r\nmore than ticket-12345\r\nmore\r\n").exit();
    seal(&life, MaskPolicy::Always);
    fs::write(house.home().mask_file(), TICKETS).expect("written");
    let (masks, stop) = (Masks::read(house.home()).expect("rules"), Stop::default());
    let page = lines(&life.dir, &masks.of(&life.dir), WantedLines::default(), &stop).expect("a recording");
    let texts: Vec<&str> = page.items.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["************", "more than ************", "more"]);
    let find = |pattern: &str| {
        let asked = Asked { context: 1, ..Asked::new(pattern) };
        search(house.home(), &masks, &asked, &stop).expect("searched").hits
    };
    assert_eq!(find("12345"), [], "a search does not find the secret");
    let hits = find("more");
    assert!(hits.len() == 2 && !format!("{hits:?}").contains("12345"), "{hits:?}");
}

#[test]
fn invalid_rules_of_the_user_are_an_error() {
    let house = House::new();
    fs::write(house.home().mask_file(), "\n[[rule]]\nnonsense = 1\n").expect("written");
    let error = Masks::read(house.home()).expect_err("no rules");
    assert!(matches!(error, MasksError::Rules { .. }), "{error:?}");
    let words = error.to_string();
    assert!(words.contains("masking.toml") && words.contains("line 3"), "{words}");
    fs::write(house.home().mask_file(), [0xff; 9]).expect("written");
    assert!(matches!(Masks::read(house.home()), Err(MasksError::Read { .. })));
}

/// A process that is killed when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("the process ends");
    }
}

#[test]
fn s38_secrets_in_a_workers_environment_are_masked_while_a_process_has_them() {
    let house = House::new();
    let mut life = house.life(7);
    life.print("it is correct-horse-battery\r\n").exit();
    assert_eq!(printed(&house, &life), "it is correct-horse-battery\r\n");
    let child = Command::new("cat")
        .env("ABIDE_WORKER", life.dir.id().as_str())
        .env("DEPLOY_TOKEN", "correct-horse-battery")
        .stdin(Stdio::piped())
        .spawn();
    let running = Running(child.expect("`cat` runs"));
    assert!(!printed(&house, &life).contains("horse"), "{}", printed(&house, &life));
    let mut other = house.life(8);
    other.print("it is correct-horse-battery\r\n").exit();
    assert!(printed(&house, &other).contains("horse"), "another worker's output is not masked with it");
    drop(running);
}
