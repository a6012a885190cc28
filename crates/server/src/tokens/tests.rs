use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use store::Store;

use super::*;
use crate::gate::Wait;

/// Longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(30);

/// A clock on the wall that is set by hand, and waits that end when they are called for.
struct HandPace {
    start: Instant,
    wall: Mutex<Timestamp>,
}

impl HandPace {
    fn set(&self, days: i64) {
        *self.wall.lock().unwrap() = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * days);
    }
}

impl Pace for HandPace {
    fn now(&self) -> Instant {
        self.start
    }

    fn wall(&self) -> Timestamp {
        *self.wall.lock().unwrap()
    }

    fn wait(&self, _: Duration) -> Wait {
        Box::pin(std::future::pending())
    }
}

/// A database that counts, and refuses when it is told to.
struct Shelf {
    store: Store,
    finds: AtomicUsize,
    touched: AtomicBool,
    refuses: AtomicBool,
}

impl Shelf {
    fn open(&self) -> Result<&Store, StoreError> {
        match self.refuses.load(Ordering::SeqCst) {
            true => Err(StoreError::Unavailable { reason: Trouble::Full }),
            false => Ok(&self.store),
        }
    }
}

impl TokenStore for Shelf {
    fn add_token(&self, token: &store::NewToken, now: Timestamp) -> Result<Token, StoreError> {
        self.open()?.add_token(token, now)
    }

    fn token_for_check(&self, id: TokenId) -> Result<Option<(Token, [u8; 32])>, StoreError> {
        self.finds.fetch_add(1, Ordering::SeqCst);
        self.open()?.token_for_check(id)
    }

    fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.open()?.tokens()
    }

    fn revoke_token(&self, id: TokenId, now: Timestamp) -> Result<Token, StoreError> {
        self.open()?.revoke_token(id, now)
    }

    fn touch_token(&self, id: TokenId, now: Timestamp) -> Result<(), StoreError> {
        self.open()?.touch_token(id, now)?;
        self.touched.store(true, Ordering::SeqCst);
        Ok(())
    }
}

struct Setup {
    tokens: Tokens,
    shelf: Arc<Shelf>,
    pace: Arc<HandPace>,
}

fn setup() -> Setup {
    setup_with(Arc::new(Shelf {
        store: Store::in_memory(),
        finds: AtomicUsize::new(0),
        touched: AtomicBool::new(false),
        refuses: AtomicBool::new(false),
    }))
}

/// As after a restart: the database is the same, and nothing else.
fn setup_with(shelf: Arc<Shelf>) -> Setup {
    let pace = Arc::new(HandPace { start: Instant::now(), wall: Mutex::new(Timestamp::UNIX_EPOCH) });
    Setup { tokens: Tokens::new(shelf.clone(), pace.clone()), shelf, pace }
}

async fn is_right(tokens: &Tokens, secret: &Secret) -> bool {
    match tokens.check(secret).await {
        Ok(principal) => principal.token == secret.id(),
        Err(CheckError::Wrong) => false,
        Err(error) => panic!("{error}"),
    }
}

fn wrong(secret: &Secret) -> Secret {
    let other = Secret::random().unwrap().expose();
    let own = secret.expose();
    format!("{}{}", &own[..15], &other[15..]).parse().unwrap()
}

#[tokio::test]
async fn s6_only_the_exact_secret_is_right_and_only_its_hash_is_kept() {
    let Setup { tokens, shelf, .. } = setup();
    let made = tokens.make("a \u{1b}[31mbrowser", Scope::All, None).await.unwrap();
    let principal = tokens.check(&made.secret).await.unwrap();
    assert!(principal.is_owner());
    assert_eq!(principal.actor, format!("a �[31mbrowser ({})", made.token.id));
    assert!(!is_right(&tokens, &wrong(&made.secret)).await);
    assert!(!is_right(&tokens, &Secret::random().unwrap()).await);
    let (kept, hash) = shelf.token_for_check(made.token.id).unwrap().unwrap();
    assert_eq!(hash, made.secret.hash());
    assert!(!format!("{kept:?}").contains(&made.secret.expose()[15..]));
}

