use crate::made::{Chance, Face, Place, ask, id, plainly, put};
use base::Secret;
use search::{FaceIndex, IndexError, IndexSpace};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};

const DIMENSION: usize = 8;
const HEADER: usize = 512;
const RECORD: usize = 72 + 4 * DIMENSION;

fn three(place: &Place) -> Vec<Face> {
    let mut chance = Chance(4);
    let faces: Vec<_> =
        (0..3).map(|at| Face { face: id(at), person: id(at), vector: chance.vector(DIMENSION) }).collect();
    let index = place.open();
    put(&index, &faces);
    index.record_seq(3).expect("it can be written");
    faces
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|it| it == part)
}

#[test]
fn a_file_cut_anywhere_holds_the_records_before_the_cut() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let whole = std::fs::read(place.path()).unwrap();
    assert_eq!(whole.len(), HEADER + 3 * RECORD);
    for length in HEADER..whole.len() {
        std::fs::write(place.path(), &whole[..length]).unwrap();
        let index = place.open();
        let left = (length - HEADER) / RECORD;
        let torn = usize::from(!(length - HEADER).is_multiple_of(RECORD));
        assert_eq!((index.len(), index.dropped(), index.seq()), (left, torn, 3), "{length}");
        let query = [0.1; DIMENSION];
        assert_eq!(index.search(&query, &ask(3)).unwrap(), plainly(&faces[..left], &query, &ask(3)));
        // And it can be mended.
        put(&index, &faces[left..]);
        drop(index);
        let index = place.open();
        assert_eq!((index.len(), index.dropped()), (3, 0), "{length}");
        assert_eq!(index.search(&query, &ask(3)).unwrap(), plainly(&faces, &query, &ask(3)));
    }
    for length in [0, 1, 100, HEADER - 1] {
        std::fs::write(place.path(), &whole[..length]).unwrap();
        assert!(matches!(place.try_open(), Err(IndexError::NotAnIndex)), "{length}");
    }
}

#[test]
fn a_record_that_was_written_in_part_is_dropped() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let before = std::fs::read(place.path()).unwrap();
    let index = place.open();
    let other = Face { vector: vec![0.3; DIMENSION], ..faces[2].clone() };
    put(&index, std::slice::from_ref(&other));
    drop(index);
    let after = std::fs::read(place.path()).unwrap();
    let last = HEADER + 2 * RECORD;
    for cut in 0..=RECORD {
        let mut bytes = before.clone();
        bytes[last..last + cut].copy_from_slice(&after[last..last + cut]);
        std::fs::write(place.path(), &bytes).unwrap();
        let index = place.open();
        let query = [0.3; DIMENSION];
        // Ids and a few bytes may be the same in both.
        let expected = if bytes == before {
            plainly(&faces, &query, &ask(3))
        } else if bytes == after {
            plainly(&[faces[0].clone(), faces[1].clone(), other.clone()], &query, &ask(3))
        } else {
            assert_eq!((index.len(), index.dropped()), (2, 1), "{cut}");
            plainly(&faces[..2], &query, &ask(3))
        };
        assert_eq!(index.search(&query, &ask(3)).unwrap(), expected, "{cut}");
    }
}

#[test]
fn a_flipped_bit_is_noticed_wherever_it_is() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let whole = std::fs::read(place.path()).unwrap();
    let used =
        |at: &usize| !(96..256).contains(at) && !(328..384).contains(at) && !(456..HEADER).contains(at);
    for at in (0..whole.len()).filter(used) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(place.path(), &bytes).unwrap();
        // Without its codes, every record is read.
        std::fs::remove_file(place.codes_path()).unwrap_or_default();
        match (at, place.try_open()) {
            (0..96, Err(IndexError::NotAnIndex | IndexError::SpaceMismatch | IndexError::KeyMismatch)) => {}
            (256..HEADER, Ok(index)) => assert!(index.len() == 3 && [0, 3].contains(&index.seq()), "{at}"),
            (HEADER.., Ok(index)) => {
                let hurt = (at - HEADER) / RECORD;
                let left: Vec<_> =
                    faces.iter().enumerate().filter(|it| it.0 != hurt).map(|it| it.1.clone()).collect();
                assert_eq!((index.len(), index.dropped()), (2, 1), "{at}");
                let query = [0.0; DIMENSION];
                assert_eq!(index.search(&query, &ask(3)).unwrap(), plainly(&left, &query, &ask(3)));
            }
            (_, other) => panic!("{at}: {:?}", other.map(|it| it.len())),
        }
    }
}

