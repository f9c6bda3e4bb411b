//! Forecasts of starts for readers: made beside the loop, once for each state of the world.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::base::{At, JobId, Mono, Span};
use crate::engine::assemble::Published;
use crate::engine::handle::lock;
use crate::model::estimate::Forecast;
use crate::sched::future::forecast::{FORECASTS, forecasts};

/// Forecasts are made anew after this even if nothing happened: what is late moves them.
const FRESH: Span = Span::secs(5);

/// With more jobs than this waiting they are so old at least before they are made anew, whatever
/// happened: many events a second must not mean as many forecasts of a thousand jobs.
const MANY: u64 = 256;
/// So old.
const AGED: Span = Span::secs(2);

/// When jobs will probably start.
pub(super) type Forecasts = Arc<BTreeMap<JobId, Forecast>>;

/// The last forecasts.
#[derive(Default)]
pub(super) struct Foresight {
    last: Mutex<Option<(u64, Mono, Forecasts)>>,
}

impl Foresight {
    /// When the first waiting jobs of a world will probably start.
    pub(super) fn of(&self, published: &Published, at: At) -> Forecasts {
        // Whoever comes meanwhile waits for the same answer.
        let mut last = lock(&self.last);
        let many = published.world.index().counts().queued > MANY;
        if let Some((seq, then, all)) = &*last {
            let age = at.now.since(*then);
            if (*seq == published.seq && age < FRESH) || (many && age < AGED) {
                return all.clone();
            }
        }
        let all = Arc::new(forecasts(&published.world, at, FORECASTS));
        *last = Some((published.seq, at.now, all.clone()));
        all
    }
}
