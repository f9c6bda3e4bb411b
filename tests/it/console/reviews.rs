//! Reviews on the screen: what somebody sees before deciding, and what it takes to decide.

use std::fmt::Write as _;
use std::sync::Arc;

use holdshort::base::{ReviewId, Span};
use holdshort::model::action::EffectClass;
use holdshort::model::page::ReviewCard;
use holdshort::model::review::{ReviewState, ReviewVerb, Verdict, Wait};
use holdshort::tui::actions::TABLE;
use holdshort::tui::event::{Effect, Event};
use holdshort::tui::keys::Key;
use holdshort::tui::panes::Kind;
use holdshort::tui::{Open, Options, Stage};

use super::desk;
use super::fleet::{self, Fleet};
use super::grid::{block, compact, options, printed, staged, staged_with, text};
use super::link::{Asked, Fake};

const SIZES: [(u16, u16); 4] = [(60, 24), (80, 24), (120, 40), (200, 60)];

fn with(card: ReviewCard) -> Arc<Fake> {
    Fake::new(Fleet { reviews: vec![card], ..desk::many() })
}

/// The console opened at the first review.
fn opened(link: Arc<Fake>, size: (u16, u16), keys: &str) -> Stage {
    let id = ReviewId(17);
    let options = Options { open: Open::Review(id), ..options() };
    staged_with(link, options, size, keys)
}

/// What was voted through a link.
fn votes(link: &Fake) -> Vec<Verdict> {
    let verdict = |asked: Asked| match asked {
        Asked::Review(_, ReviewVerb::Vote { verdict, .. }) => Some(verdict),
        _ => None,
    };
    link.asked().into_iter().filter_map(verdict).collect()
}

fn reversible() -> ReviewCard {
    let mut card = desk::branch();
    card.review.id = ReviewId(17);
    card
}

fn irreversible() -> ReviewCard {
    let mut card = desk::push();
    card.review.id = ReviewId(17);
    card
}

/// Everything a hostile asker can put into every field.
fn hostile() -> ReviewCard {
    let evil = "a\x1b[2J\x1b]52;c;aGk=\x07\u{202e}b\u{200b}c\r\nd\te\u{9b}f";
    let mut action = desk::argv(&["pay", "--to", evil, &"\n".repeat(10_000), "\u{430}cme"]);
    action.target = Some(evil.into());
    let mut card = desk::card(17, EffectClass::Irreversible, action, 2, Span::mins(50));
    let review = &mut card.review;
    let ask = Arc::make_mut(&mut review.ask);
    ask.summary = format!("{evil}{}ok", "\n".repeat(10_000));
    ask.agent = Some(evil.into());
    review.owner = evil.into();
    review.opened.insert(evil.into(), fleet::NOW);
    card.beside.job_name = evil.into();
    card.listed = vec![evil.into()];
    card
}

/// As much as is shown whole.
fn long() -> ReviewCard {
    let tail = format!("{}; rm -rf /", "x".repeat(63 << 10));
    let action = desk::argv(&["sh", "-c", &tail]);
    desk::card(17, EffectClass::Irreversible, action, 2, Span::mins(50))
}

#[test]
fn the_card_reads_as_it_should_however_it_stands_and_whatever_the_size() {
    let hash = desk::money().review.hash;
    let mut voted = desk::money();
    voted.review.votes.push(desk::vote("ana", Verdict::Approve, hash, fleet::NOW));
    voted.beside.yes = 2;
    let no = "wrong account";
    let cards = [
        ("open", desk::money()),
        ("voted", desk::decided(voted, ReviewState::Approved, &["bob", "ana"], "")),
        ("denied", desk::decided(desk::money(), ReviewState::Denied, &["ana"], no)),
        ("expired", desk::decided(desk::money(), ReviewState::Expired, &[], "")),
        ("hostile", hostile()),
        ("long", long()),
    ];
    for (name, card) in cards {
        let mut all = String::new();
        for size in SIZES {
            let screen = compact(&opened(with(card.clone()), size, "").buffer());
            let _ = writeln!(all, "== {name}, {} x {}\n{screen}", size.0, size.1);
        }
        insta::assert_snapshot!(format!("review-{name}"), all);
    }
}

