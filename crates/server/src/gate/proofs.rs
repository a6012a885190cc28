//! How a page registers its key, says hello and proves itself on a socket.

use api::{ErrorCode, HelloAnswer, HelloRequest, OpenBond, ProofMessage, RegisterDevice};
use model::TokenId;
use proof::{Bond, Hello, Mac, PublicKey, ServerSide, SignIn, Signature, SocketChallenge, bytes_of, text_of};
use store::Token;

use super::bonds::NotOpened;
use super::browser_name::browser_name;
use super::{Caller, Gate};
use crate::problem::Failure;
use crate::tokens::{CheckError, Device, Principal};

/// The longest name and port that a page can have of ours. It is enough for every `Host`.
const MOST_AUTHORITY_BYTES: usize = 300;

/// A browser that has just signed in.
pub(crate) struct Registered {
    /// The device's token.
    pub(crate) token: Token,
    /// The server's public key.
    pub(crate) server_key: PublicKey,
    /// Shows that the server knows the code.
    pub(crate) mac: Mac,
}

impl Caller {
    /// Registers a browser's key, if the page shows that it knows an open code. The device has the browser's name.
    ///
    /// # Errors
    ///
    /// When the code is not shown (this answer is delayed if it happens often), when the page's address is not ours, or
    /// when the device cannot be saved.
    pub(crate) async fn register(
        &self,
        asked: &RegisterDevice,
        user_agent: Option<&str>,
    ) -> Result<Registered, Failure> {
        let gate = self.gate();
        let (sign_in, mac) = read_sign_in(asked).ok_or_else(unreadable)?;
        let side = gate.side(&sign_in.authority)?;
        let taken = gate.0.codes.take_shown(
            &sign_in.code,
            |code| code.is_by_page(&sign_in, &mac),
            gate.0.clock.now(),
        );
        let Some((owner, code)) = taken else { return Err(self.wrong_code().await) };
        let device = Device { key: sign_in.key, authority: sign_in.authority.clone() };
        let name = browser_name(user_agent.unwrap_or_default());
        let token = gate.tokens().add_device(owner, &name, device).await.map_err(|error| {
            tracing::warn!(%error, "cannot save a browser's key");
            Failure::new(ErrorCode::Unavailable, "the server cannot save this browser's key now")
        })?;
        let server_key = side.public();
        let mac = code.by_server(&sign_in, &server_key, token.id.as_str());
        Ok(Registered { token, server_key, mac })
    }

    /// Answers a hello. It says nothing about the device, not even whether there is one.
    ///
    /// # Errors
    ///
    /// When the hello cannot be read, or is meant for another address.
    pub(crate) fn answer_hello(&self, asked: &HelloRequest) -> Result<HelloAnswer, Failure> {
        let gate = self.gate();
        let (_, hello) = read_hello(asked).ok_or_else(unreadable)?;
        let answer = gate.side(&hello.authority)?.answer(&hello, gate.0.bonds.stamp(gate.0.clock.now()));
        Ok(HelloAnswer {
            key: text_of(answer.key.as_bytes()),
            stamp: answer.stamp,
            signature: text_of(answer.signature.as_bytes()),
        })
    }

    /// Opens a bond, if the device has signed the hello and the server's answer to it.
    ///
    /// # Errors
    ///
    /// When the device is not signed in, or its signature is wrong, late or used already.
    pub(crate) async fn open_bond(&self, asked: &OpenBond) -> Result<(Mac, TokenId), Failure> {
        let gate = self.gate();
        let (id, hello) = read_hello(&asked.hello).ok_or_else(unreadable)?;
        let signature = bytes_of(&asked.signature).map(Signature::from_bytes).ok_or_else(unreadable)?;
        let side = gate.side(&hello.authority)?;
        if !gate.0.bonds.is_in_time(asked.stamp, gate.0.clock.now()) {
            return Err(Failure::bond_over());
        }
        let device = match gate.tokens().device(id).await {
            Ok(device) => device,
            Err(CheckError::Wrong) => return Err(self.wrong_guess().await),
            Err(error) => return Err(Failure::unchecked(&error)),
        };
        // A key counts only where its browser signed in.
        let at_home = device.authority == hello.authority;
        let bond = side.accept(&hello, asked.stamp, &device.key, &signature).filter(|_| at_home);
        let Some(bond) = bond else { return Err(self.wrong_guess().await) };
        let who = gate.tokens().principal_of(id).await.map_err(|error| Failure::unchecked(&error))?;
        let opened = bond.opened();
        match gate.0.bonds.open(bond, id, gate.0.clock.now()) {
            Ok(()) => {
                self.admit(&who)?;
                Ok((opened, id))
            }
            Err(NotOpened::Again) => Err(self.wrong_guess().await),
            Err(NotOpened::TooMany) => Err(Failure::new(
                ErrorCode::Unavailable,
                "this browser has opened too many pages within half a minute",
            )
            .hint("wait a moment, then reload the page")),
        }
    }

