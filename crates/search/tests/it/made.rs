//! Vectors out of a seed, an index in a folder of its own, and the plain way to search.

use base::Secret;
use search::{FaceEntry, FaceIndex, IndexError, IndexSpace, SearchHit, SearchQuery, Uuid};
use std::{collections::HashMap, path::PathBuf};

/// Chance out of a seed.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// About normal.
    pub(crate) fn number(&mut self) -> f32 {
        (0..6).map(|_| (self.next() >> 40) as f32 / (1 << 24) as f32 - 0.5).sum::<f32>() * 1.414
    }

    pub(crate) fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| self.number()).collect()
    }
}

pub(crate) fn id(number: usize) -> Uuid {
    // No bytes that a file holds for another reason, as zeros are.
    Uuid::from_u128(0x6fa3_91d4_c25b_4e87_9b1e_0000_0000_0000 | (number as u128 + 1))
}

/// A face as the tests keep it.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    pub(crate) face: Uuid,
    pub(crate) person: Uuid,
    pub(crate) vector: Vec<f32>,
}

impl Face {
    pub(crate) fn entry(&self) -> FaceEntry<'_> {
        FaceEntry { face: self.face, person: self.person, vector: &self.vector }
    }
}

pub(crate) fn put(index: &FaceIndex, faces: &[Face]) {
    index.put(&faces.iter().map(Face::entry).collect::<Vec<_>>()).expect("the vectors are good");
}

/// An index that can be closed and opened again.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    pub(crate) space: IndexSpace,
}

impl Place {
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            folder: tempfile::tempdir().expect("there is room"),
            space: IndexSpace { model: [3; 32], dimension },
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("faces.index")
    }

    pub(crate) fn codes_path(&self) -> PathBuf {
        self.folder.path().join("faces.index.codes")
    }

    pub(crate) fn try_open(&self) -> Result<FaceIndex, IndexError> {
        FaceIndex::open(&self.path(), &self.space, &Secret::new([7; 32]))
    }

    pub(crate) fn open(&self) -> FaceIndex {
        self.try_open().expect("the file is good")
    }
}

pub(crate) fn ask(most: usize) -> SearchQuery {
    SearchQuery { top_k: most, max_distance: None, prefilter: false, person_filter: None }
}

/// Measures everything.
pub(crate) fn plainly(faces: &[Face], query: &[f32], ask: &SearchQuery) -> Vec<SearchHit> {
    let mut nearest: HashMap<Uuid, SearchHit> = HashMap::new();
    for Face { face, person, vector } in faces {
        let distance = distance(query, vector);
        let counts = ask.max_distance.is_none_or(|within| distance <= within);
        if !counts || ask.person_filter.as_ref().is_some_and(|only| !only(*person)) {
            continue;
        }
        let hit = SearchHit { person: *person, face: *face, distance };
        let known = nearest.entry(*person).or_insert(hit);
        if hit.distance.total_cmp(&known.distance).then(hit.face.cmp(&known.face)).is_lt() {
            *known = hit;
        }
    }
    let mut hits: Vec<_> = nearest.into_values().collect();
    hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.person.cmp(&b.person)));
    hits.truncate(ask.top_k);
    hits
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    let mut parts = [0.0_f64; 8];
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        parts[at % 8] += (f64::from(*a) - f64::from(*b)).powi(2);
    }
    parts.iter().sum::<f64>().sqrt() as f32
}
