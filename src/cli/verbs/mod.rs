//! One file for each verb or small family: its options, and what it does with them.

pub mod act;
pub mod again;
pub mod attach;
pub mod completions;
pub mod config;
pub mod conform;
pub mod console;
pub mod enable;
pub mod events;
pub mod help;
pub mod journal;
pub mod lab;
pub mod logs;
pub mod ls;
pub mod nodes;
pub mod pause;
pub mod plan;
pub mod report;
pub mod send;
pub mod serve;
pub mod server;
pub mod set;
pub mod show;
pub mod submit;
pub mod wait;
