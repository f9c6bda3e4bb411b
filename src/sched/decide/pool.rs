//! What came of making or taking away a node of a pool.

use crate::base::Name;
use crate::model::Fact;
use crate::model::pool::Stage;
use crate::sched::actions::pools;
use crate::sched::plan::Plan;

/// Takes the answer of a pool's command.
pub(super) fn answered(plan: &mut Plan, node: &Name, up: bool, failed: Option<&str>) {
    let pools = plan.world().pools.iter();
    let found = pools.filter_map(|(pool, state)| Some((pool.clone(), state.members.get(node)?)));
    let Some((name, stage)) = found.map(|(pool, member)| (pool, member.stage)).next() else {
        return;
    };
    if let Some(said) = failed {
        let (pool, node, said) = (name.clone(), node.clone(), said.to_owned());
        plan.note(Fact::PoolFailed { pool, node, up, said });
    }
    let pool = plan.world().setup().pools.iter().find(|pool| pool.name == name).cloned();
    match (stage, up, failed, pool) {
        (Stage::Coming, true, None, Some(pool)) => pools::here(plan, &pool, node),
        // Whether it really went or not: nothing is placed there any more.
        (Stage::Going, false, _, _) => pools::gone(plan, node),
        _ => {}
    }
}
