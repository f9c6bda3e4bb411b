//! The list by urgency, as plain text.

use super::*;
use crate::model::finding::{Level, Signal};
use crate::model::job::{Exit, FailureClass};
use crate::model::page::{Counts, Cursor};
use crate::view::line::plain;
use crate::view::sample::{asking, at, element, ended, finding, queued, running};

fn page(jobs: Vec<JobRow>) -> JobPage {
    JobPage { jobs, next: None, counts: Counts::default(), seq: 1, at: at(0) }
}

fn shown(page: &JobPage, room: Option<usize>, filtered: bool) -> String {
    let sight = Sight::utc(at(48 * 60_000));
    plain(&list(page, &sight, Listing { room, filtered }))
}

fn night() -> JobPage {
    let mut stuck = running(219, "crawl-eu");
    stuck.team = "ml".into();
    stuck.request.gpu_milli = 1000;
    stuck.findings = vec![finding(Signal::NeverStarted, Level::Stuck)];
    let array = (0..500).map(|i| element(queued(300 + u64::from(i), "embed"), 300, i));
    let failed = Outcome::Failed(FailureClass::Exit);
    let mut jobs = vec![asking(231, "fix-auth", "A or B?"), stuck, running(226, "eval")];
    jobs.extend(array);
    jobs.push(element(queued(900, "lone"), 800, 7));
    jobs.push(ended(217, "sync-crm", failed, Some(Exit::Code(1))));
    jobs.push(ended(218, "ok", Outcome::Succeeded, Some(Exit::Code(0))));
    page(jobs)
}

#[test]
fn a_night_on_one_page() {
    insta::assert_snapshot!(shown(&night(), None, false), @r#"
        ID  WHAT        TEAM     STATE      SINCE  GPU  WHAT HAPPENS NEXT
    WAITING ON PEOPLE 1
    ?  231  fix-auth    default  at prompt    47m    -  "A or B?"
    STUCK 1
    x  219  crawl-eu    ml       running      48m    1  started and has given no sign of life
    RUNNING 2
    *  219  crawl-eu    ml       running      47m    1  started and has given no sign of life
    *  226  eval        default  running      47m    -  no end known
    QUEUED 501
    .  300  embed[500]  default  queued       48m    -  waits for room
    .  900  lone #7     default  queued       48m    -  waits for room
    ENDED 2 - 1 ok, 1 FAILED
    X  217  sync-crm    default  failed       47m    -  exit 1, took 59s
    +  218  ok          default  succeeded    47m    -  ok, took 59s
    "#);
}

#[test]
fn a_narrow_terminal_keeps_every_column() {
    insta::assert_snapshot!(shown(&night(), Some(60), false), @r#"
       ID WHAT       TEAM  STATE     SINCE GPU WHAT HAPPENS NEXT
    WAITING ON PEOPLE 1
    ? 231 fix-auth   defa… at prompt   47m   - "A or B?"
    STUCK 1
    x 219 crawl-eu   ml    running     48m   1 started and has …
    RUNNING 2
    * 219 crawl-eu   ml    running     47m   1 started and has …
    * 226 eval       defa… running     47m   - no end known
    QUEUED 501
    . 300 embed[500] defa… queued      48m   - waits for room
    . 900 lone #7    defa… queued      48m   - waits for room
    ENDED 2 - 1 ok, 1 FAILED
    X 217 sync-crm   defa… failed      47m   - exit 1, took 59s
    + 218 ok         defa… succeeded   47m   - ok, took 59s
    "#);
}

#[test]
fn nobody_sees_a_team_or_a_gpu_before_one_is_used() {
    let text = shown(&page(vec![queued(1, "a")]), None, false);
    assert!(!text.contains("TEAM") && !text.contains("GPU"), "{text}");
    let mut row = queued(1, "a");
    row.team = "ml".into();
    assert!(shown(&page(vec![row]), None, false).contains("TEAM"));
}

#[test]
fn an_empty_list_says_what_to_do() {
    let mut empty = page(vec![]);
    assert!(shown(&empty, None, false).contains("holdshort submit"));
    assert!(shown(&empty, None, true).contains("no job matches"));
    empty.counts.ended = 3;
    assert!(shown(&empty, None, false).contains("3 jobs ended earlier"));
}

#[test]
fn counts_are_of_everything_unless_filtered() {
    let mut some = page(vec![queued(1, "a")]);
    some.counts.queued = 31;
    some.next = Some(Cursor { lane: Lane::Queued, place: (0, 0, 0) });
    assert!(shown(&some, None, false).contains("QUEUED 31\n"));
    assert!(shown(&some, None, false).contains("only the first 1:"));
    assert!(shown(&some, None, true).contains("QUEUED 1+\n"));
}

#[test]
fn hostile_names_stay_on_their_line() {
    let text = shown(&page(vec![queued(1, "a\n\x1b[2Jb\u{202e}")]), None, false);
    assert!(text.contains("a⏎b�"), "{text}");
    assert_eq!(text.lines().count(), 3);
}
