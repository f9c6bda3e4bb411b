//! A place whose jobs ask, and a person outside of all of them who answers.

use std::path::PathBuf;

use holdshort::base::{JobId, ReviewId, Span};
use holdshort::link::local::Local;
use holdshort::link::{Link, LinkError};
use holdshort::model::page::reviews::Which;
use holdshort::model::page::{ReviewCard, ReviewQuery};
use holdshort::model::review::{Review, ReviewState, ReviewVerb, Verdict};

use crate::place::{Place, wait_for};

/// One node with four cores and one GPU that is not there.
pub const ONE_GPU: &str = "[[node]]\nname = \"n1\"\ncpu = \"4\"\nmem = \"64Gi\"\ngpus = 1\n";

/// A place whose jobs ask.
pub struct Agents {
    pub place: Place,
}

impl Agents {
    pub fn new(more: &str) -> Agents {
        let place = Place::new(&format!("{ONE_GPU}{more}"));
        place.ok("server start");
        Agents { place }
    }

    fn with<T>(&self, call: impl AsyncFnOnce(&Local) -> Result<T, LinkError>) -> T {
        // Whoever kills the server between two looks finds it up again.
        self.place.json("ls");
        let link = Local::new(self.place.path("run/holdshort/socket"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(call(&link)).unwrap()
    }

    /// Everything that a job asked, oldest first.
    pub fn asked(&self, job: u64) -> Vec<Review> {
        let query =
            ReviewQuery { job: Some(JobId(job)), which: Which::All, ..ReviewQuery::default() };
        let page = self.with(async |link| link.reviews(query.clone()).await);
        let mut ids: Vec<ReviewId> = page.reviews.iter().map(|row| row.id).collect();
        ids.sort();
        ids.into_iter().map(|id| self.review(id)).collect()
    }

    pub fn review(&self, id: ReviewId) -> Review {
        self.with(async |link| link.review(id, None).await).review
    }

    /// The open review of a job, once there is one.
    pub fn open(&self, job: u64) -> Review {
        let mut found = None;
        wait_for(&format!("job {job} to ask"), || {
            found = self.asked(job).into_iter().find(Review::is_open);
            found.is_some()
        });
        found.unwrap()
    }

    #[allow(clippy::needless_pass_by_value, reason = "callers make it on the spot")]
    pub fn act(&self, id: ReviewId, verb: ReviewVerb) -> ReviewCard {
        self.with(async |link| link.review_act(id, verb.clone()).await)
    }

    fn vote(&self, review: &Review, verdict: Verdict, reason: Option<&str>) {
        let verb = ReviewVerb::Vote {
            verdict,
            reason: reason.map(ToOwned::to_owned),
            hash: Some(review.hash_text()),
            version: None,
            undo: Span::ZERO,
            uses: None,
            until: None,
            signature: None,
        };
        self.act(review.id, verb);
    }

    pub fn approve(&self, review: &Review) {
        self.vote(review, Verdict::Approve, None);
    }

    pub fn deny(&self, review: &Review, reason: &str) {
        self.vote(review, Verdict::Deny { stop: false }, Some(reason));
    }

    pub fn until_review(&self, id: ReviewId, state: ReviewState) {
        wait_for(&format!("{id} to be {}", state.word()), || self.review(id).state == state);
    }

    /// A file of the place that jobs and this test use to meet.
    pub fn path(&self, name: &str) -> PathBuf {
        self.place.path(name)
    }

    /// Lines of such a file.
    pub fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(ToOwned::to_owned).collect()
    }

    /// Waits until a file has a line that begins so.
    pub fn until_line(&self, name: &str, begins: &str) {
        wait_for(&format!("{begins} in {name}"), || {
            self.lines(name).iter().any(|line| line.starts_with(begins))
        });
    }

    pub fn touch(&self, name: &str) {
        std::fs::write(self.path(name), "").unwrap();
    }

    /// An executable script in the place; `$DIR` is the place.
    pub fn script(&self, name: &str, text: &str) -> String {
        let text = format!("#!/bin/sh\nDIR={}\n{text}\n", self.path("").display());
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
        path.display().to_string()
    }

    /// Submits a script of the place.
    pub fn submit(&self, options: &str, script: &str) -> u64 {
        let script = format!("DIR={}\n{script}", self.path("").display());
        self.place.submit(options, &script)
    }
}
