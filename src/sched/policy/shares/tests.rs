//! The rules of shares that no table covers, and what holds for any claims.

use proptest::prelude::*;

use super::*;

const PLAIN: Terms = Terms { k_ppb: 0, unit: 1 };
const DEVICES: Terms = Terms { k_ppb: 0, unit: 1000 };

fn claim(quota: u64, weight: u64, request: u64) -> Claim {
    Claim { quota: Some(quota), weight, request, ..Claim::default() }
}

#[test]
fn quota_is_unconditional_and_then_there_is_no_surplus() {
    let (shares, left) = divide(10, &[claim(8, 0, 8), claim(8, 1, 9), claim(0, 1, 9)], PLAIN);
    assert_eq!((shares, left), (vec![8, 8, 0], 0));
}

#[test]
fn an_unlimited_quota_is_the_total_and_a_limit_binds_it() {
    let unlimited = Claim { quota: None, request: 99, ..Claim::default() };
    let limited = Claim { limit: Some(4), ..unlimited };
    assert_eq!(divide(10, &[unlimited, limited], PLAIN), (vec![10, 4], 0));
}

#[test]
fn weight_zero_never_gets_surplus_even_when_nobody_else_wants_it() {
    assert_eq!(divide(10, &[claim(2, 0, 9), claim(0, 1, 3)], PLAIN), (vec![2, 3], 5));
}

#[test]
fn a_higher_tier_takes_all_it_wants_rounding_included() {
    let high = Claim { priority: 1, ..claim(0, 1, 2000) };
    let (shares, left) = divide(3000, &[claim(0, 9, 9000), high, high], DEVICES);
    assert_eq!((shares, left), (vec![0, 2000, 1000], 0));
}

#[test]
fn what_one_does_not_want_is_offered_to_the_others_again() {
    let claims = [claim(0, 1, 10), claim(0, 1, 100), claim(0, 2, 100)];
    assert_eq!(divide(100, &claims, PLAIN), (vec![10, 30, 60], 0));
}

#[test]
fn devices_are_dealt_out_whole_and_leftovers_by_fraction_then_age() {
    let old = Claim { created: 1, ..claim(0, 1, 9000) };
    let young = Claim { created: 2, ..old };
    assert_eq!(divide(3000, &[young, old], DEVICES), (vec![1000, 2000], 0));
    let heavy = Claim { weight: 2, ..young };
    // 1.67 and 3.33 devices: the larger fraction wins although it is the smaller share.
    assert_eq!(divide(5000, &[heavy, old], DEVICES), (vec![3000, 2000], 0));
    // The final fraction of a device goes where a whole one would.
    assert_eq!(divide(3500, &[young, old], DEVICES), (vec![1500, 2000], 0));
}

/// Offered 1.5 devices each, both get a whole one; the leftover is a whole one for the older,
/// though 0.6 would do.
#[test]
fn a_leftover_is_a_whole_unit_even_if_less_is_wanted() {
    let claims = [claim(0, 1, 1600), claim(0, 1, 9000)];
    assert_eq!(divide(3000, &claims, DEVICES), (vec![2000, 1000], 0));
}

/// Of 2.5 devices the last half is a leftover too.
#[test]
fn the_last_leftover_may_be_a_fraction() {
    let claims = [claim(0, 1, 9000), claim(0, 1, 9000)];
    assert_eq!(divide(2500, &claims, DEVICES), (vec![1500, 1000], 0));
}

#[test]
fn past_usage_lowers_surplus_never_quota_and_never_below_nothing() {
    let terms = Terms { k_ppb: 4_000_000_000, unit: 1 };
    let heavy = Claim { usage_ppb: 900_000_000, ..claim(6, 1, 100) };
    assert_eq!(divide(106, &[heavy, claim(0, 1, 100)], terms), (vec![6, 100], 0));
    // Once the light one is satisfied, the heavy one may have the rest.
    assert_eq!(divide(106, &[heavy, claim(0, 1, 40)], terms), (vec![66, 40], 0));
}