    /// Checks a page's answer to a socket's challenge. Returns the principal, and the server's own message.
    pub(super) async fn prove(
        &self,
        target: &str,
        by_server: &proof::Nonce,
        text: &str,
    ) -> Result<(Principal, String), Failure> {
        let gate = self.gate();
        let Ok(ProofMessage::Prove { bond, challenge, mac }) = serde_json::from_str(text) else {
            return Err(self.wrong_guess().await);
        };
        let read = bytes_of(&bond).zip(bytes_of(&challenge)).zip(bytes_of(&mac));
        let Some(((id, by_page), mac)) = read else { return Err(self.wrong_guess().await) };
        let found = gate.0.bonds.find(&id, gate.0.clock.now());
        let (bond, device): (Bond, TokenId) = found.ok_or_else(Failure::bond_over)?;
        let challenge = SocketChallenge { target, by_server, by_page: &by_page };
        if !bond.is_socket_by_page(&challenge, &mac) {
            return Err(self.wrong_guess().await);
        }
        let who = gate.tokens().principal_of(device).await.map_err(|error| Failure::unchecked(&error))?;
        self.admit(&who)?;
        let mac = text_of(&bond.socket_by_server(&challenge));
        let proved = serde_json::to_string(&ProofMessage::Proved { mac });
        Ok((who, proved.expect("our messages can be written as JSON")))
    }
}

impl Gate {
    /// The server's side, for a page at this address. A page at another address is not ours: it may pass on what we
    /// say to a browser that trusts us.
    fn side(&self, authority: &str) -> Result<&ServerSide, Failure> {
        let Some(side) = &self.0.side else {
            return Err(Failure::new(ErrorCode::Unavailable, "this server has no key"));
        };
        if !self.names().is_host(authority.as_bytes()) {
            return Err(Failure::new(ErrorCode::Misdirected, "this server does not have that name")
                .hint(format!("its address is {}", self.names().page_url())));
        }
        Ok(side)
    }
}

fn read_sign_in(asked: &RegisterDevice) -> Option<(SignIn, Mac)> {
    let sign_in = SignIn {
        code: bytes_of(&asked.code)?,
        key: public_key(&asked.key)?,
        nonce: bytes_of(&asked.nonce)?,
        authority: authority(&asked.authority)?,
    };
    Some((sign_in, bytes_of(&asked.mac)?))
}

fn read_hello(asked: &HelloRequest) -> Option<(TokenId, Hello)> {
    let id: TokenId = asked.device.parse().ok()?;
    let hello = Hello {
        device: asked.device.clone(),
        authority: authority(&asked.authority)?,
        key: public_key(&asked.key)?,
        nonce: bytes_of(&asked.nonce)?,
    };
    Some((id, hello))
}

fn public_key(text: &str) -> Option<PublicKey> {
    PublicKey::from_bytes(&bytes_of::<{ PublicKey::BYTES }>(text)?)
}

fn authority(text: &str) -> Option<String> {
    (text.len() <= MOST_AUTHORITY_BYTES).then(|| text.to_owned())
}

fn unreadable() -> Failure {
    Failure::new(ErrorCode::InvalidBody, "a key, a code or a signature cannot be read")
}