#[test]
fn the_list_has_each_thing_once_and_first_what_one_may_answer() {
    for size in SIZES {
        let screen = printed(&staged(Fake::new(desk::many()), size, "").buffer());
        insta::assert_snapshot!(format!("people-{}x{}", size.0, size.1), screen);
    }
    let screen = text(&staged(Fake::new(desk::many()), (80, 24), "").buffer());
    assert!(screen.contains("WAITING ON PEOPLE 5 - you can answer 4"), "{screen}");
    assert!(screen.contains("ACT NOW  R17 pay 4180.00 EUR"), "{screen}");
    assert!(!screen.contains(" 205 "), "its review stands for it: {screen}");
    assert!(screen.contains("+ 2 more"), "{screen}");
    let roomy = text(&staged(Fake::new(desk::many()), (120, 40), "").buffer());
    assert!(roomy.contains("+ 1 waits on others"), "{roomy}");
    let screen = text(&staged(Fake::new(desk::many()), (80, 24), "1").buffer());
    assert!(screen.contains("R20"), "{screen}");
}

#[test]
fn the_key_for_what_is_most_urgent_leads_there_and_the_title_counts() {
    let stage = staged(Fake::new(desk::many()), (80, 24), "3jn");
    assert_eq!(stage.app.target().review, Some(ReviewId(17)));
    let title = Effect::Title("(5 need you, 1 stuck) holdshort gpu-box-3".into());
    assert!(stage.effects.contains(&title), "{:?}", stage.effects);
    let stage = staged(Fake::new(desk::many()), (80, 24), "<enter>");
    assert_eq!(stage.app.kind(), Kind::Review);
}

#[test]
fn a_new_review_rings_once_and_again_when_its_time_is_short() {
    let link = Fake::new(desk::many());
    let mut stage = staged(link.clone(), (80, 24), "");
    let told = |stage: &Stage| -> Vec<String> {
        let notes = stage.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(text) => Some(text.clone()),
            _ => None,
        });
        notes.collect()
    };
    assert_eq!(told(&stage), [""; 0]);
    let mut new = desk::branch();
    new.review.id = ReviewId(30);
    link.change(|fleet| fleet.reviews.push(new));
    block(stage.fetch());
    block(stage.fetch());
    assert_eq!(told(&stage), ["R30 asks: git branch -m old new"]);
    link.change(|fleet| fleet.reviews[1].review.deadline = fleet::NOW.wall + Span::mins(9));
    block(stage.fetch());
    assert!(
        told(&stage).iter().any(|said| said.starts_with("R18 denied in ")),
        "{:?}",
        told(&stage)
    );
}

#[test]
fn money_takes_its_amount_and_can_be_taken_back() {
    let link = with(desk::money());
    let mut stage = opened(link.clone(), (120, 40), "A");
    let screen = text(&stage.buffer());
    assert!(screen.contains("YES to R17"), "{screen}");
    let asked = "This is money. Type the amount to say yes: 4180.00 EUR";
    assert!(screen.contains(asked), "{screen}");
    block(stage.press("418<enter>"));
    assert!(text(&stage.buffer()).contains("that is something else; nothing was decided"));
    assert_eq!(votes(&link), []);
    block(stage.press("4180.00<enter>"));
    let hash = desk::money().review.hash.to_string();
    let asked = link.asked();
    let [Asked::Review(ReviewId(17), ReviewVerb::Vote { hash: seen, version, undo, verdict, .. })] =
        &asked[..]
    else {
        panic!("{asked:?}")
    };
    assert_eq!((seen.as_ref(), *version), (Some(&hash), Some(1)));
    assert_eq!((*undo, *verdict), (Span::secs(10), Verdict::Approve));
    let screen = text(&stage.buffer());
    assert!(screen.contains("yes to R17; it counts from 10s on (u takes it back)"), "{screen}");
    block(stage.press("u"));
    let back = Asked::Review(ReviewId(17), ReviewVerb::Revoke { reason: None });
    assert_eq!(link.asked().last(), Some(&back));
    assert!(text(&stage.buffer()).contains("REVOKED by ana"), "{}", text(&stage.buffer()));
}

