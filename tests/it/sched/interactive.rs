//! Jobs that a person works in: quiet for long they are noticed, then put away.

use holdshort::base::{JobId, Mono, Span, TaskId};
use holdshort::model::Fact;
use holdshort::model::command::Report;
use holdshort::model::finding::{Level, Signal};
use holdshort::model::job::{Exit, State, StopFor};
use holdshort::sched::health::{self, Signals};

use super::world::Site;

/// A site, a running job with a timeout of ten minutes, and what is known of its output.
struct Desk {
    site: Site,
    job: JobId,
    signals: Signals,
    bytes: u64,
}

impl Desk {
    fn new(resumable: bool) -> Desk {
        let mut site = Site::new(2, 0);
        let job = site.submit(|job| {
            job.idle_timeout = Some(Span::mins(10));
            job.resumable = resumable;
            job.pty = true;
        });
        site.start(job);
        let mut desk = Desk { site, job, signals: Signals::default(), bytes: 1 };
        desk.look();
        desk
    }

    fn task(&self) -> TaskId {
        TaskId { job: self.job, attempt: self.site.job(self.job).attempt, rank: 0 }
    }

    fn active(&self) -> Mono {
        self.site.world.active(self.site.at.now)
    }

    /// Looks as the engine does: at the output, then at the thresholds.
    fn look(&mut self) -> Option<Mono> {
        let candidates: Vec<_> = health::candidates(&self.site.world, &self.signals).collect();
        for task in candidates {
            let active = self.active();
            self.signals.hear(task, self.bytes, active);
        }
        let (commands, next) = health::scan(&self.site.world, &self.signals, self.site.at);
        commands.into_iter().for_each(|command| drop(self.site.run(command)));
        next
    }

    /// Lets time pass, looking whenever somebody should.
    fn wait(&mut self, span: Span) {
        let end = self.site.at.now + span;
        while self.site.at.now < end {
            let next = self.look().map_or(end, |next| next.min(end));
            self.site.advance(next.since(self.site.at.now));
        }
        self.look();
    }

    fn level(&self) -> Option<Level> {
        self.site.job(self.job).findings.get(&Signal::Idle).map(|finding| finding.level)
    }

    fn reason(&self) -> String {
        self.site.job(self.job).hold.as_ref().unwrap().reason.clone().unwrap()
    }
}

#[test]
fn a_quiet_job_is_noticed_and_parked_if_it_can_go_on() {
    let mut desk = Desk::new(true);
    desk.wait(Span::mins(8) - Span(1));
    assert_eq!(desk.level(), None);
    desk.wait(Span(1));
    assert_eq!(desk.level(), Some(Level::Notice));
    desk.wait(Span::mins(2));
    assert_eq!(desk.site.state(desk.job), State::Stopping(StopFor::Pause));
    assert_eq!(desk.reason(), "quiet for 10m: parked, for it can go on later");
    desk.site.exit(desk.job, &Exit::Code(75));
    assert_eq!(desk.site.word(desk.job), "paused");
    assert!(desk.site.job(desk.job).hold.as_ref().unwrap().is_for_idleness());
    desk.site.resume(desk.job);
    desk.site.start(desk.job);
    desk.wait(Span::mins(8) - Span(1));
    assert_eq!((desk.site.word(desk.job), desk.level()), ("running", None), "it counts anew");
}

#[test]
fn one_that_could_not_go_on_is_frozen_and_goes_on_where_it_was() {
    let mut desk = Desk::new(false);
    desk.wait(Span::mins(10));
    assert_eq!(desk.site.word(desk.job), "paused");
    assert!(desk.site.job(desk.job).frozen);
    assert!(desk.reason().contains("frozen, for nothing says"), "{}", desk.reason());
    desk.site.advance(Span::hours(9));
    desk.site.resume(desk.job);
    assert!(desk.site.facts.iter().any(|fact| matches!(fact, Fact::JobThawed { .. })));
    let active = desk.active();
    desk.signals.stir(desk.task(), active);
    desk.wait(Span::mins(8) - Span(1));
    assert_eq!((desk.site.word(desk.job), desk.level()), ("running", None));
}

#[test]
fn output_input_and_reports_are_signs_of_use_and_a_notice_goes_with_them() {
    let mut desk = Desk::new(true);
    for sign in 0..3 {
        desk.wait(Span::mins(9));
        assert_eq!(desk.level(), Some(Level::Notice));
        match sign {
            0 => desk.bytes += 1,
            1 => {
                let active = desk.active();
                desk.signals.stir(desk.task(), active);
            }
            _ => desk.site.report(desk.job, Report::Heartbeat),
        }
        desk.look();
        assert_eq!(desk.level(), None);
    }
}

#[test]
fn sleep_is_no_idleness_and_what_is_unknown_neither() {
    let mut desk = Desk::new(true);
    desk.wait(Span::mins(5));
    desk.site.down(Span::hours(8), false);
    desk.wait(Span::mins(1));
    assert_eq!(desk.level(), None);
    desk.wait(Span::mins(2));
    assert_eq!(desk.level(), Some(Level::Notice));
    // A server that starts anew has heard nothing yet: the time begins anew.
    desk.signals = Signals::default();
    desk.wait(Span::mins(7));
    assert_eq!((desk.site.word(desk.job), desk.level()), ("running", None));
}
