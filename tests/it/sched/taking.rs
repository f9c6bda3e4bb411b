//! Making room: who is a victim, who is not, and what becomes of both.

use holdshort::base::{JobId, Span};
use holdshort::model::command::{Change, TaskEvent};
use holdshort::model::fact::Rule;
use holdshort::model::job::{Exit, Gang, Grace, JobSpec, TaskState};
use holdshort::model::node::Traits;
use holdshort::model::refusal::RefusalCode;
use holdshort::model::team::{Bounds, Terms};
use holdshort::model::{Fact, Team};

use super::world::{GIB, Site, owner};

/// A job that gives way, in a team, with so many cores.
fn gives(team: &str, cores: u64) -> impl Fn(&mut JobSpec) + Clone {
    let team = team.to_owned();
    move |job: &mut JobSpec| {
        job.team = (&*team).into();
        job.request.cpu_milli = cores * 1000;
        job.request.mem_bytes = 0;
        job.preemptible = true;
        job.requeue = true;
    }
}

/// A job that never gives way.
fn firm(team: &str, cores: u64) -> impl Fn(&mut JobSpec) + Clone {
    let gives = gives(team, cores);
    move |job: &mut JobSpec| {
        gives(job);
        job.preemptible = false;
    }
}

fn cores(quota: u64) -> Bounds {
    Bounds { cpu_milli: Some(quota * 1000), ..Bounds::default() }
}

/// Teams by name with their quota in cores; four cores on one node.
fn site(teams: &[(&str, u64)]) -> Site {
    let mut site = Site::new(4, 0);
    let team = |(name, quota): &(&str, u64)| {
        let terms = Terms { quota: cores(*quota), ..Terms::default() };
        Team { name: (*name).into(), terms, ..Team::default() }
    };
    site.configure(|setup| setup.teams = teams.iter().map(team).collect());
    site
}

fn terms(site: &mut Site, team: &str, change: impl Fn(&mut Terms)) {
    site.configure(|setup| {
        let teams = setup.teams.iter_mut().filter(|known| &*known.name == team);
        teams.for_each(|team| change(&mut team.terms));
    });
}

/// Jobs that the last step made give room, with the rule.
fn evicted(site: &Site) -> Vec<(JobId, Rule)> {
    let evicted = site.facts.iter().filter_map(|fact| match fact {
        Fact::JobEvicted { job, eviction } => Some((*job, eviction.rule)),
        _ => None,
    });
    evicted.collect()
}

fn states(site: &Site, job: JobId) -> Vec<TaskState> {
    site.job(job).tasks.iter().map(|task| task.state).collect()
}

#[test]
fn a_more_urgent_job_of_the_team_takes_the_room_and_the_victim_comes_back() {
    let mut site = site(&[("a", 4)]);
    let low = site.submit(gives("a", 4));
    site.start(low);
    let submitted = site.job(low).submitted;
    let urgent = site.submit(|job| {
        gives("a", 2)(job);
        job.priority = 300;
    });
    assert_eq!(evicted(&site), [(low, Rule::Preempt)]);
    site.stand(&[low, urgent], &["stopping", "queued"]);
    assert_eq!(site.because(urgent), "promised jobs=1 node=n1");
    assert_eq!(states(&site, urgent), [TaskState::Nominated]);
    let another = site.submit(gives("a", 1));
    site.stand(&[another], &["queued"]);
    site.exit(low, &Exit::Signal(15));
    site.stand(&[low, urgent, another], &["queued", "starting", "starting"]);
    assert_eq!(site.job(low).submitted, submitted);
    site.start_all();
    site.end(urgent, 0);
    site.end(another, 0);
    site.stand(&[low], &["starting"]);
    assert_eq!(site.job(low).attempt, 2);
}

