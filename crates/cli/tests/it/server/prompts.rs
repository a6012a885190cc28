//! Prompts: typed once, never into a question, with a receipt for each step.

use std::fs;

use api::{
    AuditEntry, DashboardEvent, DashboardMessage, ErrorCode, NewToken, Prompt, PromptState, PromptWaitsFor,
    SentPrompt, Worker,
};
use model::{Activity, WorkerId};
use serde_json::{Value, json};
use ureq::http::Method;

use super::stopped::{heard, pipe};
use super::{Answer, Server, Socket};
use crate::house::{House, wait_for};

/// A stand-in for an agent with a place to type, which asks for brackets around pasted text. It writes each prompt to the
/// file `prompts`, a line for each, with `|` for line breaks, and every key that it gets while it asks to the file `keys`.
///
/// - Enter submits. An idle agent then works.
/// - C-a asks for a permission, which `1` gives; C-w works; C-o is idle; C-e does not take Enter any more; C-x exits.
const TAKER: &str = r#"
stty raw -echo
printf '\033[?2004h'
line='────────────────────────────────────────'
enter="$(printf '\r')" escape="$(printf '\033')"
ask="$(printf '\001')" work="$(printf '\027')" idle="$(printf '\017')" deaf="$(printf '\005')" leave="$(printf '\030')"
state=idle typed= shown= bracket= takes=1
draw() {
    case $state in
        idle) head='● Done.';;
        working) head='✻ Pondering… (3s · esc to interrupt)';;
        asking)
            printf '\033[2J\033[H%s\r\n rm -rf target\r\n\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n' "$line"
            printf '\r\n Enter to select · Esc to cancel'
            return;;
    esac
    printf '\033[2J\033[H%s\r\n\r\n%s\r\n❯ %s' "$head" "$line" "$shown"
    printf '\0337\r\n%s\r\n  ? for help\0338' "$line"
}
draw
while :; do
    key="$(dd bs=1 count=1 2>/dev/null)"
    case "$key" in
        "$ask") state=asking; draw; continue;;
        "$work") state=working; draw; continue;;
        "$idle") state=idle; draw; continue;;
        "$deaf") takes=; continue;;
        "$leave") exit 0;;
    esac
    if [ $state = asking ]; then
        printf '%s\n' "$key" >>keys
        if [ "$key" = 1 ]; then state=idle; draw; fi
        continue
    fi
    case "$key" in
        "$escape")
            case "$(dd bs=1 count=5 2>/dev/null)" in '[200~') bracket=1;; '[201~') bracket=;; esac
            continue;;
        "$enter")
            if [ -n "$bracket" ]; then
                typed="$typed|" shown="$shown "
            elif [ -n "$takes" ]; then
                printf '%s\n' "$typed" >>prompts
                typed= shown=
                if [ $state = idle ]; then state=working; fi
            fi;;
        *) typed="$typed$key" shown="$shown$key";;
    esac
    draw
done
"#;

pub(super) const ASK: &str = "\u{1}";
pub(super) const WORK: &str = "\u{17}";
pub(super) const IDLE: &str = "\u{f}";
const DEAF: &str = "\u{5}";
const EXIT: &str = "\u{18}";

/// A server, and a taker in a session.
pub(super) struct Desk {
    // In this order: the server goes before its house.
    pub(super) server: Server,
    pub(super) house: House,
    pub(super) id: WorkerId,
}

impl Desk {
    pub(super) fn new() -> Desk {
        Desk::with(House::new(), &[])
    }

    /// One whose server has these variables.
    pub(super) fn with(house: House, variables: &[(&str, &str)]) -> Desk {
        let script = house.path().join("taker.sh");
        fs::write(&script, TAKER).unwrap();
        let definition = format!(
            "[[agent]]\nid = \"taker\"\nname = \"Taker\"\ncommand = [\"sh\", \"{}\"]\nwork-is-shown = true\n",
            script.display()
        );
        fs::write(house.path().join("agents.toml"), definition).unwrap();
        let server = Server::start_with(&house, variables);
        let id = start(&server, &house);
        Desk { server, house, id }
    }

    /// Kills the server without any warning, and starts another.
    fn kill_and_start(self) -> Desk {
        let Desk { server, house, id } = self;
        server.kill();
        let server = Server::start(&house);
        Desk { server, house, id }
    }

    pub(super) fn press(&self, keys: &str) {
        self.house.called(self.id.as_str()).send(keys.as_bytes());
    }

    pub(super) fn do_and_wait(&self, keys: &str, activity: Activity) {
        self.press(keys);
        wait_until(&self.server, self.id, activity);
    }

    fn path(&self) -> String {
        format!("/api/workers/{}/prompts", self.id)
    }

    fn send(&self, body: Value) -> Prompt {
        self.server.post(&self.path(), body).ok(202)
    }