#[test]
fn what_is_irreversible_takes_its_target_and_what_is_not_the_key_again() {
    let link = with(irreversible());
    let stage = opened(link.clone(), (120, 40), "Aorigin<enter>");
    assert!(text(&stage.buffer()).contains("Type the target"), "{}", text(&stage.buffer()));
    assert_eq!(votes(&link), []);
    opened(link.clone(), (120, 40), "Aorigin main<enter>");
    assert_eq!(votes(&link), [Verdict::Approve]);
    let link = with(reversible());
    let stage = opened(link.clone(), (120, 40), "A");
    let screen = text(&stage.buffer());
    assert!(screen.contains("This can be undone. Press A a second time"), "{screen}");
    assert_eq!(votes(&link), []);
    opened(link.clone(), (120, 40), "AA");
    assert_eq!(votes(&link), [Verdict::Approve]);
}

#[test]
fn no_single_key_no_enter_and_no_y_says_yes() {
    let keys = [
        "A<enter>",
        "A<enter><enter>",
        "Ay",
        "Ay<enter>",
        "A<space>",
        "Yy",
        "y",
        "AY<enter>",
        "<enter>",
        "AAAA<enter>",
        "A<up><enter>",
        "A1<enter>",
        "D<enter><enter>",
        "Dy<esc>",
        "Ds",
        "D1<enter><esc>",
    ];
    for card in [desk::money(), irreversible(), reversible()] {
        for keys in keys {
            if keys == "AAAA<enter>" && card.review.ask.effect == EffectClass::Reversible {
                continue;
            }
            let link = with(card.clone());
            opened(link.clone(), (120, 40), keys);
            assert_eq!(votes(&link), [], "{keys} {:?}", card.review.ask.effect);
        }
    }
}

#[test]
fn what_arrives_at_once_says_nothing() {
    for card in [desk::money(), irreversible(), reversible()] {
        let link = with(card.clone());
        let mut stage = opened(link.clone(), (120, 40), "");
        block(async {
            stage.pass(Span::secs(5)).await;
            // A finger on the key, and a paste without brackets that takes its time.
            let typed = "AAAAAA4180.00\rorigin main\rA4180.00\rA".chars();
            for c in typed {
                let key = if c == '\r' { Key::parse("enter").unwrap() } else { Key::char(c) };
                stage.event(Event::Key(key)).await;
                stage.pass(Span(90)).await;
            }
        });
        assert_eq!(votes(&link), [], "{:?}", card.review.ask.effect);
        // What is pasted with them is text, and a yes is not pasted either.
        block(async {
            stage.press("<esc><esc>A").await;
            stage.pass(Span::secs(5)).await;
            stage.event(Event::Paste("4180.00\norigin main\n".into())).await;
            stage.press("<enter>").await;
        });
        assert_eq!(votes(&link), [], "{:?}", card.review.ask.effect);
    }
}

#[test]
fn a_torn_arrow_key_says_nothing() {
    for card in [desk::money(), reversible()] {
        let link = with(card);
        let mut stage = opened(link.clone(), (120, 40), "");
        for keys in ["<esc>[A", "<esc>OA", "<esc>[D", "A<esc>[A", "A<esc>OD", "<alt-[>A"] {
            block(stage.press(keys));
            assert_eq!(votes(&link), [], "{keys}");
            block(stage.press("<esc>"));
            if stage.app.kind() != Kind::Review {
                block(stage.press("g<enter>"));
            }
        }
    }
}

#[test]
fn a_yes_needs_that_the_last_line_was_seen() {
    let link = with(long());
    let mut stage = opened(link.clone(), (80, 24), "A");
    let screen = text(&stage.buffer());
    assert!(screen.contains("read the bytes to their end first"), "{screen}");
    assert!(stage.app.popup.is_none());
    block(stage.press("vGv"));
    block(stage.press("A"));
    assert!(stage.app.popup.is_some(), "{}", text(&stage.buffer()));
    let mut stage = opened(with(long()), (120, 40), "<pgdn>A");
    assert!(stage.app.popup.is_none());
    block(stage.press("GA"));
    assert!(stage.app.popup.is_some(), "{}", text(&stage.buffer()));
}

#[test]
fn every_byte_can_be_read() {
    let mut stage = opened(with(long()), (80, 24), "v");
    let mut seen = String::new();
    for _ in 0..200 {
        let screen = text(&stage.buffer());
        seen.push_str(&screen);
        if screen.contains("rm -rf /") {
            break;
        }
        block(stage.press("<pgdn>"));
    }
    assert!(seen.contains("; rm -rf /"));
    assert!(seen.matches('x').count() >= 63 << 10, "{}", seen.matches('x').count());
}

