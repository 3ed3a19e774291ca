//! The file of codes beside the index file: whatever happens to it, searches find what they should.

use crate::made::{Chance, Face, Place, ask, id, plainly, put};
use search::IndexError;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};

const DIMENSION: usize = 8;
const HEADER: usize = 512;
const RECORD: usize = 72 + 4 * DIMENSION;
/// Where the rows of the code file begin: behind the header and the sealed centre.
const FIRST_ROW: usize = HEADER + 24 + 1 + 4 * DIMENSION + 16;
/// Ids, salt, counter, whether there is a face, seven numbers, 64 padded dimensions in two planes and signs, tag.
const ROW: usize = 32 + 24 + 1 + 28 + 72 + 16;

fn faces(count: usize) -> Vec<Face> {
    let mut chance = Chance(4);
    (0..count).map(|at| Face { face: id(at), person: id(at), vector: chance.vector(DIMENSION) }).collect()
}

fn check(place: &Place, faces: &[Face], what: &str) {
    let index = place.try_open().unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!((index.len(), index.dropped()), (faces.len(), 0), "{what}");
    for query in [vec![0.1; DIMENSION], faces[0].vector.clone()] {
        let hits = index.search(&query, &ask(9)).expect("no record is damaged");
        assert_eq!(hits, plainly(faces, &query, &ask(9)), "{what}");
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|it| it == part)
}

/// An index of three faces in four slots, closed.
fn three(place: &Place) -> Vec<Face> {
    let mut faces = faces(4);
    let index = place.open();
    put(&index, &faces);
    index.remove(&[id(1)]).expect("the files can be written");
    faces.remove(1);
    faces
}

#[test]
fn the_file_has_one_row_per_slot_and_nobody_else_may_read_it() {
    let place = Place::new(DIMENSION);
    three(&place);
    let metadata = place.codes_path().metadata().unwrap();
    assert_eq!(metadata.len() as usize, FIRST_ROW + 4 * ROW);
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_flipped_bit_anywhere_changes_no_result() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let whole = std::fs::read(place.codes_path()).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(place.codes_path(), &bytes).unwrap();
        check(&place, &faces, &format!("byte {at}"));
    }
}

#[test]
fn a_file_that_is_cut_padded_missing_or_zero_in_part_is_mended() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let whole = std::fs::read(place.codes_path()).unwrap();
    for length in 0..whole.len() {
        std::fs::write(place.codes_path(), &whole[..length]).unwrap();
        check(&place, &faces, &format!("cut at {length}"));
        assert_eq!(place.codes_path().metadata().unwrap().len() as usize, whole.len(), "cut at {length}");
    }
    for first in (0..whole.len()).step_by(16) {
        let mut bytes = whole.clone();
        let end = whole.len().min(first + ROW);
        bytes[first..end].fill(0);
        std::fs::write(place.codes_path(), &bytes).unwrap();
        check(&place, &faces, &format!("zero from {first}"));
    }
    std::fs::write(place.codes_path(), [&whole[..], &[7; 3 * ROW]].concat()).unwrap();
    check(&place, &faces, "padded");
    std::fs::remove_file(place.codes_path()).unwrap();
    check(&place, &faces, "missing");
}

#[test]
fn a_file_of_another_version_or_index_is_replaced() {
    let (place, other) = (Place::new(DIMENSION), Place::new(DIMENSION));
    let faces = three(&place);
    let index = other.open();
    put(&index, &faces[..1]);
    drop(index);
    std::fs::copy(other.codes_path(), place.codes_path()).unwrap();
    check(&place, &faces, "of another index");
    let mut bytes = std::fs::read(place.codes_path()).unwrap();
    bytes[7] = b'9';
    std::fs::write(place.codes_path(), &bytes).unwrap();
    check(&place, &faces, "of another version");
    assert_eq!(std::fs::read(place.codes_path()).unwrap()[..8], *b"assayfc1");
}

#[test]
fn rows_cannot_change_places() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let mut bytes = std::fs::read(place.codes_path()).unwrap();
    let (first, second) = bytes[FIRST_ROW..].split_at_mut(ROW);
    first.swap_with_slice(&mut second[..ROW]);
    std::fs::write(place.codes_path(), &bytes).unwrap();
    check(&place, &faces, "swapped");
}