#[tokio::test]
async fn a_token_in_use_is_looked_up_once() {
    let Setup { tokens, shelf, .. } = setup();
    let made = tokens.make("a", Scope::All, None).await.unwrap();
    for _ in 0..10 {
        assert!(is_right(&tokens, &made.secret).await);
        assert!(!is_right(&tokens, &wrong(&made.secret)).await);
    }
    assert_eq!(shelf.finds.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn s6_a_token_expires() {
    let Setup { tokens, pace, .. } = setup();
    let end = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24);
    let made = tokens.make("a", Scope::All, Some(end)).await.unwrap();
    assert!(is_right(&tokens, &made.secret).await);
    let over = tokens.over(&tokens.check(&made.secret).await.unwrap());
    pace.set(1);
    assert!(!is_right(&tokens, &made.secret).await);
    tokio::time::timeout(DEADLINE, over).await.expect("whoever waits for its end is told");
}

#[tokio::test]
async fn s6_a_token_that_nobody_uses_is_no_longer_right() {
    let Setup { tokens, shelf, .. } = setup();
    let made = tokens.make("a", Scope::All, None).await.unwrap();
    let later = setup_with(shelf.clone());
    later.pace.set(89);
    assert!(is_right(&later.tokens, &made.secret).await);
    while !shelf.touched.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    let later = setup_with(shelf.clone());
    later.pace.set(89 + 89);
    assert!(is_right(&later.tokens, &made.secret).await, "it was used in between");
    let later = setup_with(shelf);
    later.pace.set(1000);
    assert!(!is_right(&later.tokens, &made.secret).await);
}

#[tokio::test]
async fn r4_a_clock_that_jumps_does_not_end_tokens_in_use() {
    let Setup { tokens, pace, .. } = setup();
    let made = tokens.make("a", Scope::All, None).await.unwrap();
    assert!(is_right(&tokens, &made.secret).await);
    pace.set(10_000);
    assert!(is_right(&tokens, &made.secret).await);
}

#[tokio::test]
async fn s6_taking_a_token_back_ends_it_at_once_and_for_good() {
    let Setup { tokens, shelf, .. } = setup();
    let made = tokens.make("a", Scope::All, None).await.unwrap();
    let other = tokens.make("b", Scope::All, None).await.unwrap();
    let over = tokio::spawn(tokens.over(&tokens.check(&made.secret).await.unwrap()));
    let stays = tokio::spawn(tokens.over(&tokens.check(&other.secret).await.unwrap()));
    assert!(tokens.revoke(made.token.id).await.unwrap());
    tokio::time::timeout(DEADLINE, over).await.expect("whoever waits for its end is told").unwrap();
    assert!(!is_right(&tokens, &made.secret).await);
    assert!(is_right(&tokens, &other.secret).await);
    assert!(!stays.is_finished());
    assert!(!is_right(&setup_with(shelf).tokens, &made.secret).await, "after a restart too");
    assert!(!tokens.revoke(TokenId::from_random([9; 8])).await.unwrap());
}

#[tokio::test]
async fn d7_a_database_that_refuses_neither_lets_in_nor_keeps_a_token_from_being_taken_back() {
    let Setup { tokens, shelf, .. } = setup();
    let known = tokens.make("known", Scope::All, None).await.unwrap();
    let unknown = tokens.make("unknown", Scope::All, None).await.unwrap();
    assert!(is_right(&tokens, &known.secret).await);
    shelf.refuses.store(true, Ordering::SeqCst);
    assert!(is_right(&tokens, &known.secret).await, "those in use go on");
    assert!(matches!(tokens.check(&unknown.secret).await, Err(CheckError::Unavailable(_))));
    assert!(tokens.make("c", Scope::All, None).await.is_err());
    assert!(tokens.revoke(known.token.id).await.is_err());
    shelf.refuses.store(false, Ordering::SeqCst);
    assert!(!is_right(&tokens, &known.secret).await);
    assert!(is_right(&tokens, &unknown.secret).await, "without a restart");
}

#[tokio::test]
async fn the_owners_token_stays_the_same_whatever_happens_to_the_database() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    let Setup { tokens, shelf, .. } = setup();
    let first = tokens.owner(&path).await.unwrap();
    assert!(matches!(&first.place, Place::File(at) if *at == path));
    assert_eq!(fs::read_to_string(&path).unwrap().trim_end(), first.secret.expose());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(tokens.check(&first.secret).await.unwrap().is_owner());

    shelf.refuses.store(true, Ordering::SeqCst);
    let (rebuilt, refusing) = (setup(), setup_with(shelf));
    for later in [rebuilt, refusing] {
        later.pace.set(1000);
        let again = later.tokens.owner(&path).await.unwrap();
        assert_eq!(again.secret.expose(), first.secret.expose());
        assert!(is_right(&later.tokens, &first.secret).await);
        assert!(!is_right(&later.tokens, &wrong(&first.secret)).await);
    }
}

#[tokio::test]
async fn an_owners_token_that_is_no_secret_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    let mut last = setup().tokens.owner(&path).await.unwrap().secret;
    let spoil: [&dyn Fn(); 4] = [
        &|| fs::remove_file(&path).unwrap(),
        &|| fs::write(&path, "nonsense").unwrap(),
        &|| fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap(),
        &|| {
            fs::rename(&path, dir.path().join("elsewhere")).unwrap();
            std::os::unix::fs::symlink("elsewhere", &path).unwrap();
        },
    ];
    for spoil in spoil {
        spoil();
        let tokens = setup().tokens;
        let next = tokens.owner(&path).await.unwrap().secret;
        assert_ne!(next.expose(), last.expose());
        assert!(is_right(&tokens, &next).await && !is_right(&tokens, &last).await);
        last = next;
    }
}

#[tokio::test]
async fn d8_without_a_disk_the_owners_token_is_in_memory() {
    let Setup { tokens, .. } = setup();
    let owner = tokens.owner("/proc/none/token".as_ref()).await.unwrap();
    assert!(matches!(owner.place, Place::Memory { .. }));
    assert!(is_right(&tokens, &owner.secret).await);
}

#[tokio::test]
async fn s6_the_owners_token_is_taken_back_by_giving_another() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    let Setup { tokens, .. } = setup();
    let first = tokens.owner(&path).await.unwrap().secret;
    assert_eq!(tokens.list().await.unwrap()[0].id, first.id());
    assert!(tokens.revoke(first.id()).await.unwrap());
    assert!(!is_right(&tokens, &first).await);
    let second: Secret = fs::read_to_string(&path).unwrap().trim_end().parse().unwrap();
    assert!(is_right(&tokens, &second).await);
    let later = setup().tokens;
    later.owner(&path).await.unwrap();
    assert!(!is_right(&later, &first).await && is_right(&later, &second).await);
}
