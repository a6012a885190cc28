//! The decision of a policy, as a pure function.

use model::WorkerId;

use super::{Policy, SocketOf};
use crate::problem::Failure;
use crate::tokens::Principal;

impl Policy {
    /// Decides about a request. `principal` is none if the request carries no secret. `worker` is the one that the path
    /// names.
    ///
    /// # Errors
    ///
    /// The reason for the refusal.
    pub(crate) fn decide(
        self,
        principal: Option<&Principal>,
        worker: Option<WorkerId>,
    ) -> Result<(), Failure> {
        if self == Policy::Public {
            return Ok(());
        }
        let principal = principal.ok_or_else(Failure::unauthenticated)?;
        let right = match self {
            Policy::Public => true,
            Policy::Owner | Policy::Socket { of: SocketOf::Owner, .. } => principal.is_owner(),
            Policy::Worker { .. } | Policy::Socket { of: SocketOf::Worker, .. } => {
                if !principal.is_owner() && !worker.is_some_and(|worker| principal.may_watch(worker)) {
                    return Err(Failure::not_found("worker"));
                }
                let drives = matches!(self, Policy::Worker { drive: true });
                !drives || principal.is_owner() || worker.is_some_and(|worker| principal.may_drive(worker))
            }
        };
        if right { Ok(()) } else { Err(Failure::forbidden()) }
    }

    /// Whether the secret may come later, as the first message.
    pub(crate) fn may_say_later(self) -> bool {
        matches!(self, Policy::Socket { first_frame: true, .. })
    }

    /// Whether the decision depends on the worker that the path names.
    pub(crate) fn names_a_worker(self) -> bool {
        matches!(self, Policy::Worker { .. } | Policy::Socket { of: SocketOf::Worker, .. })
    }
}

#[cfg(test)]
mod tests {
    use api::ErrorCode;
    use model::{OwnerId, TokenId};
    use store::Scope;

    use super::*;

    fn principal(scope: Scope) -> Principal {
        let (token, actor) = (TokenId::from_random([1; 8]), "someone".into());
        Principal { token, owner: OwnerId::ONLY, scope, actor, expires_at: None }
    }

    #[test]
    fn s8_every_policy_for_every_principal_and_worker() {
        let own = WorkerId::from_random([1; 8]);
        let other = WorkerId::from_random([2; 8]);
        let owner = principal(Scope::All);
        let driver = principal(Scope::Worker { worker: own, drive: true });
        let watcher = principal(Scope::Worker { worker: own, drive: false });
        let socket = |of| Policy::Socket { of, first_frame: true };
        let (ok, no) = ("ok", "forbidden");
        // For each policy: no token, the owner, a driver and a watcher of `own`. First at `own`, then at another worker
        // or none.
        let table = [
            (Policy::Public, [ok, ok, ok, ok], [ok, ok, ok, ok]),
            (Policy::Owner, ["login", ok, no, no], ["login", ok, no, no]),
            (Policy::Worker { drive: true }, ["login", ok, ok, no], ["login", ok, "hidden", "hidden"]),
            (Policy::Worker { drive: false }, ["login", ok, ok, ok], ["login", ok, "hidden", "hidden"]),
            (socket(SocketOf::Owner), ["login", ok, no, no], ["login", ok, no, no]),
            (socket(SocketOf::Worker), ["login", ok, ok, ok], ["login", ok, "hidden", "hidden"]),
        ];
        for (policy, at_own, elsewhere) in table {
            for (worker, expected) in [(Some(own), at_own), (Some(other), elsewhere), (None, elsewhere)] {
                let found = [None, Some(&owner), Some(&driver), Some(&watcher)].map(|who| {
                    match policy.decide(who, worker).map_err(|failure| failure.0.code()) {
                        Ok(()) => "ok",
                        Err(ErrorCode::Unauthenticated) => "login",
                        Err(ErrorCode::Forbidden) => "forbidden",
                        Err(ErrorCode::NotFound) => "hidden",
                        Err(other) => panic!("{other:?}"),
                    }
                });
                assert_eq!(found, expected, "{policy:?} at {worker:?}");
            }
        }
    }
}