#[test]
fn each_parent_shares_out_its_own_share_and_orphans_get_nothing() {
    let cpu = |n| Amounts { cpu_milli: n, ..Amounts::default() };
    let team = |parent, quota, request| Team {
        parent,
        quota: cpu(quota).into(),
        request: cpu(request),
        ..Team::default()
    };
    let teams = [
        team(Some(1), 0, 50),
        team(None, 40, 80),
        team(Some(1), 50, 60),
        team(None, 0, 5),
        team(Some(9), 7, 7),
    ];
    let (shares, left) = divide_tree(&cpu(50), &teams, 0);
    let shares: Vec<u64> = shares.iter().map(|share| share.cpu_milli).collect();
    // The top deals 40 + 5 and 5; below, the quota of 50 is more than the parent got.
    assert_eq!((shares, left), (vec![0, 45, 50, 5, 0], Amounts::default()));
}

fn claims() -> impl Strategy<Value = Vec<Claim>> {
    let bound = |most: u64| prop_oneof![Just(None), (0..most).prop_map(Some)];
    let one = (bound(4000), bound(9000), 0..4u64, -1..2i64, 0..3u64, 0..9000u64, 0..9u64);
    let one = one.prop_map(|(quota, limit, weight, priority, created, request, usage)| Claim {
        quota,
        limit,
        weight,
        priority,
        created,
        request,
        usage_ppb: usage * 100_000_000,
    });
    prop::collection::vec(one, 0..7)
}

fn terms() -> impl Strategy<Value = Terms> {
    let k = prop_oneof![Just(0), Just(500_000_000), Just(3_000_000_000)];
    (k, prop_oneof![Just(1), Just(1000)]).prop_map(|(k_ppb, unit)| Terms { k_ppb, unit })
}

proptest! {
    #[test]
    fn shares_stay_within_bounds_and_nothing_is_made_or_lost(
        total in 0..20_000u64, claims in claims(), terms in terms(),
    ) {
        let (shares, left) = divide(total, &claims, terms);
        let owed = |claim: &Claim| claim.quota.unwrap_or(total).min(claim.wish());
        for (claim, share) in claims.iter().zip(&shares) {
            let most = claim.wish() + if claim.weight > 0 { terms.unit } else { 1 };
            prop_assert!(*share < most);
            prop_assert!(*share >= owed(claim));
        }
        let quotas: u64 = claims.iter().map(owed).sum();
        prop_assert_eq!(shares.iter().sum::<u64>() + left, total.max(quotas));
    }

    #[test]
    fn no_surplus_is_left_while_somebody_with_weight_wants_it(
        total in 0..20_000u64, claims in claims(), unit in prop_oneof![Just(1), Just(1000)],
    ) {
        let (shares, left) = divide(total, &claims, Terms { k_ppb: 0, unit });
        let wants = |(claim, share): (&Claim, &u64)| claim.weight > 0 && *share < claim.wish();
        prop_assert!(left == 0 || !claims.iter().zip(&shares).any(wants), "{shares:?} {left}");
    }

    #[test]
    fn a_lower_tier_gets_surplus_only_when_the_higher_ones_want_no_more(
        total in 0..20_000u64, claims in claims(), unit in prop_oneof![Just(1), Just(1000)],
    ) {
        let (shares, _) = divide(total, &claims, Terms { k_ppb: 0, unit });
        let both = || claims.iter().zip(&shares);
        for (low, share) in both() {
            let got_surplus = *share > low.quota.unwrap_or(total).min(low.wish());
            let wants = |(high, share): (&Claim, &u64)| {
                high.priority > low.priority && high.weight > 0 && *share < high.wish()
            };
            prop_assert!(!got_surplus || !both().any(wants), "{shares:?}");
        }
    }

    #[test]
    fn the_order_of_siblings_only_breaks_ties_of_age(
        total in 0..20_000u64, claims in claims(), terms in terms(), turn in 0..7usize,
    ) {
        let mut claims = claims;
        for (at, claim) in claims.iter_mut().enumerate() {
            claim.created = at as u64;
        }
        let (mut shares, left) = divide(total, &claims, terms);
        let turn = turn.min(claims.len());
        claims.rotate_left(turn);
        shares.rotate_left(turn);
        prop_assert_eq!(divide(total, &claims, terms), (shares, left));
    }
}
