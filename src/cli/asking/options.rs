//! What is said with every question.

use clap::Args;

use crate::base::{Span, duration};
use crate::cli::args::values;
use crate::cli::exit::Failure;
use crate::model::action::{Action, Amount, EffectClass};
use crate::model::review::{Ask, Wait};

/// Options of `ask` and `gate`.
#[derive(Debug, Clone, Args)]
pub struct AskOptions {
    /// What kind of trace it leaves: read, reversible, irreversible, external, money, unknown
    #[arg(long, value_name = "CLASS", value_parser = values::effect)]
    pub effect: EffectClass,
    /// What you say about it; shown apart from what is checked
    #[arg(long, value_name = "TEXT")]
    pub summary: Option<String>,
    /// Hold everything and wait so long for the answer; then end with 75, still asking
    #[arg(long, value_name = "D", value_parser = duration::parse, conflicts_with = "park")]
    pub wait: Option<Span>,
    /// End with 75 at once: save yourself and end with 75 too (what happens without --wait)
    #[arg(long)]
    pub park: bool,
    /// How much money, such as 4180.00; needed for money
    #[arg(long, value_name = "N", requires = "currency")]
    pub amount: Option<String>,
    /// Of what: EUR
    #[arg(long, value_name = "C", requires = "amount")]
    pub currency: Option<String>,
    /// On what: an account, a host, a branch; needed for what is irreversible
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// The same key again finds the recorded answer [default: what is asked for]
    #[arg(long, value_name = "KEY")]
    pub idempotency_key: Option<String>,
    /// Who inside of the job asks
    #[arg(long, value_name = "NAME", value_parser = values::name, hide = true)]
    pub agent: Option<crate::base::Name>,
}

impl AskOptions {
    /// The amount that was given.
    ///
    /// # Errors
    /// A usage failure.
    pub fn money(&self) -> Result<Option<Amount>, Failure> {
        let (Some(value), Some(currency)) = (&self.amount, &self.currency) else { return Ok(None) };
        let amount = Amount::parse(value, currency);
        amount.map(Some).map_err(|why| Failure::usage(why, "--amount 4180.00 --currency EUR"))
    }

    /// The question about such an action.
    ///
    /// # Errors
    /// A usage failure when it lacks what its class needs.
    pub fn ask(&self, action: Action) -> Result<Ask, Failure> {
        let wait = self.wait.map_or(Wait::Park, |most| Wait::Hold { most });
        let ask = Ask {
            effect: self.effect,
            action,
            summary: self.summary.clone().unwrap_or_default(),
            agent: self.agent.clone(),
            alternatives: Vec::new(),
            conditions: Default::default(),
            wait,
            key: self.idempotency_key.clone(),
            step: None,
            undeclared: false,
        };
        match ask.problem() {
            Some(problem) => Err(Failure::usage(problem, self.missing())),
            None => Ok(ask),
        }
    }

    fn missing(&self) -> &'static str {
        match self.effect {
            EffectClass::Money => "--amount 4180.00 --currency EUR",
            EffectClass::Irreversible => "--target WHAT",
            _ => "`holdshort help ask` explains it",
        }
    }
}
