//! How many forecasts came true, by team and in all: what a new one is worth.

use imbl::OrdMap;
use serde::{Deserialize, Serialize};

use crate::base::{Mono, Name, Span};
use crate::model::job::{Job, Reservation};

/// So many must have been judged before anything is said.
const ENOUGH: u32 = 10;
/// After so many both counts are halved, so that later ones weigh more.
const MANY: u32 = 1000;
/// A start so much too early or too late is right.
const SLACK: Span = Span::secs(60);

/// Forecasts that were judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    right: u32,
    all: u32,
}

impl Count {
    fn note(&mut self, right: bool) {
        if self.all >= MANY {
            *self = Count { right: self.right / 2, all: self.all / 2 };
        }
        self.right += u32::from(right);
        self.all += 1;
    }

    fn percent(self) -> Option<u8> {
        let percent = u64::from(self.right) * 100 / u64::from(self.all.max(1));
        (self.all >= ENOUGH).then(|| u8::try_from(percent).unwrap_or(100))
    }
}

/// How many forecasts came true.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hits {
    all: Count,
    teams: OrdMap<Name, Count>,
}

impl Hits {
    /// A job starts: was the forecast right that it got with its reservation?
    pub fn note(&mut self, job: &Job, now: Mono) {
        // What was expected while people were asked says nothing of how well ends are foreseen.
        let own = job.reserved.as_deref().filter(|held| held.since.now >= job.since.now);
        let Some(reserved) = own else { return };
        let right = came_true(reserved, now);
        self.all.note(right);
        self.teams.entry(job.spec.team.clone()).or_default().note(right);
    }

    /// What a forecast for a team is worth: as many of a hundred came true.
    pub fn percent(&self, team: &str) -> Option<u8> {
        self.teams.get(team).and_then(|count| count.percent()).or(self.all.percent())
    }
}

/// Whether a start lies within the first forecast, or a minute or a tenth of the way off.
fn came_true(reserved: &Reservation, now: Mono) -> bool {
    let (from, to) = reserved.first;
    let slack = SLACK.max(to.since(reserved.since.now).percent(10));
    now + slack >= from && now <= to + slack
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_of_few_and_later_ones_weigh_more() {
        let mut count = Count::default();
        (0..9).for_each(|_| count.note(true));
        assert_eq!(count.percent(), None);
        count.note(false);
        assert_eq!(count.percent(), Some(90));
        (0..2000).for_each(|_| count.note(false));
        assert!(count.all <= MANY + 1 && count.percent() == Some(0), "{count:?}");
    }
}
