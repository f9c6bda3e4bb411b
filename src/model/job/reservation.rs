//! Room that is kept for a waiting job from a computed time on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::{At, Mono, Name};
use crate::model::Resources;

/// Room that is kept for a waiting job from a computed time on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// From when on: what runs has ended by then, nine times of ten.
    pub at: Mono,
    /// When it could start if all took as long as half of them do.
    pub from: Mono,
    /// What is kept, by node.
    pub room: BTreeMap<Name, Resources>,
    /// Since when it has one.
    pub since: At,
    /// When its room was last chosen.
    #[serde(default)]
    pub chosen: Mono,
    /// The first forecast that came with it: a start between these.
    pub first: (Mono, Mono),
    /// How often it had to be put off.
    #[serde(default)]
    pub moves: u32,
}

impl Reservation {
    /// The one that follows it with another time or other room.
    pub fn moved(
        &self,
        (at, from): (Mono, Mono),
        room: BTreeMap<Name, Resources>,
        chosen: Mono,
    ) -> Reservation {
        let moves = self.moves + u32::from(at > self.at);
        Reservation { at, from, room, moves, chosen, ..self.clone() }
    }
}