    fn say(&self, text: &str) -> Prompt {
        self.send(json!({ "text": text }))
    }

    fn prompts(&self) -> Vec<Prompt> {
        self.server.get(&self.path()).ok(200)
    }

    pub(super) fn states(&self) -> Vec<PromptState> {
        self.prompts().into_iter().map(|prompt| prompt.state).collect()
    }

    fn wait_for(&self, prompt: &Prompt, what: &str, is_so: impl Fn(&PromptState) -> bool) -> PromptState {
        wait_for(what, || {
            let found = self.prompts().into_iter().find(|known| known.id == prompt.id).expect("it is kept");
            assert!(is_so(&found.state) || !found.state.is_settled(), "{found:?}");
            is_so(&found.state).then_some(found.state)
        })
    }

    fn wait_for_start(&self, prompt: &Prompt) {
        self.wait_for(prompt, "its turn", |state| *state == PromptState::Started);
    }

    /// What the taker was sent.
    pub(super) fn taken(&self) -> Vec<String> {
        let taken = fs::read_to_string(self.house.path().join("prompts")).unwrap_or_default();
        taken.lines().map(str::to_owned).collect()
    }

    /// The keys that came while it asked.
    fn keys(&self) -> String {
        fs::read_to_string(self.house.path().join("keys")).unwrap_or_default()
    }
}

fn start(server: &Server, house: &House) -> WorkerId {
    let session = json!({"type": "quick", "locationPath": house.path(), "agentId": "taker"});
    let session: api::SessionReply = server.post("/api/sessions", session).ok(201);
    let id = session.session.workers[0].id;
    wait_until(server, id, Activity::Idle);
    id
}

fn wait_until(server: &Server, id: WorkerId, activity: Activity) {
    server.wait_for_worker(id, activity.as_str(), |worker| worker.activity == activity);
}

fn queued(waits_for: PromptWaitsFor) -> PromptState {
    PromptState::Queued { waits_for: Some(waits_for) }
}

#[test]
fn a_prompt_is_pasted_submitted_and_its_turn_begins() {
    let desk = Desk::new();
    let prompt = desk.say("fix the door\nand the window");
    assert_eq!((prompt.worker_id, prompt.when_idle), (desk.id, false));
    desk.wait_for_start(&prompt);
    assert_eq!(desk.taken(), ["fix the door|and the window"]);
    wait_until(&desk.server, desk.id, Activity::Active);
    let audit: Vec<AuditEntry> = desk.server.get("/api/audit").ok(200);
    let entry = audit.iter().find(|entry| entry.action == "worker.prompt").expect("it is on record");
    assert_eq!(
        (entry.object.as_str(), entry.detail.as_deref()),
        (desk.id.as_str(), Some(prompt.id.as_str()))
    );
    assert_eq!(entry.actor, prompt.sender);
}

#[test]
fn nothing_is_typed_into_a_question() {
    let desk = Desk::new();
    desk.do_and_wait(ASK, Activity::Asking);
    let prompt = desk.say("1 thing more");
    assert_eq!(prompt.state, queued(PromptWaitsFor::Answer));
    assert_eq!(desk.say("2 things more").state, queued(PromptWaitsFor::Earlier));
    desk.press("1");
    desk.wait_for_start(&prompt);
    assert_eq!(desk.keys(), "1\n", "only the answer");
    assert_eq!(desk.taken()[0], "1 thing more");
}

#[test]
fn a_busy_agent_is_sent_a_prompt_at_once_or_when_it_is_idle() {
    let desk = Desk::new();
    desk.do_and_wait(WORK, Activity::Active);
    let now = desk.say("and mend this");
    desk.wait_for(&now, "it is taken", |state| *state == PromptState::Submitted);
    let later = desk.send(json!({"text": "then that", "whenIdle": true}));
    assert_eq!(later.state, queued(PromptWaitsFor::Idle));
    assert_eq!(desk.taken(), ["and mend this"]);
    desk.press(IDLE);
    desk.wait_for_start(&now);
    desk.wait_for_start(&later);
    assert_eq!(desk.taken(), ["and mend this", "then that"]);
}

#[test]
fn what_is_not_taken_has_failed_and_says_why() {
    let desk = Desk::new();
    desk.press(DEAF);
    let prompt = desk.say("fix the door");
    let state = desk.wait_for(&prompt, "a failure", |state| matches!(state, PromptState::Failed { .. }));
    assert!(state.reason().is_some_and(|why| why.contains("still stands")), "{state:?}");
}

