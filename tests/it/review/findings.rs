//! What is wrong with jobs that ask: nobody was asked (S16), nobody answers (S17), the answer is
//! not used (S18) or not taken (S19), nobody could be told.

use holdshort::base::{JobId, ReviewId, Span, TaskId};
use holdshort::model::action::EffectClass::{self, External, Irreversible};
use holdshort::model::command::TaskEvent;
use holdshort::model::finding::{Finding, Level, Signal};
use holdshort::model::review::{Ask, Delivery, Fallback, Moment, ReviewCommand, ReviewVerb, Wait};
use holdshort::sched::health::{self, Signals};

use super::office::*;

use Level::{Notice, Stuck, Suspect};

/// Scans as the loop does and decides what it says; what is said once is not said again.
fn scan(office: &mut Office) -> Option<Span> {
    let signals = Signals::default();
    let site = &mut office.site;
    let (commands, next) = health::scan(&site.world, &signals, site.at);
    commands.into_iter().for_each(|command| drop(site.run(command)));
    assert_eq!(health::scan(&site.world, &signals, site.at).0, []);
    next.map(|next| next.since(site.at.now))
}

fn found(office: &Office, job: JobId, signal: Signal) -> Option<Finding> {
    office.site.job(job).findings.get(&signal).cloned()
}

fn level(office: &Office, job: JobId, signal: Signal) -> Option<Level> {
    found(office, job, signal).map(|finding| finding.level)
}

fn evidence(office: &Office, job: JobId, signal: Signal, name: &str) -> String {
    let finding = found(office, job, signal).unwrap();
    match finding.evidence.get(name) {
        Some(holdshort::model::reason::Value::Text(text)) => text.clone(),
        Some(holdshort::model::reason::Value::Int(number)) => number.to_string(),
        None => String::new(),
    }
}

/// Passes time and scans whenever that is due.
fn pass(office: &mut Office, span: Span) {
    office.site.advance(span);
    scan(office);
}

fn prompt(office: &mut Office, job: JobId, text: Option<&str>) {
    let task = TaskId { job, attempt: 1, rank: 0 };
    let event = match text {
        Some(text) => TaskEvent::AtPrompt { text: text.into() },
        None => TaskEvent::PromptOver,
    };
    office.site.event(task, event);
}

#[test]
fn s16_a_question_at_a_prompt_that_nobody_was_asked_is_found_in_three_steps() {
    let mut office = Office::new();
    let job = office.job();
    prompt(&mut office, job, Some("Delete all? [y/N]"));
    let due = scan(&mut office);
    assert_eq!(due, Some(Span::secs(60)));
    for (secs, expected) in [(60, Notice), (120, Suspect), (420, Stuck)] {
        assert_ne!(level(&office, job, Signal::Unasked), Some(expected));
        pass(&mut office, Span::secs(secs));
        assert_eq!(level(&office, job, Signal::Unasked), Some(expected));
    }
    assert_eq!(evidence(&office, job, Signal::Unasked, "asks"), "Delete all? [y/N]");
    prompt(&mut office, job, None);
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::Unasked), None);
}

#[test]
fn s16_is_silent_where_a_review_is_open_a_person_works_or_it_is_paused() {
    let mut office = Office::new();
    let asks = office.job();
    office.ask(asks, Irreversible, hold());
    let worked_in = office.job_with(|spec| spec.idle_timeout = Some(Span::hours(9)));
    let paused = office.job();
    for job in [asks, worked_in, paused] {
        prompt(&mut office, job, Some("?"));
    }
    office.site.pause(paused);
    pass(&mut office, Span::mins(4));
    for job in [asks, worked_in, paused] {
        assert_eq!(level(&office, job, Signal::Unasked), None, "{job}");
    }
}

