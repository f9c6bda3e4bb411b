//! Elements of an array that are in the same place share a row.

use std::collections::BTreeMap;

use crate::base::JobId;
use crate::model::State;
use crate::model::job::Outcome;
use crate::model::page::JobRow;
use crate::view::words::state_short;

/// One row of the list: a job, or elements of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded<'a> {
    /// The job, or the first of the elements.
    pub row: &'a JobRow,
    /// How many jobs the row stands for.
    pub count: usize,
    /// There may be more on the next page.
    pub open: bool,
    /// GPUs of all of them, in thousandths.
    pub gpu_milli: u64,
}

/// Folds elements of the same array with the same state word. What asks or failed is never
/// folded: each needs somebody's eyes.
pub fn fold<'a>(rows: &[&'a JobRow], page_goes_on: bool) -> Vec<Folded<'a>> {
    let mut out: Vec<Folded<'a>> = Vec::with_capacity(rows.len());
    let mut place: BTreeMap<(JobId, &str), usize> = BTreeMap::new();
    for row in rows {
        let gpu_milli = row.request.gpu_milli.saturating_mul(u64::from(row.gang.size));
        let single = Folded { row, count: 1, open: false, gpu_milli };
        let key = row.array.filter(|_| may_fold(row)).map(|array| (array.id, state_short(row)));
        let Some(key) = key else {
            out.push(single);
            continue;
        };
        let at = *place.entry(key).or_insert(out.len());
        match out.get_mut(at) {
            Some(folded) => {
                folded.count += 1;
                folded.open = page_goes_on;
                folded.gpu_milli = folded.gpu_milli.saturating_add(gpu_milli);
            }
            None => out.push(single),
        }
    }
    out
}

fn may_fold(row: &JobRow) -> bool {
    let good = |how| matches!(how, Outcome::Succeeded | Outcome::Cancelled);
    row.prompt.is_none()
        && row.findings.is_empty()
        && !matches!(row.state, State::Ended(how) if !good(how))
}