#[test]
fn hostile_text_is_shown_and_does_nothing() {
    for size in SIZES {
        let mut stage = opened(with(hostile()), size, "");
        for keys in ["", "G", "g", "v", "G", "v", "A", "<esc>", "D", "<esc>"] {
            block(stage.press(keys));
            let screen = text(&stage.buffer());
            let acts = |c: char| {
                (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}' | '\u{9b}')
            };
            assert!(!screen.chars().any(acts), "{keys} {size:?}: {screen:?}");
        }
    }
    let mut stage = opened(with(hostile()), (120, 40), "");
    let mut screen = text(&stage.buffer());
    block(stage.press("G"));
    screen.push_str(&text(&stage.buffer()));
    for said in [r"\u{1b}[2J", r"\u{202e}", r"\u{200b}", "control, invisible", "U+0430"] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
}

#[test]
fn a_card_that_changes_under_the_line_closes_it() {
    let link = with(desk::money());
    let mut stage = opened(link.clone(), (120, 40), "A4180.0");
    link.change(|fleet| {
        let card = &mut fleet.reviews[0];
        let action = desk::argv(&["payctl", "transfer", "--to", "elsewhere"]);
        desk::act(card, &ReviewVerb::Edit { action: Box::new(action), hash: None });
    });
    block(stage.fetch());
    assert!(stage.app.popup.is_none());
    let screen = text(&stage.buffer());
    assert!(screen.contains("R17 changed while you answered: read it again"), "{screen}");
    block(stage.press("<enter>"));
    assert_eq!(votes(&link), []);
    // Somebody else was faster.
    let link = with(desk::money());
    let mut stage = opened(link.clone(), (120, 40), "A");
    link.change(|fleet| {
        let denied = desk::decided(fleet.reviews[0].clone(), ReviewState::Denied, &["bob"], "no");
        fleet.reviews[0] = denied;
    });
    block(stage.fetch());
    assert!(stage.app.popup.is_none());
    assert!(text(&stage.buffer()).contains("R17 is denied meanwhile: your answer is not sent"));
}

#[test]
fn what_changed_just_now_is_not_what_was_read() {
    let link = with(reversible());
    let mut stage = opened(link.clone(), (120, 40), "");
    link.change(|fleet| {
        let action = desk::argv(&["git", "branch", "-D", "main"]);
        let verb = ReviewVerb::Edit { action: Box::new(action), hash: None };
        desk::act(&mut fleet.reviews[0], &verb);
    });
    block(async {
        stage.fetch().await;
        stage.event(Event::Key(Key::char('A'))).await;
    });
    assert!(stage.app.popup.is_none());
    assert!(
        text(&stage.buffer()).contains("it came up just now; read it, then A again"),
        "{}",
        text(&stage.buffer())
    );
}

#[test]
fn a_no_has_a_reason_and_may_stop_the_job() {
    let denied = |keys: &str| {
        let link = with(desk::money());
        opened(link.clone(), (120, 40), keys);
        link.asked().into_iter().find_map(|asked| match asked {
            Asked::Review(_, ReviewVerb::Vote { verdict, reason, .. }) => Some((verdict, reason)),
            _ => None,
        })
    };
    let no = |stop, why: &str| Some((Verdict::Deny { stop }, Some(why.to_owned())));
    assert_eq!(denied("D2<enter><enter>"), no(false, "wrong target"));
    assert_eq!(denied("Dnew account<enter>s"), no(true, "new account"));
    assert_eq!(denied("D<enter>"), None);
    assert_eq!(denied("D2<enter><esc>"), None);
    let screen = text(&opened(with(desk::money()), (80, 24), "D").buffer());
    assert!(screen.contains("1 not needed") && screen.contains("NO to R17"), "{screen}");
}

#[test]
fn a_no_is_taken_back_before_it_counts() {
    for keys in ["u", "Ry"] {
        let link = with(desk::money());
        let mut stage = opened(link.clone(), (120, 40), "D2<enter>s");
        let screen = text(&stage.buffer());
        assert!(screen.contains("no to R17; its job stops in 10s (u takes it back)"), "{screen}");
        assert!(screen.contains("(counts in "), "{screen}");
        block(stage.press(keys));
        let back = Asked::Review(ReviewId(17), ReviewVerb::Revoke { reason: None });
        assert_eq!(link.asked().last(), Some(&back), "{keys}");
        let screen = text(&stage.buffer());
        assert!(screen.contains("your answer to R17 taken back"), "{screen}");
    }
    let stage = opened(with(desk::money()), (120, 40), "R");
    assert!(stage.app.popup.is_none());
    assert!(text(&stage.buffer()).contains("you have not answered it; D says no"));
}

