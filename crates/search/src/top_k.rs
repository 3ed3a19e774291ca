//! The nearest persons found so far.

use base::Uuid;

/// A person and the nearest of their faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PersonDistance {
    pub(crate) distance: f64,
    pub(crate) person: Uuid,
    pub(crate) face: Uuid,
}

impl PersonDistance {
    fn is_before(&self, other: &Self) -> bool {
        self.distance.total_cmp(&other.distance).then(self.person.cmp(&other.person)).is_lt()
    }
}

/// At most `k` persons, sorted: nearest first, ties by the lower id.
#[derive(Debug)]
pub(crate) struct TopK {
    k: usize,
    max_distance: f64,
    persons: Vec<PersonDistance>,
}

impl TopK {
    /// Empty. `max_distance` may be infinite.
    pub(crate) fn new(k: usize, max_distance: f64) -> Self {
        Self { k, max_distance, persons: Vec::new() }
    }

    /// The distance beyond which nobody can be among the nearest any more.
    pub(crate) fn limit(&self) -> f64 {
        match self.persons.last() {
            Some(last) if self.persons.len() >= self.k => last.distance.min(self.max_distance),
            _ => self.max_distance,
        }
    }

    /// Adds a face, if it is near enough.
    pub(crate) fn offer(&mut self, new: PersonDistance) {
        if new.distance > self.limit() {
            return;
        }
        if let Some(at) = self.persons.iter().position(|it| it.person == new.person) {
            let old = &self.persons[at];
            let nearer = new.distance.total_cmp(&old.distance).then(new.face.cmp(&old.face)).is_lt();
            if !nearer {
                return;
            }
            self.persons.remove(at);
        }
        let at = self.persons.partition_point(|it| it.is_before(&new));
        self.persons.insert(at, new);
        self.persons.truncate(self.k);
    }

    /// All of them, nearest first.
    pub(crate) fn into_persons(self) -> Vec<PersonDistance> {
        self.persons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(distance: f64, person: u128, face: u128) -> PersonDistance {
        PersonDistance { distance, person: Uuid::from_u128(person), face: Uuid::from_u128(face) }
    }

    #[test]
    fn a_person_counts_once_and_ties_go_to_the_lower_id() {
        let mut best = TopK::new(2, f64::INFINITY);
        for it in [near(3.0, 1, 10), near(2.0, 1, 11), near(2.0, 1, 9), near(2.0, 1, 12), near(5.0, 4, 40)] {
            best.offer(it);
        }
        assert_eq!(best.limit(), 5.0);
        best.offer(near(5.0, 3, 30));
        best.offer(near(6.0, 2, 20));
        assert_eq!(best.into_persons(), [near(2.0, 1, 9), near(5.0, 3, 30)]);
    }

    #[test]
    fn nobody_beyond_the_limit_is_added() {
        let mut best = TopK::new(3, 1.0);
        best.offer(near(1.5, 1, 1));
        best.offer(near(1.0, 2, 2));
        assert_eq!(best.limit(), 1.0);
        assert_eq!(best.into_persons(), [near(1.0, 2, 2)]);
    }
}