/// What a process writes for a change: the slot that it is about to change, then the record, then the row. It may be
/// killed between any two bytes of that.
#[test]
fn a_change_that_was_cut_off_anywhere_leaves_the_face_before_or_after_or_none() {
    let place = Place::new(DIMENSION);
    let faces = three(&place);
    let files = || [place.codes_path(), place.path()].map(|path| std::fs::read(path).unwrap());
    let [codes, records] = files();
    let changes: [(&str, usize, Option<Face>); 3] = [
        ("replaced", 2, Some(Face { vector: vec![0.3; DIMENSION], ..faces[1].clone() })),
        ("removed", 2, None),
        ("added", 1, Some(Face { face: id(7), person: id(8), vector: vec![-0.2; DIMENSION] })),
    ];
    for (what, slot, new) in changes {
        std::fs::write(place.codes_path(), &codes).unwrap();
        std::fs::write(place.path(), &records).unwrap();
        let index = place.open();
        match &new {
            Some(face) => put(&index, std::slice::from_ref(face)),
            None => drop(index.remove(&[faces[1].face]).unwrap()),
        }
        drop(index);
        let [codes_after, records_after] = files();
        let others: Vec<_> = faces.iter().filter(|it| slot != 2 || it.face != id(2)).cloned().collect();
        let after: Vec<_> = others.iter().cloned().chain(new).collect();
        let (row, record) = (FIRST_ROW + slot * ROW, HEADER + slot * RECORD);
        for cut in 0..=RECORD + ROW {
            let mut codes = [&codes_after[..HEADER], &codes[HEADER..]].concat();
            let mut records = records.clone();
            let (in_record, in_row) = (cut.min(RECORD), cut.saturating_sub(RECORD));
            records[record..record + in_record].copy_from_slice(&records_after[record..record + in_record]);
            codes[row..row + in_row].copy_from_slice(&codes_after[row..row + in_row]);
            std::fs::write(place.codes_path(), &codes).unwrap();
            std::fs::write(place.path(), &records).unwrap();
            let index = place.open();
            let query = [0.1; DIMENSION];
            let hits = index.search(&query, &ask(9)).unwrap();
            let allowed = [&faces, &others, &after].map(|it| plainly(it, &query, &ask(9)));
            assert!(allowed.contains(&hits), "{what}, cut at {cut}");
            if cut == 0 {
                assert_eq!(hits, allowed[0], "{what}");
            }
            if cut >= RECORD {
                assert_eq!(hits, allowed[2], "{what}, cut at {cut}");
            }
            // What is left of the slot is gone from the files as well, or is a face that searches find.
            if hits == allowed[1] {
                drop(index);
                let left = &std::fs::read(place.path()).unwrap()[record..record + RECORD];
                assert!(left.iter().all(|it| *it == 0), "{what}, cut at {cut}");
            }
        }
    }
}

#[test]
fn nothing_of_a_face_is_readable_and_nothing_of_a_removed_one_is_left_in_any_file() {
    let place = Place::new(DIMENSION);
    let faces = faces(4);
    let index = place.open();
    put(&index, &faces);
    let files = || -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let entries = std::fs::read_dir(place.path().parent().unwrap()).unwrap();
        entries.map(|it| it.unwrap().path()).map(|it| (it.clone(), std::fs::read(it).unwrap())).collect()
    };
    let before = files();
    assert_eq!(before.len(), 2, "the index and its codes");
    assert!(before.iter().all(|(_, bytes)| contains(bytes, faces[1].face.as_bytes())));
    for number in faces.iter().flat_map(|face| &face.vector) {
        assert!(!before.iter().any(|(_, bytes)| contains(bytes, &number.to_le_bytes())), "all is sealed");
    }
    // A face is replaced, another is removed, and a third is damaged and removed for that.
    put(&index, &[Face { vector: vec![0.5; DIMENSION], ..faces[0].clone() }]);
    index.remove(&[id(1)]).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(place.path()).unwrap();
    file.write_all_at(&[0x55; 3], (HEADER + 2 * RECORD + 70) as u64).unwrap();
    assert_eq!(index.verify().unwrap(), 1);
    let after = files();
    for slot in 0..3 {
        for ((path, before), (_, after)) in before.iter().zip(&after) {
            let (from, size) = if *path == place.path() { (HEADER, RECORD) } else { (FIRST_ROW, ROW) };
            // Behind the ids and the session's salt, which others bear too: the counter, what is sealed, and its tag.
            for part in before[from + slot * size + 56..from + (slot + 1) * size].windows(6) {
                assert!(!contains(after, part), "{}, slot {slot}", path.display());
            }
        }
    }
    assert!(
        !after
            .iter()
            .any(|(_, bytes)| contains(bytes, id(1).as_bytes()) || contains(bytes, id(2).as_bytes()))
    );
}