#[test]
fn what_is_typed_for_a_yes_stands_there_at_every_size() {
    for (card, typed) in [(desk::money(), "4180.00 EUR"), (irreversible(), "origin main")] {
        for size in SIZES {
            let mut stage = opened(with(card.clone()), size, "GA");
            let screen = text(&stage.buffer());
            let last = screen.trim_end().lines().last().unwrap().to_owned();
            assert!(last.contains(typed), "{size:?}: {screen}");
            block(stage.press("4"));
            let screen = text(&stage.buffer());
            let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(&format!("say yes: {typed}")), "{size:?}: {screen}");
            assert!(!screen.trim_end().lines().last().unwrap().contains(typed), "{screen}");
        }
    }
}

#[test]
fn a_place_without_a_server_says_that_it_does_not_sign() {
    let mut card = desk::money();
    card.beside.reader.sure = false;
    card.beside.reader.why_not = Some("a yes needs a signature".into());
    let link = with(card);
    let pen = holdshort::link::Pen { agent: Some("/nowhere".into()), key: None };
    let options = Options { open: Open::Review(ReviewId(17)), pen, ..options() };
    let stage = staged_with(link.clone(), options, (120, 40), "A4180<enter>");
    let screen = text(&stage.buffer());
    assert!(screen.contains("votes are not signed here"), "{screen}");
    assert_eq!(votes(&link), []);
}

#[test]
fn the_other_answers_go_where_they_should() {
    let asked = |keys: &str| {
        let link = with(desk::money());
        opened(link.clone(), (120, 40), keys);
        match link.asked().pop() {
            Some(Asked::Review(_, verb)) => Some(verb),
            _ => None,
        }
    };
    assert_eq!(asked("Cwhy?<enter>"), Some(ReviewVerb::AskBack { text: "why?".into() }));
    assert_eq!(asked("Tbob<enter>"), Some(ReviewVerb::Delegate { to: "bob".into() }));
    assert_eq!(asked("N<enter>"), Some(ReviewVerb::Extend { by: Span::hours(1) }));
    assert_eq!(asked("Xy"), Some(ReviewVerb::Escalate));
    for nothing in ["C<enter>", "T<enter>", "N<ctrl-u>soon<enter>", "X<enter>", "R", "E"] {
        assert_eq!(asked(nothing), None, "{nothing}");
    }
}

#[test]
fn an_edit_comes_back_as_a_question_that_says_what_changes() {
    let link = with(desk::money());
    let mut stage = opened(link.clone(), (120, 40), "E");
    let editing = stage.effects.iter().find_map(|effect| match effect {
        Effect::Edit(editing) => Some(editing.clone()),
        _ => None,
    });
    let editing = editing.unwrap();
    let less = editing.text.replace("4180.00", "418.00");
    block(stage.event(Event::Edited(editing.clone(), Ok(less))));
    let screen = text(&stage.buffer());
    assert!(screen.contains("CHANGE R17") && screen.contains("becomes 418.00"), "{screen}");
    assert!(screen.contains("every vote so far is void"), "{screen}");
    assert_eq!(link.asked(), []);
    block(stage.press("y"));
    let Some(Asked::Review(_, ReviewVerb::Edit { action, hash })) = link.asked().pop() else {
        panic!("{:?}", link.asked())
    };
    assert_eq!(hash, Some(desk::money().review.hash.to_string()));
    assert_eq!(action.amount.unwrap().to_string(), "418.00 EUR");
    // The same, nonsense, and an editor that failed change nothing.
    let link = with(desk::money());
    let mut stage = opened(link.clone(), (120, 40), "");
    for text in [Ok(editing.text.clone()), Ok("{".into()), Err("it ended with 1".into())] {
        block(stage.event(Event::Edited(editing.clone(), text)));
        assert!(stage.app.popup.is_none());
    }
    assert_eq!(link.asked(), []);
}