#[test]
fn s17_a_review_ages_at_half_and_four_fifths_of_its_time_whatever_its_job_does() {
    let mut office = Office::new();
    for park in [false, true] {
        let job = office.job();
        let wait = if park { Wait::Park } else { hold() };
        let review = office.ask(job, Irreversible, wait);
        if park {
            office.park(job);
        }
        let deadline = office.review(review).deadline;
        let window = deadline.since(office.site.at.wall);
        let due = scan(&mut office);
        assert_eq!(due.map(|due| due.min(window.percent(50))), Some(window.percent(50)));
        pass(&mut office, window.percent(50) - Span::secs(1));
        assert_eq!(level(&office, job, Signal::ReviewAgeing), None);
        pass(&mut office, Span::secs(1));
        assert_eq!(level(&office, job, Signal::ReviewAgeing), Some(Notice), "park: {park}");
        pass(&mut office, window.percent(30) - Span::secs(1));
        office.act(ana(), review, ReviewVerb::Look).unwrap();
        pass(&mut office, Span::secs(1));
        assert_eq!(level(&office, job, Signal::ReviewAgeing), Some(Suspect));
        let of = |name| evidence(&office, job, Signal::ReviewAgeing, name);
        assert_eq!((of("review"), of("told")), (review.to_string(), "nobody".into()));
        assert_eq!(of("open_at_the_screen_of"), "ana");
        office.act(ana(), review, ReviewVerb::Extend { by: window }).unwrap();
        scan(&mut office);
        assert_eq!(level(&office, job, Signal::ReviewAgeing), None, "it has time again");
        office.approve(bob(), review).unwrap();
        office.site.run(holdshort::model::Command::Tick);
        scan(&mut office);
        assert_eq!(level(&office, job, Signal::ReviewAgeing), None);
        if park {
            office.site.start(job);
        }
        office.site.end(job, 0);
    }
}

#[test]
fn s17_stands_still_while_somebody_was_asked_back_and_waits_for_the_end_of_quiet_hours() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, hold());
    office.act(ana(), review, ReviewVerb::AskBack { text: "why?".into() }).unwrap();
    pass(&mut office, Span::mins(55));
    assert_eq!(level(&office, job, Signal::ReviewAgeing), None);
    office.act(agent(job), review, ReviewVerb::Answer { text: "so".into() }).unwrap();
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::ReviewAgeing), None, "it has had no time yet");
    pass(&mut office, Span::mins(30));
    assert_eq!(level(&office, job, Signal::ReviewAgeing), Some(Notice));

    // It is 08:00 in UTC; nobody is disturbed before noon.
    let mut office = Office::new();
    office.policy(|rule| {
        rule.within = Some(Span::hours(6));
        rule.quiet =
            holdshort::base::calendar::Weekly::parse("UTC", "daily", "06:00", "12:00").ok();
    });
    let job = office.job();
    office.ask(job, Irreversible, Wait::Park);
    pass(&mut office, Span::mins(239));
    assert_eq!(level(&office, job, Signal::ReviewAgeing), None);
    pass(&mut office, Span::mins(1));
    assert_eq!(level(&office, job, Signal::ReviewAgeing), Some(Notice));
}

#[test]
fn s17_one_that_is_asked_again_in_silence_is_stuck_after_its_first_time() {
    let mut office = Office::new();
    office.policy(|rule| {
        rule.fallback = Some(Fallback::KeepWaiting);
        rule.within = Some(HOUR);
    });
    let job = office.job();
    office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    pass(&mut office, Span::mins(61));
    assert_eq!(level(&office, job, Signal::ReviewAgeing), Some(Stuck));
    assert_eq!(office.site.world.index().counts().stuck, 1);
}

fn again(office: &mut Office, job: JobId, key: u32) -> ReviewId {
    let ask = Ask { key: Some(format!("key {key}")), ..asks(Irreversible, hold()) };
    office.try_ask(job, ask).unwrap()
}

#[test]
fn s18_a_yes_that_is_asked_for_again_and_never_used_is_a_loop() {
    let mut office = Office::new();
    let job = office.job();
    for n in 0..6 {
        let review = again(&mut office, job, n);
        scan(&mut office);
        let expected = [None, None, Some(Notice), Some(Suspect), Some(Suspect), Some(Stuck)];
        let n = usize::try_from(n).unwrap();
        assert_eq!(level(&office, job, Signal::ResumeLoop), expected[n], "{n} times");
        office.approve(ana(), review).unwrap();
    }
    assert_eq!(evidence(&office, job, Signal::ResumeLoop, "times"), "5");
    let last = office.site.world.desk().of_job(job).next_back().unwrap().id;
    office.redeem(last).unwrap();
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::ResumeLoop), None, "it was used after all");
}

