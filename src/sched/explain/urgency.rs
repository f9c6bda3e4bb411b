//! Reasons that lie in whose turn it is: boosts, deadlines, whose priority a job has; and
//! resources that nobody may take for now.

use crate::base::Name;
use crate::model::reason::{Code, Reason};
use crate::model::setup::Limited;

/// Nobody may take units of a countable resource for now.
pub(super) fn limited(name: &Name, limited: &Limited) -> Reason {
    let mut reason = Reason::bare(Code::Limited)
        .with("resource", &**name)
        .with("until_at", limited.until.0)
        .with("by", &*limited.by);
    if let Some(job) = limited.job {
        reason = reason.with("job", job.0);
    }
    if let Some(why) = &limited.reason {
        reason = reason.with("why", why.clone());
    }
    reason
}
