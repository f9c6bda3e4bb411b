//! The rules of gangs that no table covers.

use super::*;

fn group(id: u32, min: u32, active: u32, waiting: u32) -> Member {
    Member::Group(Group { id, min, active, waiting })
}

fn set(min: Option<u32>, members: &[Member]) -> Member {
    Member::Set(Set { min, members: members.to_vec() })
}

fn pairs(shares: &[Share]) -> Vec<(u32, u32)> {
    shares.iter().map(|share| (share.id, share.tasks)).collect()
}

#[test]
fn a_gang_starts_with_its_minimum_and_grows_one_by_one() {
    assert_eq!(pairs(&next_chunk(&group(1, 4, 0, 8))), [(1, 4)]);
    assert_eq!(pairs(&next_chunk(&group(1, 4, 3, 5))), [(1, 1)]);
    assert_eq!(pairs(&next_chunk(&group(1, 4, 4, 4))), [(1, 1)]);
    assert_eq!(pairs(&next_chunk(&group(1, 4, 8, 0))), []);
    assert_eq!(pairs(&next_chunk(&group(1, 4, 0, 3))), []);
}

#[test]
fn all_groups_reach_their_minimum_together() {
    let both = set(None, &[group(1, 2, 0, 9), group(2, 3, 1, 9)]);
    assert_eq!(pairs(&next_chunk(&both)), [(1, 2), (2, 2)]);
    let out_of_reach = set(None, &[group(1, 2, 0, 9), group(2, 3, 1, 1)]);
    assert_eq!(pairs(&next_chunk(&out_of_reach)), []);
}

#[test]
fn a_set_that_needs_some_takes_as_many_as_are_missing_and_can_start() {
    let members = [group(1, 2, 2, 0), group(2, 2, 0, 1), group(3, 2, 0, 9), group(4, 2, 0, 9)];
    assert_eq!(pairs(&next_chunk(&set(Some(2), &members))), [(3, 2)]);
    // The minimum is there: one more member as a whole, before anything merely grows.
    let more = [group(1, 2, 2, 5), group(2, 2, 2, 5), group(3, 2, 0, 9)];
    assert_eq!(pairs(&next_chunk(&set(Some(2), &more))), [(3, 2)]);
    let grown = [group(1, 2, 3, 5), group(2, 2, 2, 5), group(3, 2, 0, 1)];
    assert_eq!(pairs(&next_chunk(&set(Some(2), &grown))), [(2, 1)]);
}

#[test]
fn nested_sets_are_completed_from_within() {
    let inner = set(Some(1), &[group(1, 2, 0, 0), group(2, 2, 0, 2)]);
    let gang = set(None, &[inner, group(3, 1, 1, 4)]);
    assert_eq!(pairs(&next_chunk(&gang)), [(2, 2)]);
}

#[test]
fn surplus_goes_first_then_members_not_needed_then_all() {
    let given = |member: &Member| {
        let (shares, keeps) = next_to_give_up(member);
        (pairs(&shares), keeps)
    };
    assert_eq!(given(&group(1, 2, 4, 0)), (vec![(1, 1)], true));
    assert_eq!(given(&group(1, 2, 2, 0)), (vec![(1, 2)], false));
    let one_of_two = |a, b| set(Some(1), &[group(1, 2, a, 0), group(2, 2, b, 0)]);
    assert_eq!(given(&one_of_two(2, 3)), (vec![(2, 1)], true));
    assert_eq!(given(&one_of_two(2, 2)), (vec![(2, 2)], true));
    assert_eq!(given(&one_of_two(2, 1)), (vec![(2, 1)], true));
    assert_eq!(given(&one_of_two(2, 0)), (vec![(1, 2)], false));
    assert!(!given(&set(None, &[group(1, 2, 2, 0), group(2, 2, 1, 0)])).1);
}

#[test]
fn what_needs_something_goes_before_what_needs_nothing() {
    assert_eq!(member_order(&group(1, 1, 9, 0), &group(2, 0, 0, 0)), Ordering::Less);
    assert_eq!(member_order(&group(1, 0, 9, 0), &group(2, 0, 0, 0)), Ordering::Equal);
    assert_eq!(member_order(&group(1, 9, 0, 0), &group(2, 1, 0, 0)), Ordering::Equal);
}

#[test]
fn standings_are_in_the_order_of_jobs() {
    let states = [Standing::of(0, 1), Standing::of(1, 1), Standing::of(2, 1)];
    assert_eq!(states, [Standing::Below, Standing::Exactly, Standing::Above]);
    assert!(states.is_sorted());
}

#[test]
fn a_gang_is_stale_while_it_holds_room_below_its_minimum() {
    let below = set(None, &[group(1, 2, 2, 0), group(2, 2, 1, 0)]);
    assert!(is_stale(&below, false));
    assert!(!is_stale(&below, true));
    assert!(!is_stale(&group(1, 2, 0, 2), false));
    assert!(!is_stale(&group(1, 2, 2, 0), false));
    assert!(!grace_is_over(Span(59), Some(Span(60))));
    assert!(grace_is_over(Span(60), Some(Span(60))));
    assert!(!grace_is_over(Span(u64::MAX), None));
}
