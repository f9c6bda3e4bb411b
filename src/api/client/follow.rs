//! Streams: a job's output and the facts of the journal.

use std::collections::VecDeque;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use tokio::time::Instant;

use super::calls::of_job;
use super::sse::{Message, Parser};
use super::{Ask, CallError, Client, PATIENCE, PAUSE};
use crate::api::wire::event::{Event, RESET, Reset};
use crate::api::wire::timed::Frames;
use crate::base::{JobId, Wall};
use crate::model::page::{EventRow, LogQuery};

/// A piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// When it was written, to the second, if that was asked for and is known.
    pub at: Option<Wall>,
    /// The bytes.
    pub bytes: Bytes,
}

impl Piece {
    fn of((at, bytes): (Option<Wall>, Vec<u8>)) -> Piece {
        Piece { at, bytes: bytes.into() }
    }
}

impl From<Bytes> for Piece {
    fn from(bytes: Bytes) -> Piece {
        Piece { at: None, bytes }
    }
}

/// What a stream of facts brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A fact.
    Fact(Box<EventRow>),
    /// Facts up to this record are no longer there; those after it follow.
    Reset(u64),
}

impl Client {
    /// Output of a job. A connection that breaks is an error inside the stream.
    ///
    /// # Errors
    /// As every call.
    pub async fn logs(
        &self,
        job: JobId,
        query: LogQuery,
    ) -> Result<BoxStream<'static, Result<Piece, CallError>>, CallError> {
        let ask = Ask::get(of_job(job, "/logs"))
            .query("attempt", query.attempt)
            .query("rank", query.rank)
            .query("follow", Some(query.follow))
            .query("tail_bytes", query.tail_bytes)
            .query("times", query.times.then_some(true))
            .patient();
        let body = self.stream(&ask).await?.bytes_stream();
        let broken = |error: reqwest::Error| {
            let why = super::root_cause(&error);
            CallError::Unreachable(format!("the output broke off ({why})"))
        };
        let body = body.map(move |bytes| bytes.map_err(broken));
        if !query.times {
            return Ok(body.map(|bytes| bytes.map(|bytes| Piece { at: None, bytes })).boxed());
        }
        let mut frames = Frames::default();
        let pieces = move |bytes: Result<Bytes, CallError>| {
            let pieces = bytes.and_then(|bytes| Ok(frames.push(&bytes)?));
            stream::iter(match pieces {
                Ok(pieces) => pieces.into_iter().map(Piece::of).map(Ok).collect(),
                Err(error) => vec![Err(error)],
            })
        };
        Ok(body.map(pieces).flatten().boxed())
    }

    /// Facts after `since` (from the oldest on if not given), of one job if given, then new ones as
    /// they come if
    /// `follow`. A lost connection is looked for again and nothing is missed or heard twice.
    ///
    /// # Errors
    /// As every call; later ones are inside the stream.
    pub async fn events(
        &self,
        since: Option<u64>,
        follow: bool,
        job: Option<JobId>,
    ) -> Result<BoxStream<'static, Result<Heard, CallError>>, CallError> {
        let mut reader = Reader {
            client: self.clone(),
            follow,
            job,
            last: since,
            begun: 0,
            repeated: 0,
            parser: Parser::default(),
            body: None,
            ready: VecDeque::new(),
            over: false,
        };
        reader.open().await?;
        let step = |mut reader: Reader| async move {
            let item = reader.next().await?;
            Some((item, reader))
        };
        Ok(stream::unfold(reader, step).boxed())
    }
}

struct Reader {
    client: Client,
    follow: bool,
    job: Option<JobId>,
    /// The last record that came whole.
    last: Option<u64>,
    /// Facts that came of the record after it.
    begun: usize,
    /// Facts that come a second time after a new connection.
    repeated: usize,
    parser: Parser,
    body: Option<BoxStream<'static, reqwest::Result<Bytes>>>,
    ready: VecDeque<Heard>,
    over: bool,
}

impl Reader {
    async fn open(&mut self) -> Result<(), CallError> {
        let ask = Ask::get("/api/v1/events")
            .query("since", self.last)
            .query("job", self.job)
            .query("follow", Some(self.follow))
            .patient();
        let response = self.client.stream(&ask).await?;
        self.body = Some(response.bytes_stream().boxed());
        self.parser = Parser::default();
        self.repeated = self.begun;
        self.begun = 0;
        Ok(())
    }

    async fn next(&mut self) -> Option<Result<Heard, CallError>> {
        loop {
            if let Some(heard) = self.ready.pop_front() {
                return Some(Ok(heard));
            }
            if self.over {
                return None;
            }
            if let Err(error) = self.read().await {
                self.over = true;
                return Some(Err(error));
            }
        }
    }

    /// Reads on, or finds the server again.
    async fn read(&mut self) -> Result<(), CallError> {
        let piece = match &mut self.body {
            Some(body) => body.next().await,
            None => return self.find_again().await,
        };
        match piece {
            Some(Ok(bytes)) => {
                let messages = self.parser.push(&bytes);
                let messages = messages.map_err(|why| CallError::Protocol(why.to_owned()))?;
                messages.into_iter().try_for_each(|message| self.take(&message))
            }
            None if !self.follow => {
                self.over = true;
                Ok(())
            }
            Some(Err(_)) | None => {
                self.body = None;
                Ok(())
            }
        }
    }

    /// A server that is going down still answers for a moment, so "no" is not final here.
    async fn find_again(&mut self) -> Result<(), CallError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.open().await {
                Ok(()) => return Ok(()),
                // It was looked for patiently already, or was ended on purpose.
                Err(error @ CallError::Unreachable(_)) => return Err(error),
                Err(error) if Instant::now() >= until => return Err(error),
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    fn take(&mut self, message: &Message) -> Result<(), CallError> {
        let nonsense = |error| CallError::Protocol(format!("an event makes no sense: {error}"));
        if message.event == RESET {
            let reset: Reset = serde_json::from_str(&message.data).map_err(nonsense)?;
            self.last = Some(reset.seq);
            (self.begun, self.repeated) = (0, 0);
            self.ready.push_back(Heard::Reset(reset.seq));
            return Ok(());
        }
        let event: Event = serde_json::from_str(&message.data).map_err(nonsense)?;
        let row = EventRow::try_from(event)?;
        self.begun += 1;
        if message.id.is_some() {
            self.last = Some(row.seq);
            self.begun = 0;
        }
        if self.repeated > 0 {
            self.repeated -= 1;
        } else {
            self.ready.push_back(Heard::Fact(Box::new(row)));
        }
        Ok(())
    }
}