#[test]
fn an_equal_priority_another_team_and_a_firm_job_are_no_victims_of_preemption() {
    let mut site = site(&[("a", 4), ("b", 4)]);
    let equal = site.submit(gives("a", 1));
    let other = site.submit(|job| {
        gives("b", 2)(job);
        job.priority = 100;
    });
    let never = site.submit(|job| {
        firm("a", 1)(job);
        job.priority = 100;
    });
    site.start_all();
    let urgent = site.submit(gives("a", 1));
    site.stand(&[equal, other, never, urgent], &["running", "running", "running", "queued"]);
    site.set(urgent, Change { priority: Some(900), ..Change::default() });
    assert_eq!(evicted(&site), [(equal, Rule::Preempt)]);
    site.stand(&[other, never], &["running", "running"]);
}

#[test]
fn next_reorders_and_makes_nobody_a_victim() {
    let mut site = site(&[("a", 4)]);
    let running = site.submit(gives("a", 4));
    site.start(running);
    let first = site.submit(gives("a", 4));
    let moved = site.submit(|job| {
        gives("a", 4)(job);
        job.priority = 100;
    });
    site.act(moved, holdshort::model::command::Verb::Next);
    site.stand(&[running, first, moved], &["running", "queued", "queued"]);
}

#[test]
fn a_team_below_its_share_reclaims_what_another_holds_beyond_its_own() {
    let mut site = site(&[("a", 2), ("b", 2)]);
    let jobs = site.submit_many(4, gives("a", 1));
    site.start_all();
    let one = site.submit(gives("b", 1));
    assert_eq!(evicted(&site), [(jobs[3], Rule::ReclaimFairness)], "the youngest");
    let fact = site.facts.iter().find_map(|fact| match fact {
        Fact::JobEvicted { eviction, .. } => Some(eviction),
        _ => None,
    });
    let number = |name: &str| format!("{:?}", fact.unwrap().numbers[name]);
    assert_eq!(fact.unwrap().taker, Some(one));
    assert_eq!(number("victim_use_cpu_milli"), "Int(4000)");
    assert_eq!(number("victim_quota_cpu_milli"), "Int(2000)");
    assert_eq!(number("taker_team"), "Text(\"b\")");
    let two = site.submit(gives("b", 1));
    assert_eq!(evicted(&site), [(jobs[2], Rule::ReclaimFairness)]);
    let three = site.submit(gives("b", 1));
    assert_eq!(evicted(&site), [], "each holds its share");
    for job in [jobs[3], jobs[2]] {
        site.exit(job, &Exit::Signal(15));
    }
    site.stand(&[one, two, three], &["starting", "starting", "queued"]);
    site.stand(&jobs, &["running", "running", "queued", "queued"]);
}

#[test]
fn priorities_do_not_count_between_teams_and_a_switched_off_rule_does_nothing() {
    let mut site = site(&[("a", 2), ("b", 2)]);
    let urgent = site.submit_many(4, |job| {
        gives("a", 1)(job);
        job.priority = 900;
    });
    site.start_all();
    site.configure(|setup| setup.cycle.off = ["reclaim".into()].into());
    let one = site.submit(|job| {
        gives("b", 1)(job);
        job.priority = 0;
    });
    assert_eq!(evicted(&site), []);
    site.configure(|setup| setup.cycle.off.clear());
    assert_eq!(evicted(&site), [(urgent[3], Rule::ReclaimFairness)]);
    site.stand(&[one], &["queued"]);
}

#[test]
fn nobody_loses_room_unless_the_whole_minimum_of_the_taker_fits() {
    let mut site = site(&[("a", 1), ("b", 3)]);
    let never = site.submit(firm("a", 1));
    let jobs = site.submit_many(3, gives("a", 1));
    site.start_all();
    let gang = |min| {
        move |job: &mut JobSpec| {
            gives("b", 2)(job);
            job.gang = Gang { size: min, min };
        }
    };
    let two = site.submit(gang(2));
    assert_eq!(evicted(&site), [], "four cores could never be had");
    let one = site.submit(gang(1));
    assert_eq!(evicted(&site).len(), 2);
    site.stand(&[never, jobs[0], two, one], &["running", "running", "queued", "queued"]);
}

