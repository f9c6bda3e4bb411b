//! What would happen if.

use super::sheet::Sheet;
use crate::base::Name;
use crate::model::estimate::Forecast;
use crate::model::fact::Rule;
use crate::model::outlook::{Outlook, Shift, Start, Taken};
use crate::view::line::{Line, Role};
use crate::view::sight::Sight;
use crate::view::words;

/// The lines of `plan --what-if`.
pub fn outlook(outlook: &Outlook, sight: &Sight) -> Vec<Line> {
    let mut sheet = Sheet::default();
    let nothing = outlook.starts.is_empty()
        && outlook.evictions.is_empty()
        && outlook.shifts.is_empty()
        && outlook.made.is_empty();
    if nothing {
        sheet.line(Line::of("nothing would change", Role::Plain));
        return sheet.done();
    }
    for start in &outlook.starts {
        sheet.line(starts(start));
    }
    for taken in &outlook.evictions {
        sheet.line(gives_room(taken));
    }
    for shift in &outlook.shifts {
        sheet.line(shifts(shift, sight));
    }
    let told = |job| {
        outlook.starts.iter().any(|start| start.job == job)
            || outlook.shifts.iter().any(|shift| shift.job == job)
    };
    for job in outlook.made.iter().filter(|job| !told(**job)) {
        let line = Line::of(job.to_string(), Role::Id);
        sheet.line(line.then(" would wait, and nobody knows for how long", Role::Queued));
    }
    sheet.done()
}

fn named(job: crate::base::JobId, name: &str) -> Line {
    let name = crate::base::text::sanitise(name);
    Line::of(job.to_string(), Role::Id).then(format!(" {name}"), Role::Head)
}

fn starts(start: &Start) -> Line {
    let on = start.nodes.join(", ");
    named(start.job, &start.name).then(format!("  would start at once on {on}"), Role::Running)
}

fn gives_room(taken: &Taken) -> Line {
    let taker = taken.taker.map_or_else(String::new, |taker| format!(" for {taker}"));
    let what = match (taken.moved, taken.rule) {
        (true, _) => format!("  would move to another node{taker}"),
        (false, Rule::Person) => "  would be stopped".to_owned(),
        (false, rule) => format!("  would have to give room{taker} [{}]", rule.word()),
    };
    named(taken.job, &taken.name).then(what, Role::Bad)
}

fn shifts(shift: &Shift, sight: &Sight) -> Line {
    let said = |forecast: &Option<Forecast>, kept_on: &[Name]| match forecast {
        Some(forecast) if shift.returns => words::back(forecast, kept_on, sight),
        Some(forecast) => words::forecast(forecast, sight),
        None => "no start known".to_owned(),
    };
    let (before, after) = (said(&shift.before, &[]), said(&shift.after, &shift.kept_on));
    let line = named(shift.job, &shift.name);
    match shift.before {
        None => line.then(format!("  {after}"), Role::Queued),
        Some(_) => line.then(format!("  {after}, now: {before}"), Role::Queued),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{JobId, Span, Wall};
    use crate::view::line::plain;
    use crate::view::sample::{NOON, at};

    #[test]
    fn an_answer_says_who_starts_who_gives_room_and_whose_start_changes() {
        let forecast = |mins: u64| {
            let at = Wall(NOON) + Span::mins(mins);
            Some(Forecast { from: at, to: at + Span::mins(20), hits_percent: None, guess: false })
        };
        let answer = Outlook {
            made: vec![JobId(9), JobId(10)],
            starts: vec![Start { job: JobId(9), name: "a".into(), nodes: vec!["n1".into()] }],
            evictions: vec![Taken {
                job: JobId(4),
                name: "b".into(),
                rule: Rule::Preempt,
                taker: Some(JobId(9)),
                moved: false,
            }],
            shifts: vec![Shift {
                job: JobId(5),
                name: "c".into(),
                before: forecast(60),
                after: forecast(90),
                returns: false,
                kept_on: vec![],
            }],
        };
        insta::assert_snapshot!(plain(&outlook(&answer, &Sight::utc(at(0)))), @r"
        9 a  would start at once on n1
        4 b  would have to give room for 9 [preempt]
        5 c  starts 14:30–14:50, now: starts 14:00–14:20
        10 would wait, and nobody knows for how long
        ");
        let mut back = answer.shifts[0].clone();
        (back.returns, back.kept_on) = (true, vec!["n1".into()]);
        let line = plain(&[shifts(&back, &Sight::utc(at(0)))]);
        let said = "5 c  returns 14:30–14:50, room kept on n1, now: returns 14:00–14:20";
        assert_eq!(line.trim_end(), said);
        let none = Outlook { made: vec![], starts: vec![], evictions: vec![], shifts: vec![] };
        assert_eq!(plain(&outlook(&none, &Sight::utc(at(0)))).trim_end(), "nothing would change");
    }
}
