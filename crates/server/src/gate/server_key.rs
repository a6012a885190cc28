//! The server's own key, by which browsers know it.

use std::io;
use std::path::Path;

use proof::{PrivateKey, RunSecret, ServerSide, bytes_of, text_of};

/// How many numbers are tried. All but one in four thousand million are valid keys.
const TRIES: usize = 8;

/// The server's side of all proofs, and what the user must be told about its key.
#[derive(Debug)]
pub struct ServerKey {
    /// The side.
    pub side: ServerSide,
    /// Why the key is only in memory, if so. Then browsers must sign in again after a restart.
    pub unsaved: Option<io::Error>,
}

impl ServerKey {
    /// Reads the server's key from its file. If the file has no valid key, or if other users could read it, makes a new
    /// one. Then no browser knows the server any more, and each must sign in again.
    ///
    /// # Errors
    ///
    /// When the machine has no random bytes.
    pub fn open(path: &Path) -> Result<ServerKey, home::StartError> {
        let run = RunSecret::new(home::random_bytes()?);
        let text = files::read_private(path).ok().flatten().unwrap_or_default();
        if let Some(key) = bytes_of(text.trim_end()).and_then(|bytes| PrivateKey::from_bytes(&bytes)) {
            return Ok(ServerKey { side: ServerSide::new(key, run), unsaved: None });
        }
        let key = random_key()?;
        let unsaved =
            files::replace_private(path, format!("{}\n", text_of(&key.to_bytes())).as_bytes()).err();
        Ok(ServerKey { side: ServerSide::new(key, run), unsaved })
    }
}

fn random_key() -> Result<PrivateKey, home::StartError> {
    for _ in 0..TRIES {
        if let Some(key) = PrivateKey::from_bytes(&home::random_bytes()?) {
            return Ok(key);
        }
    }
    Err(home::StartError::Random(io::Error::other("no random number is a valid key")))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn public(path: &Path) -> proof::PublicKey {
        ServerKey::open(path).unwrap().side.public()
    }

    #[test]
    fn s18_the_servers_key_stays_the_same_in_a_private_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("server-key");
        let first = public(&path);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(public(&path), first);
        let spoil: [&dyn Fn(); 3] = [
            &|| fs::write(&path, "nonsense").unwrap(),
            &|| fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap(),
            &|| fs::remove_file(&path).unwrap(),
        ];
        let mut last = first;
        for spoil in spoil {
            spoil();
            let next = public(&path);
            assert_ne!(next, last);
            last = next;
        }
    }

    #[test]
    fn d8_a_key_that_cannot_be_saved_is_in_memory() {
        assert!(ServerKey::open("/proc/none/server-key".as_ref()).unwrap().unsaved.is_some());
    }
}
