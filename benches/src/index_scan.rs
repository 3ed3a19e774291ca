//! One search of a small index beside the same scan written as a plain loop: short enough for every change.

use crate::report::{BenchReport, MeasuredFigure};
use base::Secret;
use measure::{
    clock,
    face_vectors::{SeededRng, face},
};
use search::{FaceEntry, FaceIndex, IndexSpace, SearchQuery};
use std::{hint::black_box, path::Path};

const FACE_COUNT: usize = 30_000;
const DIMENSION: usize = 512;
const QUERY_COUNT: usize = 15;

pub(crate) fn measure(report: &mut BenchReport, folder: &Path, rounds: usize) -> anyhow::Result<()> {
    let mut chance = SeededRng(11);
    let vectors: Vec<Vec<f32>> = (0..FACE_COUNT).map(|_| chance.direction(DIMENSION)).collect();
    let space = IndexSpace { model: [1; 32], dimension: DIMENSION };
    let index = FaceIndex::open(&folder.join("index_scan"), &space, &Secret::new([2; 32]))?;
    for (at, vectors) in vectors.chunks(1000).enumerate() {
        let entry = |(within, vector)| {
            let face = face(at * 1000 + within);
            FaceEntry { face, person: face, vector }
        };
        index.put(&vectors.iter().map(Vec::as_slice).enumerate().map(entry).collect::<Vec<_>>())?;
    }
    let plain: Vec<f32> = vectors.into_iter().flatten().collect();
    let query = SearchQuery { top_k: 10, max_distance: None, prefilter: false, person_filter: None };
    let (mut ours, mut loops) = (Vec::new(), Vec::new());
    for _ in 0..rounds * QUERY_COUNT {
        let wanted = chance.direction(DIMENSION);
        let before = clock::thread_cpu_milliseconds()?;
        black_box(index.search(&wanted, &query)?);
        let between = clock::thread_cpu_milliseconds()?;
        black_box(bare_work::nearest(&plain, &wanted));
        ours.push(between - before);
        loops.push(clock::thread_cpu_milliseconds()? - between);
    }
    let peer = ("a plain loop over the same numbers", MeasuredFigure::times(&loops));
    let name = format!("{FACE_COUNT} x {DIMENSION}: nearest 10 of a stranger");
    report.add(&name, MeasuredFigure::times(&ours), Some(peer), None, None);
    Ok(())
}