#[test]
fn the_surplus_of_a_gang_goes_task_by_task_and_comes_back_under_new_ranks() {
    let mut site = site(&[("a", 2), ("b", 2)]);
    let gang = site.submit(|job| {
        gives("a", 1)(job);
        job.gang = Gang { size: 4, min: 2 };
    });
    site.start(gang);
    let other = site.submit(gives("b", 1));
    let (running, stopping) = (TaskState::Running, TaskState::Stopping);
    assert_eq!(states(&site, gang), [running, running, running, stopping]);
    site.stand(&[gang, other], &["running", "queued"]);
    site.end_rank(gang, 3, Exit::Signal(15));
    site.stand(&[gang, other], &["running", "starting"]);
    assert_eq!(states(&site, gang)[4], TaskState::Pending);
    site.start(other);
    site.end(other, 0);
    assert_eq!(states(&site, gang)[4], TaskState::Starting);
    assert_eq!(site.job(gang).attempt, 1);
    site.start(gang);
    site.end(gang, 0);
    site.stand(&[gang], &["succeeded"]);
}

#[test]
fn a_minimum_runtime_keeps_the_core_and_not_the_surplus() {
    let mut site = site(&[("a", 1), ("b", 3)]);
    terms(&mut site, "a", |terms| terms.reclaim_min_runtime = Some(Span::mins(10)));
    let gang = site.submit(|job| {
        gives("a", 1)(job);
        job.gang = Gang { size: 4, min: 3 };
    });
    site.start(gang);
    let one = site.submit(gives("b", 1));
    assert_eq!(states(&site, gang)[3], TaskState::Stopping);
    let two = site.submit(gives("b", 2));
    site.stand(&[gang, one, two], &["running", "queued", "queued"]);
    site.end_rank(gang, 3, Exit::Signal(15));
    site.start(one);
    site.advance(Span::mins(11));
    site.stand(&[gang, two], &["stopping", "queued"]);
}

#[test]
fn a_preemption_delay_lets_a_job_use_free_room_only() {
    let mut site = site(&[("a", 4)]);
    let low = site.submit(gives("a", 4));
    site.start(low);
    let urgent = site.submit(|job| {
        gives("a", 4)(job);
        job.priority = 300;
        job.preemption_delay = Some(Span::mins(5));
    });
    site.advance(Span::mins(4));
    site.stand(&[low, urgent], &["running", "queued"]);
    site.advance(Span::mins(2));
    site.stand(&[low, urgent], &["stopping", "queued"]);
}

#[test]
fn jobs_move_closer_so_that_a_larger_one_fits() {
    let mut site = Site::bare();
    site.node("n1", 4, 8, 0);
    site.node("n2", 4, 8, 0);
    let job = |cores| gives("default", cores);
    let [small, filler, other] = [2, 2, 2].map(|cores| site.submit(job(cores)));
    site.start_all();
    site.end(filler, 0);
    let node = |site: &Site, id| site.job(id).tasks[0].placement.clone().unwrap().node;
    assert_eq!((&*node(&site, small), &*node(&site, other)), ("n1", "n2"));
    let large = site.submit(job(4));
    assert_eq!(evicted(&site), [(other, Rule::Consolidate)]);
    site.exit(other, &Exit::Code(75));
    site.stand(&[small, other, large], &["running", "starting", "starting"]);
    assert_eq!((&*node(&site, other), &*node(&site, large)), ("n1", "n2"));
}

/// A job of two cores is being moved from one node to two free cores of another, so that one of
/// four fits; another of two cores waits, and then what it waits for.
fn moving() -> (Site, [JobId; 3]) {
    let mut site = Site::bare();
    site.node("n1", 4, 8, 0);
    site.node("n2", 4, 8, 0);
    let job = |cores| gives("default", cores);
    let [_, filler, other] = [2, 2, 2].map(|cores| site.submit(job(cores)));
    site.start_all();
    site.end(filler, 0);
    let large = site.submit(job(4));
    assert_eq!(evicted(&site), [(other, Rule::Consolidate)]);
    let newcomer = site.submit(job(2));
    (site, [other, large, newcomer])
}