#[test]
fn who_may_not_answer_is_told_so() {
    let mut card = desk::money();
    card.beside.reader = desk::reader(None);
    let link = with(card);
    let stage = opened(link.clone(), (120, 40), "A");
    assert!(stage.app.popup.is_none());
    let screen = text(&stage.buffer());
    assert!(screen.contains("ana is not listed to decide this"), "{screen}");
    assert_eq!((link.asked(), link.glances()), (vec![], vec![]));
}

#[test]
fn others_see_that_somebody_looks() {
    let link = with(desk::money());
    let mut stage = opened(link.clone(), (120, 40), "");
    assert_eq!(link.glances(), [(ReviewId(17), "look")]);
    block(async {
        stage.pass(Span::secs(19)).await;
        assert_eq!(link.glances().len(), 1);
        assert!(stage.app.next_tick() <= Some(stage.now + Span::secs(1)), "it wakes for that");
        stage.pass(Span::secs(1)).await;
        assert_eq!(link.glances(), [(ReviewId(17), "look"); 2], "it is said again");
        stage.press("q").await;
    });
    assert_eq!(link.glances().last(), Some(&(ReviewId(17), "leave")));
    let stage = opened(with(desk::money()), (120, 40), "<ctrl-c>");
    let at = |wanted: &str| {
        stage.effects.iter().position(|effect| format!("{effect:?}").contains(wanted)).unwrap()
    };
    assert!(at("Leave") < at("Quit"), "{:?}", stage.effects);
}

#[test]
fn no_answer_leaves_a_console_that_only_looks() {
    for action in TABLE {
        let link = with(desk::money());
        let open = Open::Review(ReviewId(17));
        let looks = Options { read_only: true, open, ..options() };
        let mut stage = staged_with(link.clone(), looks, (120, 40), "");
        let screen = text(&stage.buffer());
        assert!(!screen.contains("A approve") && !screen.contains("D deny"), "{screen}");
        block(async {
            if let Some(key) = action.keys.first() {
                stage.press(&format!("<{key}>")).await;
            }
            stage.press("4180<enter>1<enter><enter>yA<esc>").await;
            stage.press(&format!(":{}<enter>4180<enter>1<enter>y", action.name)).await;
        });
        assert_eq!(link.asked(), [], "{}", action.name);
        assert_eq!(link.glances(), [], "{}", action.name);
        assert!(!stage.effects.iter().any(|e| matches!(e, Effect::Edit(_))), "{}", action.name);
    }
}

#[test]
fn a_jobs_view_lists_what_it_asked_and_leads_there() {
    let done = desk::decided(desk::money(), ReviewState::Denied, &["ana"], "no");
    let mut card = desk::push();
    card.review.job = done.review.job;
    let link = Fake::new(Fleet { reviews: vec![card, done], ..desk::many() });
    let options = Options { open: Open::Job(holdshort::base::JobId(205)), ..options() };
    let mut stage = staged_with(link, options, (120, 40), "");
    let screen = text(&stage.buffer());
    assert!(screen.contains("REVIEWS 2") && screen.contains("denied by ana"), "{screen}");
    block(stage.press("<enter>"));
    assert_eq!(stage.app.target().review, Some(ReviewId(18)));
}

#[test]
fn a_review_that_is_decided_elsewhere_leaves_nothing_chosen() {
    let link = Fake::new(desk::many());
    let mut stage = staged(link.clone(), (80, 24), "jk");
    assert_eq!(stage.app.target().review, Some(ReviewId(17)));
    link.change(|fleet| {
        fleet.reviews.remove(0);
    });
    block(stage.fetch());
    assert_eq!(stage.app.target().review, None);
    let screen = text(&stage.buffer());
    assert!(screen.contains("R17 is not open any more; nothing is chosen"), "{screen}");
}

#[test]
fn one_person_without_configuration_sees_no_team() {
    let mut card = desk::branch();
    card.review.team = "default".into();
    card.review.job = holdshort::base::JobId(3);
    Arc::make_mut(&mut card.review.ask).wait = Wait::Go;
    let link = Fake::new(Fleet { reviews: vec![card], ..fleet::few() });
    let screen = text(&staged(link, (80, 24), "").buffer());
    assert!(screen.contains("R19") && !screen.contains("TEAM"), "{screen}");
}
