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
        if let Some((seq, then, all)) = &*last
            && *seq == published.seq
            && at.now.since(*then) < FRESH
        {
            return all.clone();
        }
        let all = Arc::new(forecasts(&published.world, at, FORECASTS));
        *last = Some((published.seq, at.now, all.clone()));
        all
    }
}
