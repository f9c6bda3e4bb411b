//! What would happen if, without touching anything.

use holdshort::base::{Name, Span};
use holdshort::engine::suppose::suppose;
use holdshort::model::Resources;
use holdshort::model::estimate::Forecast;
use holdshort::model::job::JobSpec;
use holdshort::model::outlook::{Outlook, Supposition};
use holdshort::model::refusal::RefusalCode;
use holdshort::model::submission::Submission;
use holdshort::model::team::Bounds;

use super::given::{owner, person};
use super::world::Site;

fn ask(site: &Site, what: Supposition) -> Outlook {
    let before = site.world.clone();
    let outlook = suppose(&site.world, &owner(), &what, site.at).unwrap();
    assert_eq!(site.world, before);
    outlook
}

fn cores(n: u64, secs: u64) -> impl Fn(&mut JobSpec) {
    move |spec| {
        spec.request.cpu_milli = n * 1000;
        spec.estimate = Some(Span::secs(secs));
    }
}

/// Four cores of which three are in use for 100 s, and a job that waits for all of them.
fn site() -> Site {
    let mut site = Site::new(4, 0);
    site.configure(|setup| setup.cycle.off.clear());
    let runs = site.submit(cores(3, 100));
    site.start(runs);
    site.submit(cores(4, 50));
    site
}

fn submission(cores: u64, secs: u64) -> Supposition {
    Supposition::Submit(Box::new(Submission {
        argv: vec!["true".into()],
        cwd: "/".into(),
        name: Some("new".into()),
        cpu_milli: Some(cores * 1000),
        estimate: Some(Span::secs(secs)),
        ..Submission::default()
    }))
}

fn after(site: &Site, outlook: &Outlook) -> Vec<(String, Option<u64>)> {
    let secs = |forecast: Forecast| forecast.to.since(site.at.wall).0 / 1000;
    let shifts = outlook.shifts.iter();
    shifts.map(|shift| (shift.name.to_string(), shift.after.map(secs))).collect()
}

#[test]
fn a_submission_starts_in_the_gap_or_says_when() {
    let site = site();
    let short = ask(&site, submission(1, 100));
    let names = |outlook: &Outlook| -> Vec<Name> {
        outlook.starts.iter().map(|start| start.name.clone()).collect()
    };
    assert_eq!(names(&short), [Name::from("new")]);
    assert_eq!(short.shifts, []);
    let long = ask(&site, submission(1, 101));
    assert_eq!((names(&long), after(&site, &long)), (vec![], vec![("new".into(), Some(150))]));
    assert_eq!(long.made.len(), 1);
}

#[test]
fn a_new_node_starts_what_waits_and_a_drained_one_leaves_no_start() {
    let site = site();
    let cores = Resources { cpu_milli: 4000, ..Resources::default() };
    let more = ask(&site, Supposition::AddNode(cores));
    assert_eq!(more.starts.len(), 1);
    assert_eq!(more.starts[0].nodes.len(), 1);
    let less = ask(&site, Supposition::Drain("n1".into()));
    assert_eq!(after(&site, &less), [("job".to_owned(), None)]);
    assert!(less.shifts[0].before.is_some());
}

#[test]
fn a_quota_makes_others_give_room() {
    let mut site = Site::new(4, 0);
    site.configure(|setup| {
        setup.cycle.off.clear();
        setup.teams.push(holdshort::model::Team::named("web"));
        for team in &mut setup.teams {
            team.terms.quota.cpu_milli = Some(0);
        }
    });
    let give = site.submit(|spec| {
        cores(4, 100)(spec);
        spec.team = "web".into();
        (spec.preemptible, spec.resumable) = (true, true);
    });
    site.start(give);
    let waits = site.submit(|spec| {
        cores(4, 100)(spec);
        spec.team = "ml".into();
        (spec.preemptible, spec.resumable) = (true, true);
    });
    let quota = Bounds { cpu_milli: Some(4000), ..Bounds::default() };
    let outlook = ask(&site, Supposition::Quota { team: "ml".into(), quota });
    let taken: Vec<_> = outlook.evictions.iter().map(|t| (t.job, t.taker)).collect();
    assert_eq!(taken, [(give, Some(waits))]);
    site.stand(&[give, waits], &["running", "queued"]);
}

#[test]
fn what_would_be_refused_is_refused() {
    let site = site();
    let refusal = |by, what| suppose(&site.world, &by, &what, site.at).unwrap_err().code;
    assert_eq!(refusal(owner(), Supposition::Drain("n9".into())), RefusalCode::NotFound);
    let quota = Bounds::default();
    let unknown = Supposition::Quota { team: "none".into(), quota };
    assert_eq!(refusal(owner(), unknown), RefusalCode::NotFound);
    let drain = Supposition::Drain("n1".into());
    assert_eq!(refusal(person("vera", 1), drain), RefusalCode::Forbidden);
}