#[test]
fn the_new_place_of_a_job_that_moves_is_held_until_it_is_there() {
    let (mut site, [other, large, newcomer]) = moving();
    let jobs = [other, large, newcomer];
    site.stand(&jobs, &["stopping", "queued", "queued"]);
    assert!(site.because(newcomer).starts_with("no_room best_cpu_milli=0"));
    site.exit(other, &Exit::Code(75));
    site.stand(&jobs, &["starting", "starting", "queued"]);
    assert_eq!(node(&site, other), "n1");
}

fn node(site: &Site, job: JobId) -> String {
    site.job(job).tasks[0].placement.as_ref().unwrap().node.to_string()
}

#[test]
fn a_held_place_is_not_for_those_either_whose_turn_comes_before() {
    let (mut site, [other, large, _]) = moving();
    // Its team has nothing yet, so it comes before the one for whom room is being made.
    let first = site.submit(|job| {
        gives("ml", 2)(job);
        job.preemption_delay = Some(Span::hours(1));
    });
    site.stand(&[first, large], &["starting", "queued"]);
    assert_eq!(node(&site, first), "n2");
    site.exit(other, &Exit::Code(75));
    site.stand(&[other], &["starting"]);
    assert_eq!(node(&site, other), "n1");
}

#[test]
fn a_place_is_held_for_nobody_who_does_not_come() {
    let (mut site, [other, _, newcomer]) = moving();
    let grace = site.job(other).spec.grace;
    site.advance(grace + Span::mins(4));
    site.stand(&[other, newcomer], &["stopping", "queued"]);
    site.advance(Span::mins(2));
    site.stand(&[other, newcomer], &["stopping", "starting"]);
}

#[test]
fn a_limit_and_the_quota_of_firm_jobs_are_told_in_numbers() {
    let mut site = site(&[("a", 1), ("org", 4), ("org/b", 2)]);
    terms(&mut site, "org", |terms| terms.limit = cores(3));
    let soft = site.submit_many(4, gives("org/b", 1));
    site.stand(&soft, &["starting", "starting", "starting", "queued"]);
    let over = "over_limit bound_cpu_milli=3000 need_cpu_milli=1000 team=org used_cpu_milli=3000";
    assert_eq!(site.because(soft[3]), over);
    let firm_jobs = site.submit_many(2, firm("a", 1));
    site.stand(&firm_jobs, &["starting", "queued"]);
    let over = "over_quota bound_cpu_milli=1000 need_cpu_milli=1000 team=a used_cpu_milli=1000";
    assert_eq!(site.because(firm_jobs[1]), over);
    let refusal = site.try_submit(owner(), gives("org", 1)).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Usage, "{refusal}");
}

#[test]
fn room_is_dealt_to_the_team_that_holds_less_of_its_share() {
    let mut site = site(&[("a", 1), ("b", 3)]);
    let blocker = site.submit(gives("a", 4));
    site.start(blocker);
    let a = site.submit_many(4, firm("a", 1));
    let b = site.submit_many(4, firm("b", 1));
    site.end(blocker, 0);
    let starting = |jobs: &[JobId]| jobs.iter().filter(|j| site.word(**j) == "starting").count();
    assert_eq!((starting(&a), starting(&b)), (1, 3));
}

