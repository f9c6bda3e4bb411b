//! One file per rule. Policies take plain numbers, never the world, so that each can be tested
//! with any combination.
//!
//! Jobs: [`order`], [`boost`], [`deadline`], [`inheritance`], [`fit`], [`glance`],
//! [`fragments`], [`retry`], [`gang`].
//! Teams: [`amounts`] and [`queue`] are the words,
//! [`shares`] and [`usage`] say what each may have, [`queue_order`] whose turn it is, [`gates`]
//! what never may be exceeded, [`taking`] and [`protection`] what one may take from another.
//! Time: [`estimate`] and [`history`] say how long a job runs, [`reservation`] and [`profile`]
//! when there is room for it, of any [`capacity`]; [`window`] which hours of the week count.
//! People: [`review`] says what is decided how, [`returns`] when they answer, [`habit`] how.
//! Nodes: [`spot`] which may vanish, [`pool`] how many. Jobs that run on and on: [`service`].

pub mod amounts;
pub mod boost;
pub mod capacity;
pub mod deadline;
pub mod estimate;
pub mod fit;
pub mod fragments;
pub mod gang;
pub mod gates;
pub mod glance;
pub mod habit;
pub mod history;
pub mod inheritance;
pub mod order;
pub mod pool;
pub mod profile;
pub mod protection;
pub mod queue;
pub mod queue_order;
pub mod reservation;
pub mod retry;
pub mod returns;
pub mod review;
pub mod service;
pub mod shares;
pub mod spot;
pub mod taking;
pub mod usage;
pub mod window;
