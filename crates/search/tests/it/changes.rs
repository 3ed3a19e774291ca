use crate::made::{Chance, Face, Place, ask, id, plainly, put};
use proptest::prelude::*;
use search::{PersonFilter, SearchQuery};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

#[derive(Clone, Copy, Debug)]
enum Step {
    Put { face: usize, person: usize },
    Remove { face: usize },
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_usize..40, 0_usize..12).prop_map(|(face, person)| Step::Put { face, person }),
        3 => (0_usize..40).prop_map(|face| Step::Remove { face }),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn an_index_holds_what_was_put_and_not_removed(
        steps in prop::collection::vec(step(), 1..120),
        seed: u64,
    ) {
        let mut chance = Chance(seed);
        let place = Place::new(24);
        let mut index = place.open();
        let mut known: BTreeMap<usize, Face> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Put { face, person } => {
                    let new = Face { face: id(face), person: id(person), vector: chance.vector(24) };
                    index.put(&[new.entry()]).unwrap();
                    known.insert(face, new);
                }
                Step::Remove { face } => {
                    let there = usize::from(known.remove(&face).is_some());
                    prop_assert_eq!(index.remove(&[id(face)]).unwrap(), there);
                }
                Step::Reopen => {
                    drop(index);
                    index = place.open();
                }
            }
        }
        let faces: Vec<_> = known.into_values().collect();
        let ids: Vec<_> = faces.iter().map(|it| it.face).collect();
        let mut persons: Vec<_> = faces.iter().map(|it| it.person).collect();
        persons.sort_unstable();
        persons.dedup();
        prop_assert_eq!((index.face_ids(), index.len(), index.persons()), (ids, faces.len(), persons.len()));
        prop_assert_eq!(index.dropped(), 0);
        let query = chance.vector(24);
        prop_assert_eq!(index.search(&query, &ask(5)).unwrap(), plainly(&faces, &query, &ask(5)));
    }
}

#[test]
fn slots_are_used_again() {
    let place = Place::new(8);
    let index = place.open();
    let mut chance = Chance(1);
    let mut face = |at: usize| Face { face: id(at), person: id(at), vector: chance.vector(8) };
    put(&index, &(0..10).map(&mut face).collect::<Vec<_>>());
    let size = place.path().metadata().unwrap().len();
    for at in 10..40 {
        assert_eq!(index.remove(&[id(at - 10)]).unwrap(), 1);
        put(&index, &[face(at)]);
    }
    assert_eq!(place.path().metadata().unwrap().len(), size);
    assert_eq!(index.len(), 10);
}

/// Faces that stay are found by every search, whatever a writer does meanwhile; what was put before a search began is
/// found by it, and what was removed before is not.
#[test]
fn searches_run_while_faces_come_and_go() {
    let dimension = 64;
    let place = Place::new(dimension);
    let index = place.open();
    let mut chance = Chance(9);
    let staying: Vec<_> =
        (0..300).map(|at| Face { face: id(at), person: id(at), vector: chance.vector(dimension) }).collect();
    put(&index, &staying);
    let query = chance.vector(dimension);
    let expected = plainly(&staying, &query, &ask(20));
    let (done, searches) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) || searches.load(Ordering::Relaxed) < 10 {
                    let stays: PersonFilter = Arc::new(|person| person <= id(299));
                    let asked = SearchQuery { person_filter: Some(stays), ..ask(20) };
                    assert_eq!(index.search(&query, &asked).unwrap(), expected);
                    // Without `only`, whoever comes and goes may be found in between, and those who stay in order.
                    let hits = index.search(&query, &ask(20)).unwrap();
                    let hits: Vec<_> = hits.into_iter().filter(|it| it.person <= id(299)).collect();
                    assert_eq!(hits, expected[..hits.len()]);
                    searches.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut chance = Chance(10);
        for round in 0..1500_usize {
            let near: Vec<_> = query.iter().map(|it| it + 0.01 * chance.number()).collect();
            let face = Face { face: id(1000 + round % 900), person: id(1000), vector: near };
            index.put(&[face.entry()]).unwrap();
            assert_eq!(index.search(&query, &ask(1)).unwrap()[0].person, id(1000));
            if round % 3 == 0 {
                let gone: Vec<_> = (0..900).map(|at| id(1000 + at)).collect();
                index.remove(&gone).unwrap();
                assert_eq!(index.search(&query, &ask(1)).unwrap(), expected[..1]);
            }
        }
        done.store(true, Ordering::Release);
    });
    assert!(searches.into_inner() >= 10);
}
