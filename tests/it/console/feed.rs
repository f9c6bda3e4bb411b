//! The tasks between console and link: what is wanted comes, news is gathered, a lost connection
//! comes back.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use holdshort::base::{JobId, Span};
use holdshort::link::Link;
use holdshort::model::Fact;
use holdshort::model::page::EventRow;
use holdshort::tui::event::Deed;
use holdshort::tui::feed::{Connection, Data, Feed, From, Output, Rows, Want};
use holdshort::tui::section::Section;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::fleet::{self, ago};
use super::link::{Asked, Fake};

const PATIENCE: Duration = Duration::from_secs(20);

struct Ears {
    feed: Feed,
    data: mpsc::Receiver<Data>,
}

fn listen(link: &Arc<Fake>, wants: &[Want]) -> Ears {
    let link: Arc<dyn Link> = link.clone();
    let (out, data) = mpsc::channel(256);
    let feed = Feed::start(&link, &out);
    feed.want(wants.iter().cloned().collect());
    Ears { feed, data }
}

impl Ears {
    /// Waits for something; what came before it.
    async fn until(&mut self, what: &str, wanted: impl Fn(&Data) -> bool) -> Vec<Data> {
        let mut heard = Vec::new();
        loop {
            let data = timeout(PATIENCE, self.data.recv()).await.expect(what).expect(what);
            let found = wanted(&data);
            heard.push(data);
            if found {
                return heard;
            }
        }
    }
}

fn queued(filter: &str) -> Want {
    let section = Section::Queued;
    let (from, filter) = (From::Start, filter.into());
    let (since, limit, again, watch) = (None, 50, 0, false);
    Want::Rows(Rows { section, filter, since, from, limit, again, watch })
}

fn answers(data: &Data, want: &Want) -> bool {
    matches!(data, Data::Answer(answered, _) if answered == want)
}

fn fact(seq: u64) -> EventRow {
    let fact = Fact::JobQueued { job: JobId(240) };
    EventRow { seq, at: ago(Span::ZERO), by: None, fact }
}

#[tokio::test]
async fn a_new_want_is_answered_at_once() {
    let link = Fake::new(fleet::many());
    let mut ears = listen(&link, &[Want::Summary]);
    ears.until("live", |data| *data == Data::Link(Connection::Live)).await;
    for filter in ["b", "ba", "batch"] {
        ears.feed.want(BTreeSet::from([queued(filter)]));
    }
    // Of what was typed quickly only the last has to come.
    ears.until("rows", |data| answers(data, &queued("batch"))).await;
}

#[tokio::test]
async fn much_news_is_few_pages() {
    let link = Fake::new(fleet::many());
    let mut ears = listen(&link, &[queued("")]);
    ears.until("live", |data| *data == Data::Link(Connection::Live)).await;
    ears.until("rows", |data| answers(data, &queued(""))).await;
    let before = link.queries().len();
    for seq in 0..1000 {
        link.publish(fact(101 + seq));
    }
    let heard = ears
        .until("the last fact", |data| match data {
            Data::Facts(rows, _) => rows.last().is_some_and(|row| row.seq == 1100),
            _ => false,
        })
        .await;
    ears.until("its job", |data| matches!(data, Data::Changed { .. })).await;
    let facts: usize = heard
        .iter()
        .map(|data| match data {
            Data::Facts(rows, _) => rows.len(),
            _ => 0,
        })
        .sum();
    assert!(facts >= 1000, "no fact is left out");
    let asked = link.queries().split_off(before);
    assert!(asked.len() <= 5, "{} calls for one burst", asked.len());
    assert!(asked.iter().all(|query| query.ids == [JobId(240)]), "only what changed: {asked:?}");
}

#[tokio::test]
async fn what_is_in_sight_is_brought_up_to_date_with_what_changed() {
    let link = Fake::new(fleet::many());
    let seen = Want::InSight(vec![JobId(226), JobId(217)]);
    let mut ears = listen(&link, &[queued(""), seen]);
    ears.until("live", |data| *data == Data::Link(Connection::Live)).await;
    ears.until("rows", |data| answers(data, &queued(""))).await;
    link.publish(fact(101));
    let changed = |data: &Data| matches!(data, Data::Changed { .. });
    let heard = ears.until("rows", changed).await;
    let Some(Data::Changed { asked, page, .. }) = heard.last() else { panic!("{heard:?}") };
    assert_eq!(asked.len(), 3);
    let ids: Vec<u64> = page.jobs.iter().map(|row| row.id.0).collect();
    assert_eq!(ids, [226, 240, 217]);
    // A fact about no job is about all of them: pages again.
    let fact =
        Fact::NodeDrained { node: "gpu-box-3".into(), on: true, by: "bob".into(), reason: None };
    link.publish(EventRow { seq: 102, at: ago(Span::ZERO), by: None, fact });
    ears.until("a page", |data| answers(data, &queued(""))).await;
}

#[tokio::test]
async fn a_lost_connection_is_tried_until_it_is_back() {
    let link = Fake::new(fleet::many());
    let mut ears = listen(&link, &[queued("")]);
    ears.until("live", |data| *data == Data::Link(Connection::Live)).await;
    link.unplug("gone");
    ears.until("the second try", |data| {
        matches!(data, Data::Link(Connection::Lost { attempt: 2, .. }))
    })
    .await;
    link.plug();
    ears.until("live", |data| *data == Data::Link(Connection::Live)).await;
    ears.until("rows", |data| answers(data, &queued(""))).await;
}

#[tokio::test]
async fn output_comes_as_long_as_it_is_wanted() {
    let link = Fake::new(fleet::many());
    let output = Output { job: JobId(198), rank: 0, attempt: None, tail: 1024 };
    let mut ears = listen(&link, &[Want::Output(output)]);
    let heard = ears.until("end", |data| *data == Data::OutputEnds(output, None)).await;
    assert!(heard.contains(&Data::OutputBegins(output)));
    assert!(heard.iter().any(|data| matches!(data, Data::More(from, _) if *from == output)));
}

#[tokio::test]
async fn deeds_are_done_in_order_and_told() {
    let link = Fake::new(fleet::many());
    let mut ears = listen(&link, &[]);
    for byte in 0..50u8 {
        let job = JobId(231);
        assert!(ears.feed.act(Deed::Input { job, rank: 0, bytes: vec![byte] }));
    }
    assert!(ears.feed.act(Deed::Drain { node: "gpu-box-3".into(), on: true, reason: None }));
    ears.until("all", |data| matches!(data, Data::Did(Deed::Drain { .. }, Ok(None)))).await;
    let sent: Vec<u8> = link
        .asked()
        .into_iter()
        .filter_map(|asked| match asked {
            Asked::Input(_, bytes) => bytes.first().copied(),
            _ => None,
        })
        .collect();
    assert_eq!(sent, (0..50).collect::<Vec<u8>>());
}