#[test]
fn a_key_stands_for_one_prompt() {
    let desk = Desk::new();
    desk.do_and_wait(ASK, Activity::Asking);
    let sent = json!({"text": "fix the door", "key": "k1"});
    let first = desk.send(sent.clone());
    assert_eq!(desk.send(sent.clone()), first);
    let other = json!({"text": "fix the window", "key": "k1"});
    let problem = desk.server.post(&desk.path(), other).problem(ErrorCode::OtherPrompt);
    assert_eq!(problem.error.detail, Some(json!({"promptId": first.id})));
    desk.press("1");
    desk.wait_for_start(&first);
    assert_eq!(desk.send(sent).state, PromptState::Started);
    assert_eq!(desk.taken(), ["fix the door"]);
}

#[test]
fn a_queue_is_seen_edited_and_emptied() {
    let desk = Desk::new();
    desk.do_and_wait(WORK, Activity::Active);
    let send = |text: &str| desk.send(json!({"text": text, "whenIdle": true}));
    let [one, two, three] = ["one", "two", "three"].map(send);
    let path = |prompt: &Prompt| format!("{}/{}", desk.path(), prompt.id);
    let put = |prompt: &Prompt, body| {
        desk.server.send(Method::PUT, &path(prompt), Some(body), Some(&desk.server.token))
    };
    let edited: Prompt = put(&two, json!({"text": "zwei"})).ok(200);
    assert_eq!((edited.id, edited.text.as_str(), edited.when_idle), (two.id, "zwei", true));
    desk.server.delete(&path(&three)).empty(204);
    let removed = &desk.prompts()[2].state;
    assert!(removed.reason().is_some_and(|why| why.starts_with("removed by")), "{removed:?}");
    desk.server.delete(&path(&three)).problem(ErrorCode::WrongState);
    let plain: Prompt = put(&one, json!({"whenIdle": false})).ok(200);
    desk.wait_for(&plain, "it is taken", |state| *state == PromptState::Submitted);
    put(&one, json!({"text": "late"})).problem(ErrorCode::WrongState);
    desk.server.delete(&desk.path()).empty(204);
    desk.press(IDLE);
    desk.wait_for_start(&one);
    assert!(matches!(desk.states()[1], PromptState::Cancelled { .. }), "{:?}", desk.states());
    assert_eq!(desk.taken(), ["one"]);
}

#[test]
fn a_prompt_goes_to_several_workers() {
    let desk = Desk::new();
    let second = start(&desk.server, &desk.house);
    let unknown: WorkerId = "00000000".parse().unwrap();
    let body = json!({"workerIds": [desk.id, second, unknown, second], "text": "fix the door", "key": "k"});
    let sent: Vec<SentPrompt> = desk.server.post("/api/prompts", body).ok(202);
    assert_eq!(sent.len(), 3);
    for sent in sent {
        match sent.prompt {
            Some(prompt) => {
                let path = format!("/api/workers/{}/prompts", prompt.worker_id);
                wait_for("its turn", || {
                    let prompts: Vec<Prompt> = desk.server.get(&path).ok(200);
                    (prompts[0].state == PromptState::Started).then_some(())
                });
            }
            None => {
                assert_eq!(sent.worker_id, unknown);
                assert_eq!(sent.error.map(|error| error.code), Some(ErrorCode::NotFound));
            }
        }
    }
    assert_eq!(desk.taken(), ["fix the door", "fix the door"]);
    let nobody = json!({"workerIds": [], "text": "fix the door"});
    desk.server.post("/api/prompts", nobody).problem(ErrorCode::InvalidBody);
}

#[test]
fn s8_s10_a_prompt_needs_the_right_to_type_and_goes_with_its_token() {
    let desk = Desk::new();
    let other = start(&desk.server, &desk.house);
    let token = |drive: bool| -> NewToken {
        let scope = json!({"kind": "worker", "workerId": desk.id, "drive": drive});
        desk.server.post("/api/tokens", json!({"name": "guest", "scope": scope})).ok(201)
    };
    let (watcher, driver) = (token(false), token(true));
    let ask = |method: Method, path: &str, body: Option<Value>, token: &NewToken| -> Answer {
        desk.server.send(method, path, body, Some(&token.secret))
    };
    let text = || Some(json!({"text": "fix the door"}));
    ask(Method::POST, &desk.path(), text(), &watcher).problem(ErrorCode::Forbidden);
    ask(Method::GET, &desk.path(), None, &watcher).problem(ErrorCode::Forbidden);
    let elsewhere = format!("/api/workers/{other}/prompts");
    ask(Method::POST, &elsewhere, text(), &driver).problem(ErrorCode::NotFound);
    let many = json!({"workerIds": [desk.id], "text": "fix the door"});
    ask(Method::POST, "/api/prompts", Some(many), &driver).problem(ErrorCode::Forbidden);
    desk.do_and_wait(ASK, Activity::Asking);
    let prompt: Prompt = ask(Method::POST, &desk.path(), text(), &driver).ok(202);
    let another: Prompt = desk.server.post(&elsewhere, json!({"text": "x", "whenIdle": true})).ok(202);
    let mixed = format!("{}/{}", desk.path(), another.id);
    ask(Method::DELETE, &mixed, None, &driver).problem(ErrorCode::NotFound);
    desk.server.delete(&format!("/api/tokens/{}", driver.token.id)).empty(204);
    let state = desk.wait_for(&prompt, "its end", |state| matches!(state, PromptState::Cancelled { .. }));
    assert!(state.reason().is_some_and(|why| why.contains("token")), "{state:?}");
}