#[test]
fn records_cannot_change_places() {
    let place = Place::new(DIMENSION);
    three(&place);
    let mut bytes = std::fs::read(place.path()).unwrap();
    let (first, second) = bytes[HEADER..].split_at_mut(RECORD);
    first.swap_with_slice(&mut second[..RECORD]);
    std::fs::write(place.path(), &bytes).unwrap();
    let index = place.open();
    assert!(matches!(index.search(&[0.0; DIMENSION], &ask(3)), Err(IndexError::Damaged { .. })));
    drop(index);
    std::fs::remove_file(place.codes_path()).unwrap();
    let index = place.open();
    assert_eq!((index.face_ids(), index.dropped()), (vec![id(2)], 2));
}

#[test]
fn a_record_that_is_damaged_under_an_open_index_fails_the_search() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let index = place.open();
    let file = std::fs::OpenOptions::new().write(true).open(place.path()).unwrap();
    file.write_all_at(&[0x55; 3], (HEADER + 70) as u64).unwrap();
    assert!(matches!(index.search(&faces[0].vector, &ask(1)), Err(IndexError::Damaged { slot: 0 })));
    file.set_len(HEADER as u64).unwrap();
    assert!(matches!(index.search(&faces[1].vector, &ask(1)), Err(IndexError::Damaged { slot: 1 })));
}

#[test]
fn another_key_space_or_process_is_refused() {
    let place = Place::new(DIMENSION);
    three(&place);
    let open = |space: &IndexSpace, key| FaceIndex::open(&place.path(), space, &Secret::new([key; 32]));
    assert!(matches!(open(&place.space, 8), Err(IndexError::KeyMismatch)));
    assert!(matches!(open(&IndexSpace { model: [4; 32], ..place.space }, 7), Err(IndexError::SpaceMismatch)));
    assert!(matches!(open(&IndexSpace { dimension: 9, ..place.space }, 7), Err(IndexError::SpaceMismatch)));
    let index = open(&place.space, 7).unwrap();
    assert!(matches!(open(&place.space, 7), Err(IndexError::InUse)));
    drop(index);
    assert_eq!(open(&place.space, 7).unwrap().len(), 3);
    std::fs::write(place.path(), [b'x'; 1000]).unwrap();
    assert!(matches!(open(&place.space, 7), Err(IndexError::NotAnIndex)));
}

#[test]
fn nothing_of_a_face_is_readable_and_a_removed_one_is_gone() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let index = place.open();
    let mode = place.path().metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = std::fs::read(place.path()).unwrap();
    for face in &faces {
        for number in &face.vector {
            assert!(!contains(&before, &number.to_le_bytes()), "vectors are sealed");
        }
    }
    let record = &before[HEADER + RECORD..HEADER + 2 * RECORD];
    assert_eq!(index.remove(&[id(1), id(99)]).unwrap(), 1);
    let after = std::fs::read(place.path()).unwrap();
    assert!(contains(&before, faces[1].face.as_bytes()) && !contains(&after, faces[1].face.as_bytes()));
    // Before that is the session's salt, which other records bear too.
    for part in record[56..].windows(6) {
        assert!(!contains(&after, part), "no six bytes in a row are left of it");
    }
    drop(index);
    assert_eq!(place.open().face_ids(), [id(0), id(2)]);
}

#[test]
fn no_two_records_are_sealed_alike() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let mut seen = std::collections::HashSet::new();
    for _ in 0..3 {
        let index = place.open();
        for _ in 0..3 {
            put(&index, &faces);
            let bytes = std::fs::read(place.path()).unwrap();
            for record in bytes[HEADER..].chunks(RECORD) {
                assert!(seen.insert(record[32..56].to_vec()), "session and number are used once");
            }
        }
    }
}

#[test]
fn the_number_of_the_last_change_is_kept() {
    let place = Place::new(DIMENSION);
    let index = place.open();
    assert_eq!(index.seq(), 0);
    for seq in [5, 7, -1, i64::MAX, 12] {
        index.record_seq(seq).unwrap();
        assert_eq!(index.seq(), seq);
    }
    drop(index);
    let index = place.open();
    assert_eq!(index.seq(), 12);
    index.sync().unwrap();
    index.record_seq(13).unwrap();
    drop(index);
    assert_eq!(place.open().seq(), 13);
    // The last two writes lie in two places: without the later one, the earlier counts.
    let mut bytes = std::fs::read(place.path()).unwrap();
    let later = [256, 384].into_iter().max_by_key(|at| bytes[*at]).unwrap();
    bytes[later + 20] ^= 1;
    std::fs::write(place.path(), &bytes).unwrap();
    assert_eq!(place.open().seq(), 12);
}
