//! Spot nodes: who goes there, and what a warning does.

use holdshort::base::{Name, Span};
use holdshort::model::command::Command;
use holdshort::model::fact::Rule;
use holdshort::model::job::{Exit, State, StopFor};
use holdshort::model::node::Traits;
use holdshort::model::refusal::{Refusal, RefusalCode};
use holdshort::model::{Effect, Resources};
use holdshort::sched::effects;

use super::world::{GIB, Site, inside, owner, person};

/// A plain node `a` of one core and a spot node `s` of two.
fn site() -> Site {
    let mut site = Site::bare();
    site.node("a", 1, 64, 0);
    spot_node(&mut site, true);
    site
}

fn spot_node(site: &mut Site, spot: bool) {
    let capacity = Resources { cpu_milli: 2000, mem_bytes: 64 * GIB, ..Resources::default() };
    let traits = Traits { spot, ..Traits::default() };
    site.run(Command::NodeSeen { name: "s".into(), capacity, gpus: Vec::new(), traits });
}

fn warn(site: &mut Site, node: &str, left: Span) -> Result<(), Refusal> {
    let node = Name::from(node);
    site.attempt(Command::WarnNode { node, left, by: owner() }).map(drop)
}

fn node_of(site: &Site, job: holdshort::base::JobId) -> Option<String> {
    let task = site.job(job).tasks.first()?;
    Some(task.placement.as_ref()?.node.to_string())
}

/// The grace that the last step's stops gave.
fn graces(site: &Site) -> Vec<Span> {
    let orders = effects::of_facts(&site.facts, &site.world);
    let grace = |order: &Effect| match order {
        Effect::Stop { grace, .. } => Some(*grace),
        _ => None,
    };
    orders.iter().filter_map(grace).collect()
}

#[test]
fn a_warning_drains_the_node_and_what_can_come_back_leaves_in_time() {
    let mut site = site();
    let job = site.submit(|job| (job.spot, job.resumable) = (true, true));
    let other = site.submit(|job| (job.spot, job.requeue) = (true, true));
    site.start_all();
    let on = |site: &Site, job| node_of(site, job).unwrap();
    let there: Vec<_> = [job, other].into_iter().filter(|job| on(&site, *job) == "s").collect();
    assert!(!there.is_empty());
    warn(&mut site, "s", Span::secs(120)).unwrap();
    for job in &there {
        assert_eq!(site.state(*job), State::Stopping(StopFor::Spot));
        let evicted = site.job(*job).evicted.clone().unwrap().0;
        assert_eq!((evicted.rule, evicted.by.as_deref()), (Rule::Spot, Some("owner")));
    }
    let all_but_a_margin = |grace: &Span| *grace == Span::secs(118);
    assert!(graces(&site).len() >= there.len() && graces(&site).iter().all(all_but_a_margin));
    for job in &there {
        site.exit(*job, &Exit::Code(75));
    }
    for job in [job, other] {
        let node = node_of(&site, job);
        assert!(matches!(site.word(job), "running" | "starting" | "queued"));
        assert_ne!(node.as_deref(), Some("s"), "nothing new goes there");
    }
    // It comes back, and takes work again.
    site.drain("s", false);
    assert!(site.world.node("s").unwrap().warning.is_none());
    assert!([job, other].iter().all(|job| node_of(&site, *job).is_some()));
}

#[test]
fn what_has_no_way_back_stays_and_what_was_stopping_gets_no_longer_than_the_node() {
    let mut site = Site::bare();
    spot_node(&mut site, false);
    let stays = site.submit(|_| {});
    let leaves = site.submit(|job| (job.resumable, job.grace) = (true, Span::mins(10)));
    site.start_all();
    site.pause(leaves);
    assert_eq!(graces(&site), [Span::mins(10)]);
    spot_node(&mut site, true);
    warn(&mut site, "s", Span::secs(60)).unwrap();
    assert_eq!(site.word(stays), "running");
    assert_eq!(graces(&site), [Span::secs(58)], "hurried");
    assert_eq!(site.state(leaves), State::Stopping(StopFor::Pause), "for what it was");
    // A later warning says nothing new, an earlier one does.
    warn(&mut site, "s", Span::secs(90)).unwrap();
    assert!(site.facts.is_empty());
    warn(&mut site, "s", Span::secs(30)).unwrap();
    assert_eq!(graces(&site), [Span::secs(28)]);
}

#[test]
fn a_warning_about_no_spot_node_or_by_nobody_is_refused() {
    let mut site = site();
    let mut code = |node, left| warn(&mut site, node, left).unwrap_err().code;
    assert_eq!(code("x", Span::secs(1)), RefusalCode::NotFound);
    assert_eq!(code("a", Span::secs(1)), RefusalCode::Conflict);
    assert_eq!(code("s", Span::ZERO), RefusalCode::Usage);
    assert_eq!(code("s", Span::hours(25)), RefusalCode::Usage);
    let job = site.submit(|_| {});
    for by in [person("sam", 2), inside(job)] {
        let warning = Command::WarnNode { node: "s".into(), left: Span::secs(9), by };
        assert_eq!(site.attempt(warning).unwrap_err().code, RefusalCode::Forbidden);
    }
}
