//! Random steps of asking, voting and parking. Every step is checked by the driver; nothing may be
//! open or usable when all jobs are over. The seed is fixed; `PROPTEST_CASES=2000` looks further.

use holdshort::base::{JobId, ReviewId, Span};
use holdshort::model::action::EffectClass;
use holdshort::model::review::{ReviewState, ReviewVerb, Verdict, Wait};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::office::{Office, agent, ana, asks, bob, carl, dora, shell, vote};

#[derive(Debug, Clone)]
enum Step {
    Submit { cpu: u64, requeue: bool },
    Ask { job: usize, effect: usize, wait: usize, what: u8 },
    Vote { review: usize, by: usize, yes: bool, stop: bool, undo: bool },
    Talk { review: usize, what: u8 },
    Redeem { review: usize, other: bool },
    Over { review: usize, how: u8 },
    Start,
    End { job: usize, code: i32 },
    Advance { secs: u64 },
    Down { off: bool },
    Pause { job: usize, on: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let which = || 0..16usize;
    prop_oneof![
        2 => (500..3000u64, any::<bool>()).prop_map(|(cpu, requeue)| Step::Submit { cpu, requeue }),
        4 => (which(), which(), which(), 0..3u8)
            .prop_map(|(job, effect, wait, what)| Step::Ask { job, effect, wait, what }),
        5 => (which(), which(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
            |(review, by, yes, stop, undo)| Step::Vote { review, by, yes, stop, undo }
        ),
        2 => (which(), 0..6u8).prop_map(|(review, what)| Step::Talk { review, what }),
        3 => (which(), any::<bool>()).prop_map(|(review, other)| Step::Redeem { review, other }),
        1 => (which(), 0..3u8).prop_map(|(review, how)| Step::Over { review, how }),
        3 => Just(Step::Start),
        3 => (which(), prop_oneof![Just(75), Just(0), Just(1)])
            .prop_map(|(job, code)| Step::End { job, code }),
        3 => prop_oneof![1..60u64, 60..7200u64, 7200..200_000u64]
            .prop_map(|secs| Step::Advance { secs }),
        1 => any::<bool>().prop_map(|off| Step::Down { off }),
        1 => (which(), any::<bool>()).prop_map(|(job, on)| Step::Pause { job, on }),
    ]
}

struct Run(Office);

impl Run {
    fn job(&self, at: usize) -> Option<JobId> {
        let live = self.0.site.world.jobs().filter(|job| job.is_live());
        let jobs: Vec<JobId> = live.map(|job| job.id).collect();
        (!jobs.is_empty()).then(|| jobs[at % jobs.len()])
    }

    fn review(&self, at: usize) -> Option<ReviewId> {
        let all: Vec<ReviewId> = self.0.site.world.desk().all().map(|review| review.id).collect();
        (!all.is_empty()).then(|| all[at % all.len()])
    }

    /// A refusal is an answer too; what counts is checked by the driver.
    fn take(&mut self, step: Step) -> Option<()> {
        let office = &mut self.0;
        match step {
            Step::Submit { cpu, requeue } => {
                let submit = |job: &mut holdshort::model::JobSpec| {
                    (job.request.cpu_milli, job.requeue) = (cpu, requeue);
                };
                office.site.try_submit(carl(), submit).unwrap();
            }
            Step::Ask { job, effect, wait, what } => {
                let job = self.job(job)?;
                let waits =
                    [Wait::Park, Wait::Hold { most: Span::mins(5) }, Wait::Freeze, Wait::Go];
                let effect = EffectClass::ALL[effect % EffectClass::ALL.len()];
                let mut ask = asks(effect, waits[wait % waits.len()]);
                ask.action.args = shell(&format!("rm {what}")).args;
                let _ = self.0.try_ask(job, ask);
            }
            Step::Vote { review, by, yes, stop, undo } => {
                let review = self.review(review)?;
                let by = [ana(), bob(), dora(), carl()][by % 4].clone();
                let hash = self.0.review(review).hash.to_string();
                let verdict = if yes { Verdict::Approve } else { Verdict::Deny { stop } };
                let vote = vote(verdict, Some("so"), Some(&hash));
                let vote = if undo { super::undo::undoable(vote) } else { vote };
                let _ = self.0.act(by, review, vote);
            }
            Step::Talk { review, what } => {
                let review = self.review(review)?;
                let job = self.0.review(review).job;
                let (by, verb) = match what {
                    0 => (ana(), ReviewVerb::AskBack { text: "why?".into() }),
                    1 => (agent(job), ReviewVerb::Answer { text: "so".into() }),
                    2 => (bob(), ReviewVerb::Delegate { to: "dora".into() }),
                    3 => (ana(), ReviewVerb::Escalate),
                    4 => (dora(), ReviewVerb::Extend { by: Span::hours(1) }),
                    _ => (dora(), ReviewVerb::Look),
                };
                let _ = self.0.act(by, review, verb);
            }
            Step::Redeem { review, other } => {
                let review = self.review(review)?;
                let _ = match other {
                    true => self.0.redeem_action(review, shell("rm other")),
                    false => self.0.redeem(review),
                };
            }
            Step::Over { review: at, how } => {
                let review = at;
                let review = self.review(review)?;
                let job = self.0.review(review).job;
                let reason = None;
                let (by, verb) = match how {
                    0 => ([ana(), bob(), dora()][at % 3].clone(), ReviewVerb::Revoke { reason }),
                    how => (agent(job), ReviewVerb::Withdraw { reason, abandoned: how == 1 }),
                };
                let _ = self.0.act(by, review, verb);
            }
            Step::Start => office.site.start_all(),
            Step::End { job, code } => {
                let job = self.job(job)?;
                self.0.site.end(job, code);
            }
            Step::Advance { secs } => office.site.advance(Span::secs(secs)),
            Step::Down { off } => office.site.down(Span::mins(30), off),
            Step::Pause { job, on } => {
                let job = self.job(job)?;
                let verb = match on {
                    true => holdshort::model::command::Verb::Pause { until: None, reason: None },
                    false => holdshort::model::command::Verb::Resume,
                };
                let by = crate::sched::given::owner();
                let _ = self.0.site.try_act(by, &[job], verb);
            }
        }
        Some(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(17),
        failure_persistence: None,
        cases: ProptestConfig::default().cases.min(2000) / 4,
        ..ProptestConfig::default()
    })]

    #[test]
    fn whatever_is_asked_and_answered_the_rules_hold(
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut run = Run(Office::new());
        run.0.site.json_every = 7;
        run.0.policy(|rule| {
            rule.effects = [EffectClass::Money].into();
            rule.need = Some(2);
        });
        for step in steps {
            run.take(step);
        }
        while let Some(job) = run.job(0) {
            run.0.site.cancel(job);
            run.0.site.end(job, 143);
        }
        let over = |state| !matches!(state, ReviewState::Open | ReviewState::Approved);
        prop_assert!(run.0.site.world.desk().all().all(|review| over(review.state)));
    }
}