#[test]
fn a_damaged_record_is_an_error_that_names_it_until_it_is_removed() {
    let place = Place::new(DIMENSION);
    let faces = faces(4);
    put(&place.open(), &faces);
    let [whole, codes] = [place.path(), place.codes_path()].map(|path| std::fs::read(path).unwrap());
    for at in (HEADER + 2 * RECORD..HEADER + 3 * RECORD).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(place.path(), &bytes).unwrap();
        std::fs::write(place.codes_path(), &codes).unwrap();
        let index = place.open();
        let found = index.search(&faces[2].vector, &ask(1));
        assert!(matches!(found, Err(IndexError::Damaged { slot: 2 })), "{at}: {found:?}");
        assert_eq!((index.verify().unwrap(), index.verify().unwrap()), (1, 0), "{at}");
        let left = [&faces[..2], &faces[3..]].concat();
        assert_eq!(
            index.search(&faces[2].vector, &ask(4)).unwrap(),
            plainly(&left, &faces[2].vector, &ask(4))
        );
        put(&index, &faces[2..3]);
        drop(index);
        check(&place, &faces, "mended");
    }
}

#[test]
fn an_index_that_grew_past_its_first_centre_opens_from_its_codes() {
    let place = Place::new(DIMENSION);
    let mut chance = Chance(8);
    let faces: Vec<_> = (0..1500)
        .map(|at| {
            let vector = chance.vector(DIMENSION).iter().map(|it| it + 2.0).collect();
            Face { face: id(at), person: id(at), vector }
        })
        .collect();
    put(&place.open(), &faces);
    // Records that nobody reads any more show that the codes are read: without them every record would be damaged.
    let records = std::fs::read(place.path()).unwrap();
    let mut damaged = records.clone();
    damaged[HEADER..].fill(0x77);
    std::fs::write(place.path(), &damaged).unwrap();
    let index = place.open();
    assert_eq!((index.len(), index.dropped()), (1499, 1), "the slot of the last change is read");
    drop(index);
    std::fs::write(place.path(), &records).unwrap();
    let index = place.open();
    put(&index, &faces[1499..]);
    let query = &faces[700].vector;
    assert_eq!(index.search(query, &ask(20)).unwrap(), plainly(&faces, query, &ask(20)));
}

#[test]
fn an_index_whose_first_slots_are_free_is_not_encoded_again_with_each_face() {
    let place = Place::new(DIMENSION);
    let mut faces = faces(6000);
    let index = place.open();
    put(&index, &faces);
    let removed: Vec<_> = faces.drain(..4000).map(|it| it.face).collect();
    index.remove(&removed).expect("the files can be written");
    drop(index);
    std::fs::remove_file(place.codes_path()).expect("there is one");

    let index = place.open();
    let row = |slot: usize| {
        let codes = std::fs::read(place.codes_path()).unwrap();
        codes[FIRST_ROW + slot * ROW..][..ROW].to_vec()
    };
    let before = row(5000);
    let mut chance = Chance(9);
    faces.push(Face { face: id(9999), person: id(9999), vector: chance.vector(DIMENSION) });
    put(&index, &faces[2000..]);
    assert!(row(5000) == before, "the code of another face was made again");
    drop(index);
    check(&place, &faces, "opened again");
}
