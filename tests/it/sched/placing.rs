//! Which node, and which device of it: by what is configured.

use holdshort::base::{JobId, Name};
use holdshort::model::Resources;
use holdshort::model::command::Command;
use holdshort::model::job::JobSpec;
use holdshort::model::node::Traits;
use holdshort::model::setup::PlaceBy;

use super::world::{GIB, Site, gpu};

/// A node in a rack of its own.
fn node(site: &mut Site, name: &str, cores: u64, gpus: u32) {
    let capacity = Resources {
        cpu_milli: cores * 1000,
        mem_bytes: 64 * GIB,
        gpu_milli: u64::from(gpus) * 1000,
        ..Resources::default()
    };
    let labels = [(Name::from("rack"), Name::from(name))].into();
    let gpus = (0..gpus).map(|index| gpu(index, None)).collect();
    let traits = Traits { labels, ..Traits::default() };
    site.run(Command::NodeSeen { name: name.into(), capacity, gpus, traits });
}

fn site(place: PlaceBy) -> Site {
    let mut site = Site::bare();
    site.configure(|setup| (setup.cycle.place_gpu, setup.cycle.place_cpu) = (place, place));
    site
}

/// So much of a device, in a rack if one is named.
fn ask(milli: u64, rack: Option<&'static str>) -> impl Fn(&mut JobSpec) + Copy {
    move |job| {
        job.request.cpu_milli = 100;
        job.request.gpu_milli = milli;
        job.node_labels = rack.map(|rack| ("rack".into(), rack.into())).into_iter().collect();
    }
}

fn places(site: &Site, jobs: &[JobId]) -> Vec<Option<(Name, u32)>> {
    let place = |job: &JobId| {
        let placement = site.job(*job).tasks.first()?.placement.clone()?;
        Some((placement.node, placement.gpus.first()?.index))
    };
    jobs.iter().map(place).collect()
}

/// 300 in rack a and 500 in rack b, then 200 and twice 500 anywhere: all of it fits on two
/// devices, if the 200 do not take of the 500 that are left in b.
fn shares(place: PlaceBy) -> (Site, Vec<JobId>) {
    let mut site = site(place);
    node(&mut site, "a", 8, 1);
    node(&mut site, "b", 8, 1);
    let asks = [(300, Some("a")), (500, Some("b")), (200, None), (500, None), (500, None)];
    let jobs = asks.map(|(milli, rack)| site.submit(ask(milli, rack)));
    (site, jobs.to_vec())
}

#[test]
fn packing_strands_shares_where_least_fragmentation_strands_none() {
    let (packed, jobs) = shares(PlaceBy::BinPack);
    assert_eq!(places(&packed, &jobs[2..3]), [Some(("b".into(), 0))], "the fullest");
    packed.stand(&jobs, &["starting", "starting", "starting", "starting", "queued"]);
    assert_eq!(
        packed.because(jobs[4]),
        "no_room best_gpu_milli=300 need_gpu_milli=500 nodes=2 nodes_short_gpu=2"
    );

    let (whole, jobs) = shares(PlaceBy::LeastFragmentation);
    assert_eq!(places(&whole, &jobs[2..3]), [Some(("a".into(), 0))]);
    whole.stand(&jobs, &["starting"; 5]);
}

#[test]
fn what_ended_lately_is_still_usual() {
    let mut site = site(PlaceBy::LeastFragmentation);
    node(&mut site, "n", 8, 2);
    let before = site.submit_many(3, ask(500, None));
    site.start_all();
    before.iter().for_each(|job| site.end(*job, 0));
    let jobs = [300, 250, 250].map(|milli| site.submit(ask(milli, None)));
    let on = |device| Some((Name::from("n"), device));
    assert_eq!(places(&site, &jobs), [on(0), on(1), on(1)], "beside the 300 one 500 still fits");
    let next = site.submit(ask(200, None));
    assert_eq!(places(&site, &[next]), [on(0)], "500 are left on both, not 700 and 300");
    let usual = site.submit_many(2, ask(500, None));
    site.stand(&usual, &["starting", "starting"]);
}

#[test]
fn a_large_shape_counts_however_rare_it_is() {
    for (place, chosen) in [(PlaceBy::BinPack, "b"), (PlaceBy::LeastFragmentation, "a")] {
        let mut site = site(place);
        node(&mut site, "a", 8, 3);
        node(&mut site, "b", 64, 2);
        // Two devices and sixteen cores: only b has that.
        let large = |job: &mut JobSpec| {
            ask(2000, None)(job);
            job.request.cpu_milli = 16_000;
        };
        let first = site.submit(large);
        site.start_all();
        site.end(first, 0);
        let many = site.submit_many(40, ask(1000, None));
        while let Some(job) = many.iter().find(|job| site.job(**job).is_live()) {
            site.start_all();
            site.end(*job, 0);
        }
        let one = site.submit(ask(1000, None));
        assert_eq!(places(&site, &[one]), [Some((chosen.into(), 0))], "{place:?}");
        let again = site.submit(large);
        let word = if chosen == "a" { "starting" } else { "queued" };
        site.stand(&[again], &[word]);
    }
}

#[test]
fn a_job_without_gpus_leaves_the_cores_that_gpus_need() {
    for (place, chosen) in [(PlaceBy::BinPack, "b"), (PlaceBy::LeastFragmentation, "a")] {
        let mut site = site(place);
        node(&mut site, "a", 7, 1);
        node(&mut site, "b", 4, 1);
        let training = |rack| {
            move |job: &mut JobSpec| {
                ask(1000, rack)(job);
                job.request.cpu_milli = 2000;
            }
        };
        let first = site.submit(training(None));
        site.start_all();
        site.end(first, 0);
        site.submit(training(Some("a")));
        let cpu = site.submit(|job| job.request.cpu_milli = 3000);
        let placed = site.job(cpu).tasks[0].placement.clone().unwrap();
        assert_eq!(placed.node, Name::from(chosen), "{place:?}");
        let next = site.submit(training(None));
        let word = if chosen == "a" { "starting" } else { "queued" };
        site.stand(&[next], &[word]);
    }
}
