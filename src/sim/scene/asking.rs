//! What the jobs of the scene ask people, and what people did with it before the present.

use crate::base::Span;
use crate::model::action::EffectClass;
use crate::model::review::Wait;
use crate::sim::petition::{Move, Petition, request, told, worth};

/// Minutes before the present, and what is done then.
type Entry = (u64, Petition);

/// Everything, in no order.
pub(super) fn everything() -> Vec<Entry> {
    let parts = [payments(), transfer(), push(), drop_table(), mail(), rotate()];
    parts.into_iter().flatten().collect()
}

fn at(minutes: u64, job: &'static str, step: Move) -> Entry {
    (minutes, Petition { job, step })
}

fn asks(ask: crate::model::review::Ask) -> Move {
    Move::Ask(Box::new(ask))
}

fn transfer_of(amount: &str, to: &str, reference: &str, wait: Wait) -> crate::model::review::Ask {
    let args = format!(
        r#"{{"argv":["payctl","transfer","--from","DE12 5001 0517 0000 0000 01","--to",{to:?},
            "--amount",{amount:?},"--currency","EUR","--ref",{reference:?}],"cwd":"/srv/pay"}}"#
    );
    let ask = request(EffectClass::Money, "payctl", &args, wait);
    worth(told(ask, "Acme GmbH", "claude/payer", ""), amount)
}

/// Earlier payments to the same supplier, each with its yes.
fn payments() -> Vec<Entry> {
    const TO: &str = "DE89 3704 0044 0532 7781 00";
    const PAID: [(u64, &str, &str); 6] = [
        (395, "212.00", "INV-4398"),
        (381, "640.50", "INV-4405"),
        (366, "899.90", "INV-4411"),
        (352, "95.00", "INV-4420"),
        (340, "3900.00", "INV-4433"),
        (327, "450.00", "INV-4452"),
    ];
    let mut entries = Vec::new();
    for (minutes, amount, reference) in PAID {
        let wait = Wait::Hold { most: Span::mins(30) };
        let ask = transfer_of(amount, TO, reference, wait);
        entries.push(at(minutes, "pay-suppliers", asks(ask)));
        entries.push(at(minutes - 2, "pay-suppliers", Move::Yes("carl")));
        // Much money needs two.
        if amount == "3900.00" {
            entries.push(at(minutes - 3, "pay-suppliers", Move::Yes("bob")));
        }
    }
    entries
}

/// The payment that is urgent: another account, and more than ever.
fn transfer() -> Vec<Entry> {
    let job = "triage-inbox";
    let to = "DE89 3704 0044 0532 0130 00";
    let mut ask = transfer_of("4180.00", to, "INV-4471", Wait::Park);
    "Invoice 4471 is due today. Please approve quickly, late fees apply."
        .clone_into(&mut ask.summary);
    vec![
        at(48, job, asks(ask)),
        at(14, job, Move::AskBack("bob", "same account as last month?")),
        at(13, job, Move::Answer("yes, see contract.pdf")),
        at(11, job, Move::Yes("bob")),
        at(3, job, Move::Look("carl")),
    ]
}

fn push() -> Vec<Entry> {
    let args = r#"{"command":"git push --force-with-lease origin main","cwd":"/srv/web/billing",
        "description":"publish the rewritten history","timeout":120000}"#;
    let wait = Wait::Hold { most: Span::mins(30) };
    let ask = request(EffectClass::Irreversible, "Bash", args, wait);
    let summary = "The history had a token in it. I removed it from all 212 commits.";
    let ask = told(ask, "origin main", "claude", summary);
    vec![at(3, "refactor-billing", asks(ask))]
}

/// A no with a reason, and what the agent tried then.
fn drop_table() -> Vec<Entry> {
    let job = "docs-writer";
    let gone = r#"{"command":"rm -rf docs/v1","cwd":"/srv/web"}"#;
    let wait = Wait::Hold { most: Span::mins(30) };
    let ask = request(EffectClass::Irreversible, "Bash", gone, wait);
    let ask = told(ask, "docs/v1", "claude", "v1 is not linked from anywhere.");
    let other = r#"{"command":"git mv docs/v1 docs/archive/v1","cwd":"/srv/web"}"#;
    let second = request(EffectClass::Reversible, "Bash", other, Wait::Go);
    let second = told(second, "docs/v1", "claude", "Moved to the archive instead of deleted.");
    vec![
        at(21, job, asks(ask)),
        at(17, job, Move::No("ana", "customers still have links to it; archive it")),
        at(15, job, asks(second)),
    ]
}

/// Something that only others may decide.
fn mail() -> Vec<Entry> {
    let args = r#"{"argv":["mailer","send","--list","customers-eu","--count","1240",
        "--template","price-change.html"],"cwd":"/srv/ops"}"#;
    let ask = request(EffectClass::External, "mailer", args, Wait::Park);
    let ask = told(ask, "customers-eu", "claude/mailer", "Prices change on 1 December.");
    vec![at(26, "notify-customers", asks(ask))]
}

/// Somebody asked back, and the clock stands.
fn rotate() -> Vec<Entry> {
    let args = r#"{"argv":["vault","rotate","--path","prod/db","--now"],"cwd":"/srv/ops"}"#;
    let ask = request(EffectClass::Irreversible, "vault", args, Wait::Park);
    let ask = told(ask, "prod/db", "claude", "The key is 91 days old; the limit is 90.");
    vec![
        at(19, "rotate-keys", asks(ask)),
        at(9, "rotate-keys", Move::AskBack("dora", "which services read it at start only?")),
    ]
}
