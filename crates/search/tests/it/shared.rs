//! Searches that run at the same time share their reading, and answer as if each were alone.

use crate::made::{Chance, Face, Place, ask, id, plainly, put};
use search::{IndexError, PersonFilter, SearchHit, SearchQuery};
use std::sync::{
    Arc, Barrier,
    atomic::{AtomicUsize, Ordering},
};

/// Several chunks of 16,384 rows, so that a search can join others in the middle.
const FACES: usize = 40_000;
const DIMENSION: usize = 16;

fn many() -> Vec<Face> {
    let mut chance = Chance(21);
    (0..FACES)
        .map(|at| Face { face: id(at), person: id(at % 30_000), vector: chance.vector(DIMENSION) })
        .collect()
}

/// Different kinds of search, by number.
fn question(kind: usize) -> SearchQuery {
    let seventh: PersonFilter = Arc::new(|person| person.as_u128().is_multiple_of(7));
    match kind % 5 {
        0 => ask(1),
        1 => ask(30),
        2 => SearchQuery { max_distance: Some(2.0), ..ask(5) },
        3 => SearchQuery { person_filter: Some(seventh), ..ask(5) },
        _ => SearchQuery { max_distance: Some(0.0), ..ask(5) },
    }
}

#[test]
fn searches_at_the_same_time_find_what_each_finds_alone() {
    let place = Place::new(DIMENSION);
    let index = place.open();
    let faces = many();
    put(&index, &faces);
    let mut chance = Chance(22);
    let queries: Vec<Vec<f32>> = (0..20)
        .map(|at| if at % 2 == 0 { faces[at * 1999].vector.clone() } else { chance.vector(DIMENSION) })
        .collect();
    let expected: Vec<Vec<SearchHit>> =
        queries.iter().enumerate().map(|(at, query)| plainly(&faces, query, &question(at))).collect();
    assert!(expected.iter().filter(|hits| !hits.is_empty()).count() > 12, "there is something to be found");
    let start = Barrier::new(queries.len());
    std::thread::scope(|scope| {
        for (at, (query, expected)) in queries.iter().zip(&expected).enumerate() {
            let (index, start) = (&index, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..10 {
                    assert_eq!(index.search(query, &question(at)).unwrap(), *expected, "{at}, round {round}");
                }
            });
        }
    });
    // And in one call.
    let slices: Vec<_> = queries.iter().map(Vec::as_slice).collect();
    let expected: Vec<_> = queries.iter().map(|query| plainly(&faces, query, &ask(3))).collect();
    assert_eq!(index.search_many(&slices, &ask(3)).unwrap(), expected);
}

/// While searches circle, the index grows by chunks and shrinks again; what was put before a search began is found.
#[test]
fn searches_circle_while_the_index_grows() {
    let place = Place::new(DIMENSION);
    let index = place.open();
    let faces = many();
    put(&index, &faces[..100]);
    let query = &faces[7].vector;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while index.len() < FACES {
                    assert_eq!(index.search(query, &ask(1)).unwrap()[0].face, id(7));
                }
            });
        }
        for part in faces[100..].chunks(500) {
            put(&index, part);
            let last = &part[part.len() - 1];
            assert_eq!(index.search(&last.vector, &ask(1)).unwrap()[0].face, last.face);
        }
    });
    index.remove(&faces[500..].iter().map(|it| it.face).collect::<Vec<_>>()).unwrap();
    assert_eq!(index.search(query, &ask(9)).unwrap(), plainly(&faces[..500], query, &ask(9)));
}

#[test]
fn a_filter_that_panics_takes_no_other_search_down_for_good() {
    let place = Place::new(DIMENSION);
    let index = place.open();
    let faces = many();
    put(&index, &faces);
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let bomb: PersonFilter =
        Arc::new(move |_| counter.fetch_add(1, Ordering::Relaxed) < 3 || panic!("the filter of a test"));
    let asked = SearchQuery { person_filter: Some(bomb), ..ask(3) };
    let query = &faces[0].vector;
    let expected = plainly(&faces, query, &ask(3));
    std::thread::scope(|scope| {
        let bad = scope.spawn(|| index.search(query, &asked));
        let good: Vec<_> = (0..4).map(|_| scope.spawn(|| index.search(query, &ask(3)))).collect();
        // It panics if its own thread called the filter, and fails if another's did.
        assert!(!matches!(bad.join(), Ok(Ok(_))));
        for search in good {
            match search.join() {
                Ok(Ok(hits)) => assert_eq!(hits, expected),
                // It read a chunk for the bad one, too, or shared one with it.
                Ok(Err(error)) => assert!(matches!(error, IndexError::Io(_)), "{error}"),
                Err(_panic) => {}
            }
        }
    });
    assert!(calls.load(Ordering::Relaxed) > 3);
    assert_eq!(index.search(query, &ask(3)).unwrap(), expected);
}
