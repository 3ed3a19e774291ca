use crate::made::{Chance, Face, Place, ask, id, plainly, put};
use proptest::{prelude::*, sample::select};
use search::{IndexError, PersonFilter, SearchQuery};
use std::sync::Arc;

/// Ways in which vectors can be awkward.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Scattered,
    /// A few places, with very little between those who share one.
    Clustered,
    /// Many are the same.
    Doubled,
    /// From tiny to huge.
    AllLengths,
    /// Far from the origin, near each other.
    Distant,
    /// Almost all coordinates are zero.
    Sparse,
    /// Whole numbers, so that distances tie.
    Whole,
}

const KINDS: [Kind; 7] = [
    Kind::Scattered,
    Kind::Clustered,
    Kind::Doubled,
    Kind::AllLengths,
    Kind::Distant,
    Kind::Sparse,
    Kind::Whole,
];

fn make(kind: Kind, count: usize, dimension: usize, chance: &mut Chance) -> Vec<Face> {
    let centres: Vec<_> = (0..3).map(|_| chance.vector(dimension)).collect();
    let persons = 1 + chance.below(count);
    (0..count)
        .map(|at| {
            let mut vector = chance.vector(dimension);
            let near = &centres[chance.below(3)];
            let scale = 10_f32.powi(chance.below(9) as i32 - 4);
            let one = chance.below(dimension);
            for (at, it) in vector.iter_mut().enumerate() {
                *it = match kind {
                    Kind::Scattered => *it,
                    Kind::Clustered => near[at] + 1e-4 * *it,
                    Kind::Doubled => near[at],
                    Kind::AllLengths => scale * *it,
                    Kind::Distant => 1000.0 + *it,
                    Kind::Sparse => {
                        if at == one {
                            *it
                        } else {
                            0.0
                        }
                    }
                    Kind::Whole => it.round(),
                };
            }
            Face { face: id(at * 7919 % count), person: id(chance.below(persons)), vector }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_what_measuring_everything_finds(
        dimension in select(vec![8_usize, 9, 31, 64, 65, 100, 128, 300, 512, 777]),
        kind in select(KINDS.to_vec()),
        count in 1_usize..260,
        most in select(vec![0_usize, 1, 2, 10, 1000]),
        reach in select(vec![None, Some(0.0_f32), Some(0.5), Some(1.0), Some(1.5)]),
        choosy: bool,
        seed: u64,
    ) {
        let mut chance = Chance(seed);
        let faces = make(kind, count, dimension, &mut chance);
        let place = Place::new(dimension);
        let index = place.open();
        put(&index, &faces);
        let mut queries = vec![chance.vector(dimension), faces[0].vector.clone(), vec![0.0; dimension]];
        queries.push(faces[count / 2].vector.iter().map(|it| it + 0.1 * chance.number()).collect());
        let slices: Vec<_> = queries.iter().map(Vec::as_slice).collect();
        let even: PersonFilter = Arc::new(|person| person.as_u128().is_multiple_of(2));
        // A distance that means something here: a share of how far the nearest is.
        let nearest = plainly(&faces, &queries[0], &ask(1))[0].distance;
        let within = reach.map(|reach| reach * nearest);
        let asked = SearchQuery { top_k: most, max_distance: within, prefilter: false, person_filter: choosy.then_some(even) };
        let expected: Vec<_> = queries.iter().map(|query| plainly(&faces, query, &asked)).collect();
        prop_assert_eq!(&index.search_many(&slices, &asked).unwrap(), &expected);
        prop_assert_eq!(&index.search(slices[1], &asked).unwrap(), &expected[1]);
        // The chance that the prefilter misses one is far below that of a broken machine.
        prop_assert_eq!(&index.search_many(&slices, &SearchQuery { prefilter: true, ..asked.clone() }).unwrap(), &expected);
        drop(index);
        prop_assert_eq!(&place.open().search_many(&slices, &asked).unwrap(), &expected);
    }
}

#[test]
fn an_index_stays_exact_while_it_grows_and_its_centre_moves() {
    let dimension = 96;
    let mut chance = Chance(11);
    let middle: Vec<_> = (0..dimension).map(|_| 3.0 + chance.number()).collect();
    let faces: Vec<_> = (0..3000)
        .map(|at| {
            let vector =
                chance.vector(dimension).iter().zip(&middle).map(|(it, middle)| it + middle).collect();
            Face { face: id(at), person: id(at / 2), vector }
        })
        .collect();
    let place = Place::new(dimension);
    let index = place.open();
    let query: Vec<_> = faces[1500].vector.iter().map(|it| it + 0.5 * chance.number()).collect();
    for end in [1, 1000, 1023, 1024, 1025, 3000] {
        put(&index, &faces[index.len()..end]);
        assert_eq!(
            index.search(&query, &ask(20)).unwrap(),
            plainly(&faces[..end], &query, &ask(20)),
            "{end}"
        );
    }
    assert_eq!((index.len(), index.persons()), (3000, 1500));
    drop(index);
    assert_eq!(place.open().search(&query, &ask(20)).unwrap(), plainly(&faces, &query, &ask(20)));
}

#[test]
fn the_prefilter_finds_everyone_up_to_the_distance() {
    let dimension = 128;
    let mut chance = Chance(5);
    let mut unit = |from: &[f32], share: f32| -> Vec<f32> {
        let other = chance.vector(dimension);
        let mixed: Vec<_> = from.iter().zip(&other).map(|(a, b)| a + share * b).collect();
        let length = mixed.iter().map(|it| it * it).sum::<f32>().sqrt();
        mixed.iter().map(|it| it / length).collect()
    };
    let queries: Vec<_> = (0..20).map(|_| unit(&vec![0.0; dimension], 1.0)).collect();
    let mut faces: Vec<Face> = Vec::new();
    for at in 0..4000 {
        // Every fourth lies around the distance of 0.9 from a query, the others anywhere.
        let share = 0.5 + (at / 4 % 100) as f32 / 200.0;
        let vector = match at % 4 {
            0 => {
                let query = &queries[at / 4 % 20];
                unit(&query.iter().map(|it| it * 11.3).collect::<Vec<_>>(), share)
            }
            _ => unit(&vec![0.0; dimension], 1.0),
        };
        faces.push(Face { face: id(at), person: id(at), vector });
    }
    let index = Place::new(dimension);
    let index = index.open();
    put(&index, &faces);
    let asked = SearchQuery { top_k: 1000, max_distance: Some(0.9), prefilter: true, person_filter: None };
    let mut found = 0;
    for query in &queries {
        let hits = index.search(query, &asked).unwrap();
        assert_eq!(hits, plainly(&faces, query, &asked));
        found += hits.len();
    }
    assert!(found > 200, "there is something to be found: {found}");
}

/// Several thousand rows, so that thresholds for sketches are those of different blocks, some of them empty.
#[test]
fn prefiltered_queries_of_one_search_find_everyone_up_to_the_distance() {
    let dimension = 256;
    let mut chance = Chance(31);
    let mut unit = move || -> Vec<f32> {
        let vector = chance.vector(dimension);
        let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
        vector.iter().map(|it| it / length).collect()
    };
    let queries: Vec<_> = (0..7).map(|_| unit()).collect();
    let mut face = |number: usize, at: usize| {
        // A third of most faces lies around the distance of 0.9 from a query, the others anywhere. The first are short,
        // and so are those of a few blocks.
        let (query, share) = (&queries[at % 7], 0.7 + (at / 3 % 100) as f32 / 250.0);
        let vector = match at % 3 {
            _ if at < 1024 || at % 1024 < 64 => unit().iter().map(|it| 0.2 * it).collect(),
            0 => query.iter().zip(unit()).map(|(it, other)| it + share * other).collect(),
            _ => unit().iter().map(|it| (0.5 + share) * it).collect(),
        };
        Face { face: id(number), person: id(number), vector }
    };
    let place = Place::new(dimension);
    let index = place.open();
    let mut faces: Vec<_> = (0..3300).map(|at| face(at, at)).collect();
    put(&index, &faces);
    // Every seventh face is another one now, a whole block is gone, and so is every fifth of the others.
    for at in (0..faces.len()).step_by(7) {
        faces[at] = face(at, at + 1);
    }
    put(&index, &faces.iter().step_by(7).cloned().collect::<Vec<_>>());
    let is_gone = |at: usize| at.is_multiple_of(5) || (1280..1344).contains(&at);
    index.remove(&(0..faces.len()).filter(|at| is_gone(*at)).map(id).collect::<Vec<_>>()).unwrap();
    let faces: Vec<_> =
        faces.into_iter().enumerate().filter(|(at, _)| !is_gone(*at)).map(|it| it.1).collect();
    let slices: Vec<_> = queries.iter().map(Vec::as_slice).collect();
    let mut found = 0;
    for (most, distance) in [(1000, 0.9), (5, 0.9), (1000, 0.75), (1000, 1.2)] {
        let asked =
            SearchQuery { top_k: most, max_distance: Some(distance), prefilter: true, person_filter: None };
        let expected: Vec<_> = queries.iter().map(|query| plainly(&faces, query, &asked)).collect();
        assert_eq!(index.search_many(&slices, &asked).unwrap(), expected, "{most} within {distance}");
        assert_eq!(
            index.search_many(&slices[..2], &asked).unwrap(),
            expected[..2],
            "{most} within {distance}"
        );
        found += expected.iter().map(Vec::len).sum::<usize>();
    }
    assert!(found > 800, "there is something to be found: {found}");
}

#[test]
fn bad_questions_and_vectors_are_refused() {
    let place = Place::new(16);
    let index = place.open();
    let good = [0.5; 16];
    for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1.1e6] {
        let mut vector = good;
        vector[7] = bad;
        let face = Face { face: id(1), person: id(1), vector: vector.to_vec() };
        assert!(matches!(index.put(&[face.entry()]), Err(IndexError::InvalidVector)));
        assert!(matches!(index.search(&vector, &ask(1)), Err(IndexError::InvalidVector)));
    }
    for length in [0, 15, 17] {
        let wrong = index.search(&vec![0.0; length], &ask(1));
        assert!(matches!(wrong, Err(IndexError::DimensionMismatch { expected: 16, got }) if got == length));
    }
    for within in [f32::NAN, -0.1] {
        let asked = SearchQuery { max_distance: Some(within), ..ask(1) };
        assert!(matches!(index.search(&good, &asked), Err(IndexError::InvalidDistance)));
    }
    assert!(index.search(&good, &ask(5)).unwrap().is_empty());
    assert!(index.search_many(&[], &ask(5)).unwrap().is_empty());
    for dimension in [0, 7, 2049] {
        assert!(
            matches!(Place::new(dimension).try_open(), Err(IndexError::UnsupportedDimension(it)) if it == dimension)
        );
    }
}

#[test]
fn the_largest_vectors_have_room() {
    let mut chance = Chance(2);
    let mut extreme =
        || (0..2048).map(|_| if chance.next() & 1 == 0 { 1e6 } else { -1e6 }).collect::<Vec<f32>>();
    let mut faces: Vec<_> =
        (0..40).map(|at| Face { face: id(at), person: id(at), vector: extreme() }).collect();
    faces.push(Face { face: id(40), person: id(40), vector: vec![1e6; 2048] });
    faces.push(Face { face: id(41), person: id(41), vector: vec![1e-30; 2048] });
    faces.push(Face { face: id(42), person: id(42), vector: vec![f32::MIN_POSITIVE / 8.0; 2048] });
    let place = Place::new(2048);
    let index = place.open();
    put(&index, &faces);
    for query in [extreme(), vec![-1e6; 2048], vec![1e6; 2048], vec![0.0; 2048], vec![1e-30; 2048]] {
        assert_eq!(index.search(&query, &ask(50)).unwrap(), plainly(&faces, &query, &ask(50)));
        assert_eq!(index.search(&query, &ask(2)).unwrap(), plainly(&faces, &query, &ask(2)));
    }
}
