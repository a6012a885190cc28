use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use store::{Database, Verifier};

use super::*;
use crate::gate::Wait;

/// Longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(30);

/// A clock that the test sets by hand. Its waits never end.
struct HandPace {
    start: Instant,
    wall: Mutex<Timestamp>,
}

impl HandPace {
    fn set(&self, days: i64) {
        *self.wall.lock().unwrap() = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * days);
    }
}

impl Clock for HandPace {
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

/// A database that counts its look-ups, and fails when the test wants it to.
struct Shelf {
    store: Database,
    finds: AtomicUsize,
    touched: AtomicBool,
    refuses: AtomicBool,
}

impl Shelf {
    fn open(&self) -> Result<&Database, StoreError> {
        match self.refuses.load(Ordering::SeqCst) {
            true => Err(StoreError::Unavailable { reason: Trouble::Full }),
            false => Ok(&self.store),
        }
    }
}

impl TokenStore for Shelf {
    fn add_token(
        &self,
        owner: OwnerId,
        token: &store::NewToken,
        now: Timestamp,
    ) -> Result<Token, StoreError> {
        self.open()?.of(owner).add_token(token, now)
    }

    fn token_for_check(&self, id: TokenId) -> Result<Option<(Token, Verifier)>, StoreError> {
        self.finds.fetch_add(1, Ordering::SeqCst);
        self.open()?.token_for_check(id)
    }

    fn tokens(&self, owner: OwnerId) -> Result<Vec<Token>, StoreError> {
        self.open()?.of(owner).tokens()
    }

    fn revoke_token(&self, owner: OwnerId, id: TokenId, now: Timestamp) -> Result<Token, StoreError> {
        self.open()?.of(owner).revoke_token(id, now)
    }