#[test]
fn what_cannot_be_sent_is_refused() {
    let desk = Desk::new();
    for text in ["", " \n", "a\u{1b}[31m", &"x".repeat(121 << 10)] {
        desk.server.post(&desk.path(), json!({ "text": text })).problem(ErrorCode::BadText);
    }
    desk.server.post("/api/workers/00000000/prompts", json!({"text": "x"})).problem(ErrorCode::NotFound);
    desk.do_and_wait(ASK, Activity::Asking);
    let waiting = desk.say("fix the door");
    desk.press(EXIT);
    desk.server.wait_for_worker(desk.id, "its end", |worker: &Worker| worker.ended_at.is_some());
    let state = desk.wait_for(&waiting, "its end", PromptState::is_settled);
    assert_eq!(state.reason(), Some("the worker has ended"));
    desk.server.post(&desk.path(), json!({"text": "x"})).problem(ErrorCode::WrongState);
    assert_eq!((desk.taken(), desk.keys()), (Vec::new(), String::new()));
}

/// A desk whose server is held at a step of a prompt, and the prompt.
fn held(step: &str) -> (Desk, Prompt) {
    let house = House::new();
    for name in ["held", "released"] {
        pipe(&house, name);
    }
    let desk = Desk::with(house, &[("ABIDE_HOLD_START", step)]);
    let prompt = desk.say("fix the door");
    heard(&desk.house.path().join("held"));
    (desk, prompt)
}

#[test]
fn p1_a_prompt_is_submitted_once_when_the_server_is_killed_after_it_was_pasted() {
    let (desk, prompt) = held("submit");
    assert_eq!(desk.states(), [PromptState::Pasted]);
    assert_eq!(desk.taken(), [""; 0]);
    let desk = desk.kill_and_start();
    desk.wait_for_start(&prompt);
    assert_eq!(desk.taken(), ["fix the door"]);
}

#[test]
fn p1_a_prompt_is_not_sent_again_when_the_server_is_killed_after_enter() {
    let (desk, prompt) = held("submitted");
    assert_eq!(desk.states(), [PromptState::Submitting]);
    wait_for("the prompt", || (desk.taken() == ["fix the door"]).then_some(()));
    let desk = desk.kill_and_start();
    desk.wait_for_start(&prompt);
    assert_eq!(desk.taken(), ["fix the door"]);
}

#[test]
fn p1_a_prompt_that_a_person_took_away_meanwhile_is_told_as_unknown() {
    let (desk, prompt) = held("submit");
    let Desk { server, house, id } = desk;
    server.kill();
    house.called(id.as_str()).send(b"\r");
    let desk = Desk { server: Server::start(&house), house, id };
    let state = desk.wait_for(&prompt, "its end", |state| matches!(state, PromptState::Unknown { .. }));
    assert!(state.reason().is_some_and(|why| why.contains("look at the terminal")), "{state:?}");
    assert_eq!(desk.taken(), ["fix the door"], "by the person");
}

#[test]
fn p1_a_queue_outlives_a_killed_server() {
    let desk = Desk::new();
    desk.do_and_wait(ASK, Activity::Asking);
    let prompts = [desk.say("one"), desk.send(json!({"text": "two", "whenIdle": true}))];
    let desk = desk.kill_and_start();
    assert_eq!(
        desk.prompts().iter().map(|prompt| prompt.id).collect::<Vec<_>>(),
        prompts.each_ref().map(|prompt| prompt.id)
    );
    wait_until(&desk.server, desk.id, Activity::Asking);
    desk.press("1");
    desk.wait_for_start(&prompts[0]);
    desk.press(IDLE);
    desk.wait_for_start(&prompts[1]);
    assert_eq!(desk.taken(), ["one", "two"]);
}

#[test]
fn the_dashboard_tells_of_each_step_of_a_prompt() {
    let desk = Desk::new();
    let mut socket = Socket::open(&desk.server, "/ws/dashboard");
    let prompt = desk.say("fix the door");
    let mut seen = Vec::new();
    while seen.last() != Some(&"started") {
        let said: Value = socket.json();
        if let Ok(DashboardMessage::Event { event: DashboardEvent::PromptChanged { prompt: now }, .. }) =
            serde_json::from_value(said)
        {
            assert_eq!(now.id, prompt.id);
            seen.push(now.state.as_str());
        }
    }
    assert!(seen.len() > 1, "{seen:?}");
}
