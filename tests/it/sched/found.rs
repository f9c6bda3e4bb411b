//! Sequences that once broke a rule, as short as they could be made.

use holdshort::base::Span;
use holdshort::model::Resources;
use holdshort::model::job::{Exit, Gang, JobSpec};

use super::world::Site;

/// No memory, so many thousandths of cores.
fn cpu(milli: u64) -> impl Fn(&mut JobSpec) + Copy {
    move |job| {
        job.request = Resources { cpu_milli: milli, ..Resources::default() };
        job.priority = 100;
    }
}

#[test]
fn room_that_a_stuck_process_holds_is_promised_to_nobody_and_why_says_so() {
    let mut site = Site::bare();
    site.node("n1", 3, 6, 0);
    let stuck = site.submit_many(2, |job| {
        cpu(1000)(job);
        job.time_limit = Some(Span::secs(5));
    });
    site.start_all();
    // Told to stop, and still there long after that.
    site.advance(Span::secs(1000));
    site.stand(&stuck, &["stopping", "stopping"]);
    let gang = site.submit(|job| {
        cpu(500)(job);
        job.gang = Gang { size: 2, min: 2 };
    });
    let first = site.submit(cpu(1000));
    let second = site.submit(cpu(500));
    site.end_rank(gang, 0, Exit::Code(1));
    // The first is promised what the gang gives back; the second may not take half of it.
    assert_eq!(site.because(first).split(' ').next(), Some("promised"));
    assert_eq!(site.because(second), "no_room best_cpu_milli=0 need_cpu_milli=500");
    site.end_rank(gang, 1, Exit::Signal(15));
    site.stand(&[first, second], &["starting", "queued"]);
    site.end(stuck[0], 0);
    site.stand(&[second], &["starting"]);
}