    fn touch_token(&self, owner: OwnerId, id: TokenId, now: Timestamp) -> Result<(), StoreError> {
        self.open()?.of(owner).touch_token(id, now)?;
        self.touched.store(true, Ordering::SeqCst);
        Ok(())
    }
}

struct Setup {
    tokens: Tokens,
    shelf: Arc<Shelf>,
    clock: Arc<HandPace>,
}

fn setup() -> Setup {
    setup_with(Arc::new(Shelf {
        store: Database::in_memory(),
        finds: AtomicUsize::new(0),
        touched: AtomicBool::new(false),
        refuses: AtomicBool::new(false),
    }))
}

/// A setup as after a restart: it shares only the database.
fn setup_with(shelf: Arc<Shelf>) -> Setup {
    let clock = Arc::new(HandPace { start: Instant::now(), wall: Mutex::new(Timestamp::UNIX_EPOCH) });
    Setup { tokens: Tokens::new(shelf.clone(), clock.clone()), shelf, clock }
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
    let made = tokens.make(OwnerId::ONLY, "a \u{1b}[31mbrowser", Scope::All, None).await.unwrap();
    let principal = tokens.check(&made.secret).await.unwrap();
    assert!(principal.is_owner());
    assert_eq!(principal.actor, format!("a �[31mbrowser ({})", made.token.id));
    assert!(!is_right(&tokens, &wrong(&made.secret)).await);
    assert!(!is_right(&tokens, &Secret::random().unwrap()).await);
    let (kept, hash) = shelf.token_for_check(made.token.id).unwrap().unwrap();
    assert_eq!(hash, Verifier::Hash(made.secret.hash()));
    assert!(!format!("{kept:?}").contains(&made.secret.expose()[15..]));
}

#[tokio::test]
async fn a_token_in_use_is_looked_up_once() {
    let Setup { tokens, shelf, .. } = setup();
    let made = tokens.make(OwnerId::ONLY, "a", Scope::All, None).await.unwrap();
    for _ in 0..10 {
        assert!(is_right(&tokens, &made.secret).await);
        assert!(!is_right(&tokens, &wrong(&made.secret)).await);
    }
    assert_eq!(shelf.finds.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn s6_a_token_expires() {
    let Setup { tokens, clock, .. } = setup();
    let end = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24);
    let made = tokens.make(OwnerId::ONLY, "a", Scope::All, Some(end)).await.unwrap();
    assert!(is_right(&tokens, &made.secret).await);
    let over = tokens.over(&tokens.check(&made.secret).await.unwrap());
    clock.set(1);
    assert!(!is_right(&tokens, &made.secret).await);
    tokio::time::timeout(DEADLINE, over).await.expect("`over` ends with the token");
}

#[tokio::test]
async fn s6_a_token_that_is_not_used_for_90_days_expires() {
    let Setup { tokens, shelf, .. } = setup();
    let made = tokens.make(OwnerId::ONLY, "a", Scope::All, None).await.unwrap();
    let later = setup_with(shelf.clone());
    later.clock.set(89);
    assert!(is_right(&later.tokens, &made.secret).await);
    while !shelf.touched.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    let later = setup_with(shelf.clone());
    later.clock.set(89 + 89);
    assert!(is_right(&later.tokens, &made.secret).await, "the token was used in between");
    let later = setup_with(shelf);
    later.clock.set(1000);
    assert!(!is_right(&later.tokens, &made.secret).await);
}

#[tokio::test]
async fn r4_a_jump_of_the_clock_does_not_end_tokens_in_use() {
    let Setup { tokens, clock, .. } = setup();
    let made = tokens.make(OwnerId::ONLY, "a", Scope::All, None).await.unwrap();
    assert!(is_right(&tokens, &made.secret).await);
    clock.set(10_000);
    assert!(is_right(&tokens, &made.secret).await);
}

#[tokio::test]
async fn s6_revoking_a_token_ends_it_at_once_and_for_good() {
    let Setup { tokens, shelf, .. } = setup();
    let made = tokens.make(OwnerId::ONLY, "a", Scope::All, None).await.unwrap();
    let other = tokens.make(OwnerId::ONLY, "b", Scope::All, None).await.unwrap();
    let over = tokio::spawn(tokens.over(&tokens.check(&made.secret).await.unwrap()));
    let stays = tokio::spawn(tokens.over(&tokens.check(&other.secret).await.unwrap()));
    assert!(tokens.revoke(OwnerId::ONLY, made.token.id).await.unwrap());
    tokio::time::timeout(DEADLINE, over).await.expect("`over` ends with the token").unwrap();
    assert!(!is_right(&tokens, &made.secret).await);
    assert!(is_right(&tokens, &other.secret).await);
    assert!(!stays.is_finished());
    assert!(!is_right(&setup_with(shelf).tokens, &made.secret).await, "after a restart too");
    assert!(!tokens.revoke(OwnerId::ONLY, TokenId::from_random([9; 8])).await.unwrap());
}

#[tokio::test]
async fn d7_a_failing_database_admits_no_token_and_does_not_stop_a_revocation() {
    let Setup { tokens, shelf, .. } = setup();
    let known = tokens.make(OwnerId::ONLY, "known", Scope::All, None).await.unwrap();
    let unknown = tokens.make(OwnerId::ONLY, "unknown", Scope::All, None).await.unwrap();
    assert!(is_right(&tokens, &known.secret).await);
    shelf.refuses.store(true, Ordering::SeqCst);
    assert!(is_right(&tokens, &known.secret).await, "tokens in use stay valid");
    assert!(matches!(tokens.check(&unknown.secret).await, Err(CheckError::Unavailable(_))));
    assert!(tokens.make(OwnerId::ONLY, "c", Scope::All, None).await.is_err());
    assert!(tokens.revoke(OwnerId::ONLY, known.token.id).await.is_err());
    shelf.refuses.store(false, Ordering::SeqCst);
    assert!(!is_right(&tokens, &known.secret).await);
    assert!(is_right(&tokens, &unknown.secret).await, "without a restart");
}

#[tokio::test]
async fn the_owners_token_stays_the_same_when_the_database_is_lost_or_fails() {
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
        later.clock.set(1000);
        let again = later.tokens.owner(&path).await.unwrap();
        assert_eq!(again.secret.expose(), first.secret.expose());
        assert!(is_right(&later.tokens, &first.secret).await);
        assert!(!is_right(&later.tokens, &wrong(&first.secret)).await);
    }
}

#[tokio::test]
async fn the_owners_token_is_replaced_if_its_file_is_invalid_or_not_private() {
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
async fn d8_if_the_disk_refuses_the_owners_token_is_in_memory() {
    let Setup { tokens, .. } = setup();
    let owner = tokens.owner("/proc/none/token".as_ref()).await.unwrap();
    assert!(matches!(owner.place, Place::Memory { .. }));
    assert!(is_right(&tokens, &owner.secret).await);
}

#[tokio::test]
async fn s6_revoking_the_owners_token_puts_a_new_one_into_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    let Setup { tokens, .. } = setup();
    let first = tokens.owner(&path).await.unwrap().secret;
    assert_eq!(tokens.list(OwnerId::ONLY).await.unwrap()[0].id, first.id());
    assert!(tokens.revoke(OwnerId::ONLY, first.id()).await.unwrap());
    assert!(!is_right(&tokens, &first).await);
    let second: Secret = fs::read_to_string(&path).unwrap().trim_end().parse().unwrap();
    assert!(is_right(&tokens, &second).await);
    let later = setup().tokens;
    later.owner(&path).await.unwrap();
    assert!(!is_right(&later, &first).await && is_right(&later, &second).await);
}

#[tokio::test]
async fn an_owner_lists_and_revokes_only_their_own_tokens() {
    let Setup { tokens, shelf, clock } = setup();
    let other = OwnerId::from_random([7; 8]);
    let mine = tokens.make(OwnerId::ONLY, "mine", Scope::All, None).await.unwrap();
    let theirs = tokens.make(other, "theirs", Scope::All, None).await.unwrap();
    assert_eq!(tokens.check(&theirs.secret).await.unwrap().owner, other);
    assert_eq!(tokens.list(other).await.unwrap().len(), 1);
    for tokens in [tokens, setup_with(shelf.clone()).tokens] {
        assert!(!tokens.revoke(OwnerId::ONLY, theirs.token.id).await.unwrap());
        assert!(tokens.check(&theirs.secret).await.is_ok(), "an owner cannot revoke another owner's token");
    }
    let tokens = setup_with(shelf).tokens;
    assert!(tokens.revoke(other, theirs.token.id).await.unwrap());
    assert!(tokens.check(&theirs.secret).await.is_err());
    assert!(tokens.check(&mine.secret).await.is_ok());
    drop(clock);
}