#[test]
fn s18_what_is_used_each_time_or_denied_each_time_is_no_loop() {
    let mut office = Office::new();
    let job = office.job();
    for n in 0..8 {
        let review = again(&mut office, job, n);
        match n % 2 {
            0 => {
                office.approve(ana(), review).unwrap();
                office.redeem(review).unwrap();
            }
            _ => {
                office.deny(ana(), review).unwrap();
            }
        }
    }
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::ResumeLoop), None);
}

fn try_by(office: &mut Office, job: JobId, named: &str, effect: EffectClass) -> ReviewId {
    let ask = Ask { action: tool(named, r#"{"to":"prod"}"#), ..asks(effect, hold()) };
    office.try_ask(job, ask).unwrap()
}

#[test]
fn s19_another_tool_for_the_same_target_after_a_no_is_a_workaround() {
    let mut office = Office::new();
    let job = office.job();
    let no = try_by(&mut office, job, "deploy", Irreversible);
    office.deny(ana(), no).unwrap();
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::DeniedAgain), None);
    for (tool, expected) in [("ssh", Notice), ("scp", Suspect), ("curl", Stuck)] {
        try_by(&mut office, job, tool, External);
        scan(&mut office);
        assert_eq!(level(&office, job, Signal::DeniedAgain), Some(expected), "{tool}");
    }
    assert_eq!(evidence(&office, job, Signal::DeniedAgain, "by"), "curl");
    assert_eq!(evidence(&office, job, Signal::DeniedAgain, "denied"), no.to_string());
    let last = office.site.world.desk().of_job(job).next_back().unwrap().id;
    office.approve(bob(), last).unwrap();
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::DeniedAgain), None, "people said yes to that");
}

#[test]
fn s19_another_target_what_was_open_before_and_what_expired_are_none() {
    let mut office = Office::new();
    let job = office.job();
    let open = try_by(&mut office, job, "ssh", External);
    let no = try_by(&mut office, job, "deploy", Irreversible);
    office.deny(ana(), no).unwrap();
    let other = holdshort::model::action::Action { target: Some("test".into()), ..shell("ls") };
    office.try_ask(job, Ask { action: other, ..asks(External, hold()) }).unwrap();
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::DeniedAgain), None);
    office.site.advance(Span::hours(2));
    assert!(!office.review(open).is_open(), "in nobody's name");
}

fn tell(office: &mut Office, review: ReviewId, via: &str, failed: Option<&str>, open: bool) {
    let at = office.site.at;
    let failed = failed.map(ToOwned::to_owned);
    let (to, via, moment) = ("ana".into(), via.into(), Moment::Asked);
    let delivery = Delivery { to, via, moment, failed, tries: 3, open, at };
    office.command(ReviewCommand::Told { review, delivery }).unwrap();
}

#[test]
fn a_message_that_reaches_nobody_is_found_and_one_that_arrives_ends_that() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    office.park(job);
    tell(&mut office, review, "chat", Some("503"), true);
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::NobodyTold), None, "it is still tried");
    tell(&mut office, review, "chat", Some("503"), false);
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::NobodyTold), Some(Suspect));
    assert_eq!(evidence(&office, job, Signal::NobodyTold, "because"), "503");
    assert_eq!(office.site.word(job), "in_review");
    tell(&mut office, review, "pager", None, false);
    scan(&mut office);
    assert_eq!(level(&office, job, Signal::NobodyTold), None);
}

#[test]
fn a_finding_about_what_a_job_asks_outlives_its_run() {
    let mut office = Office::new();
    let job = office.job();
    let review = office.ask(job, Irreversible, Wait::Park);
    tell(&mut office, review, "chat", Some("503"), false);
    scan(&mut office);
    let since = found(&office, job, Signal::NobodyTold).unwrap().since;
    office.site.advance(Span::secs(9));
    office.park(job);
    scan(&mut office);
    assert_eq!(found(&office, job, Signal::NobodyTold).unwrap().since, since);
}
