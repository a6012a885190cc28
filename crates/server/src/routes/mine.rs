//! The server, limited to one owner.

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::app::App;
use crate::problem::Failure;
use crate::tokens::Principal;

/// The server, for the owner of the request's token. Handlers read and change only this owner's things.
pub(crate) struct Mine(pub(crate) App);

impl FromRequestParts<App> for Mine {
    type Rejection = Failure;

    async fn from_request_parts(head: &mut Parts, app: &App) -> Result<Mine, Failure> {
        let who = head.extensions.get::<Principal>().ok_or_else(Failure::unauthenticated)?;
        Ok(Mine(app.working_for(who)))
    }
}
