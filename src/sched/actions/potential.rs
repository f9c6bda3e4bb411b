//! What could come free at most: whether a search for victims can succeed at all.
//!
//! Nobody who asks for more than a node's free room and all that possible victims hold there can
//! be helped, whatever the search would try. That is asked first, since most searches in a full
//! installation would fail after a long time. It never says no where a search could succeed.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::base::Name;
use crate::model::Resources;
use crate::sched::actions::need::times;
use crate::sched::actions::search::Taker;
use crate::sched::actions::victims::{Batch, Choice};
use crate::sched::board::Board;
use crate::sched::board::potential::Giver;
use crate::sched::board::settle::Deed;
use crate::sched::policy::amounts::Amounts;
use crate::sched::policy::order::Place;

impl Board {
    /// Whether the tasks of a taker could all find room if every possible victim went.
    pub(super) fn could_ever_serve(&mut self, choice: &dyn Choice, taker: &Taker) -> bool {
        let teams = 0..self.teams.count();
        let looks: Vec<bool> = teams.map(|team| choice.looks_into(self, team)).collect();
        let mut needs: BTreeMap<&Resources, u64> = BTreeMap::new();
        for request in &taker.requests {
            *needs.entry(request).or_default() += 1;
        }
        let needs = needs.into_iter().map(|(request, tasks)| (request.clone(), tasks)).collect();
        let key = (looks, needs);
        if choice.allows_all() && self.potential.never.contains(&key) {
            return false;
        }
        let could = self.could_give_at_most(choice, &key.0, &key.1);
        if !could && choice.allows_all() {
            self.potential.never.insert(key);
        }
        could
    }

    fn could_give_at_most(
        &mut self,
        choice: &dyn Choice,
        looks: &[bool],
        needs: &[(Resources, u64)],
    ) -> bool {
        let held = self.could_give(choice, looks);
        self.looks += self.rooms.len() as u64;
        needs.iter().all(|(request, tasks)| {
            let need = Amounts::from(request);
            let mut left = *tasks;
            for (node, held) in held.iter().enumerate() {
                left = left.saturating_sub(times(&self.free_on(node).plus(held), &need));
                if left == 0 {
                    break;
                }
            }
            left == 0
        })
    }

    /// What all possible victims hold, by node.
    fn could_give(&mut self, choice: &dyn Choice, looks: &[bool]) -> Rc<Vec<Amounts>> {
        let held = match choice.allows_all() {
            true => match self.potential.whole.get(looks) {
                Some(known) => known.clone(),
                None => {
                    let held = Rc::new(self.held_by(choice, looks));
                    self.potential.whole.insert(looks.to_vec(), held.clone());
                    held
                }
            },
            false => Rc::new(self.held_by(choice, looks)),
        };
        self.with_new(held, choice, looks)
    }

    fn held_by(&mut self, choice: &dyn Choice, looks: &[bool]) -> Vec<Amounts> {
        let mut held = vec![Amounts::default(); self.rooms.len()];
        for team in (0..looks.len()).filter(|team| looks[*team]) {
            let givers = self.givers_of(team);
            self.looks += givers.len() as u64;
            for (_, holds) in givers.iter().filter(|(place, _)| choice.allows(place)) {
                holds.iter().for_each(|(node, more)| held[*node] = held[*node].plus(more));
            }
        }
        held
    }

    /// The same with the jobs that only this cycle has given room.
    fn with_new(
        &self,
        mut held: Rc<Vec<Amounts>>,
        choice: &dyn Choice,
        looks: &[bool],
    ) -> Rc<Vec<Amounts>> {
        for deed in &self.deeds {
            let Deed::Goes(id) = deed else { continue };
            let Some(seat) = self.seated(*id) else { continue };
            if !seat.job.gives_way() || !looks[seat.team] {
                continue;
            }
            let ranks = (0..seat.tasks.len()).filter(|rank| seat.tasks[*rank].mark.can_give());
            let batch = Batch::of(seat, ranks.collect());
            let place = Place::of(&seat.job, crate::sched::gangs::standing(&seat.job));
            if !choice.allows_all() && !choice.allows(&place) {
                continue;
            }
            let held = Rc::make_mut(&mut held);
            for (node, more) in &batch.holds {
                held[*node] = held[*node].plus(&Amounts::from(more));
            }
        }
        held
    }

    fn givers_of(&mut self, team: usize) -> Rc<Vec<Giver>> {
        if let Some(known) = self.potential.givers.get(&team) {
            return known.clone();
        }
        let places = self.world().index().givers.get(self.teams.name(team));
        let giver = |(place, holds): (&Place, &Arc<[(Name, Amounts)]>)| {
            let known = holds.iter().filter_map(|(node, more)| Some((self.node(node)?, *more)));
            (*place, known.collect())
        };
        let givers: Rc<Vec<Giver>> = Rc::new(places.into_iter().flatten().map(giver).collect());
        self.potential.givers.insert(team, givers.clone());
        givers
    }
}