#[test]
fn a_node_takes_only_what_fits_its_labels_its_count_and_its_kind() {
    let mut site = Site::bare();
    let node = |site: &mut Site, name: &str, traits: Traits| {
        let capacity = holdshort::model::Resources {
            cpu_milli: 8000,
            mem_bytes: 8 * GIB,
            ..Default::default()
        };
        site.run(holdshort::model::Command::NodeSeen {
            name: name.into(),
            capacity,
            gpus: vec![],
            traits,
        });
    };
    let few = Traits { max_tasks: Some(1), ..Traits::default() };
    node(&mut site, "few", few);
    let labels = [("disk".into(), "fast".into())].into();
    node(&mut site, "spot", Traits { labels, spot: true, ..Traits::default() });
    let plain = site.submit_many(2, |_| {});
    site.stand(&plain, &["starting", "queued"]);
    let fast = |spot: bool| {
        move |job: &mut JobSpec| {
            job.node_labels = [("disk".into(), "fast".into())].into();
            job.spot = spot;
            job.requeue = true;
        }
    };
    let jobs = [true, false].map(|spot| site.submit(fast(spot)));
    site.stand(&jobs, &["starting", "queued"]);
}

#[test]
fn a_stale_gang_goes_after_its_grace_and_comes_back() {
    let mut site = site(&[("a", 4)]);
    let gang = |grace| {
        move |job: &mut JobSpec| {
            gives("a", 1)(job);
            job.gang = Gang { size: 2, min: 2 };
            job.stale_grace = grace;
        }
    };
    let gone = site.submit(gang(None));
    let kept = site.submit(gang(Some(Grace::Never)));
    site.start_all();
    for job in [gone, kept] {
        // What a lost node looks like: one task is over, and nobody stopped the rest.
        let task = site.tasks(job, |_| true)[1];
        let exit = Exit::Signal(9);
        site.happens(Fact::TaskEnded { task, exit, ended: None });
    }
    site.advance(Span::secs(59));
    site.stand(&[gone, kept], &["running", "running"]);
    site.advance(Span::secs(1));
    site.stand(&[gone, kept], &["stopping", "running"]);
    assert_eq!(evicted(&site), [(gone, Rule::StaleGang)]);
    site.exit(gone, &Exit::Signal(15));
    site.stand(&[gone], &["starting"]);
}

#[test]
fn when_the_taker_vanishes_the_victim_gets_its_room_back() {
    let mut site = site(&[("a", 4)]);
    let low = site.submit(gives("a", 4));
    site.start(low);
    let urgent = site.submit(|job| {
        gives("a", 4)(job);
        job.priority = 300;
    });
    site.cancel(urgent);
    site.stand(&[low, urgent], &["stopping", "cancelled"]);
    site.exit(low, &Exit::Signal(15));
    site.stand(&[low], &["starting"]);
}

#[test]
fn a_task_that_gives_its_room_may_end_as_it_likes() {
    let mut site = site(&[("a", 2), ("b", 2)]);
    let gang = site.submit(|job| {
        gives("a", 1)(job);
        job.gang = Gang { size: 4, min: 2 };
    });
    site.start(gang);
    drop(site.submit_many(2, gives("b", 1)));
    for (rank, exit) in [(3, Exit::Code(1)), (2, Exit::Unknown)] {
        site.end_rank(gang, rank, exit);
        site.stand(&[gang], &["running"]);
    }
    let task = site.tasks(gang, |state| state == TaskState::Running)[0];
    site.event(task, TaskEvent::Ended { exit: Exit::Code(3) });
    site.stand(&[gang], &["stopping"]);
}

#[test]
fn who_may_try_again_may_be_evicted_and_loses_no_try_by_it() {
    let mut site = site(&[("a", 4)]);
    let tries = site.submit(|job| {
        firm("a", 4)(job);
        (job.priority, job.preemptible) = (100, true);
        (job.requeue, job.retry) = (false, 1);
    });
    site.start(tries);
    let urgent = site.submit(gives("a", 4));
    assert_eq!(evicted(&site), [(tries, Rule::Preempt)]);
    site.exit(tries, &Exit::Signal(15));
    site.start(urgent);
    site.end(urgent, 0);
    site.start(tries);
    assert_eq!((site.job(tries).attempt, site.job(tries).retries), (2, 0));
    // Whatever ends it for good, it had its one more try.
    site.exit(tries, &Exit::Unknown);
    assert_eq!(site.job(tries).retries, 1);
}
