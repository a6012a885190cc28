//! Takes in what the hooks of agents told.

use api::Problem;
use model::WorkerId;

use crate::rooms::Workers;

impl Workers {
    /// The hooks of a worker's agent have left something new.
    pub(crate) async fn hooked(&self, id: WorkerId) -> Result<(), Problem> {
        let Some(since) = self.lives().hooks_heard(id) else { return Ok(()) };
        let (events, cursor) = self.node().hook_events(id, since).await?;
        // A part of an agent that works for it has the same conversation.
        let told = events.iter().rev().find_map(|event| event.event.get("session_id")?.as_str());
        if let Some(told) = told
            && since != cursor
        {
            self.node().told_conversation(id, told.to_owned()).await;
        }
        let change = self.lives().hook(self.owner(), id, since, cursor, &events);
        self.note(id, change);
        Ok(())
    }
}
