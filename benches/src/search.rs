//! Face search, compared with libraries for vector search.
//!
//! Faces are random points on a sphere, which gives an index no structure to exploit; real faces are closer to some
//! than to others. Half of the queries are pictures of known persons, with faces around the matching distance; the
//! other half are of strangers, to whom all faces are about equally far.

use crate::{
    checkout_paths::CheckoutPaths,
    peer_process::PeerProcess,
    report::{BenchReport, Goal, MeasuredFigure, line},
};
use anyhow::Context as _;
use base::Secret;
use measure::{
    clock,
    face_vectors::{SeededRng, face},
};
use search::{FaceEntry, FaceIndex, IndexSpace, SearchHit, SearchQuery};
use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
};

const TOP_K: usize = 10;
const QUERY_COUNT: usize = 20;
/// The first of these queries, which are of known persons.
const KNOWN_QUERIES: usize = 10;
/// Queries in one search, as from a picture of several persons.
const QUERIES_PER_SEARCH: usize = 5;
/// The distance up to which two pictures count as the same person.
const MATCH_DISTANCE: f32 = 1.0;
/// Faces per known query that are just within or just beyond that distance.
const PLANTED_FACES: usize = 50;
/// Ways to search: the name, whether a maximum distance is set, whether the prefilter is used, queries per search.
const SEARCH_MODES: [(&str, bool, bool, usize); 5] = [
    ("exact, within the distance of a match", true, false, 1),
    ("prefiltered, the same", true, true, 1),
    ("exact, five at once", false, false, QUERIES_PER_SEARCH),
    ("exact, five at once, within the distance", true, false, QUERIES_PER_SEARCH),
    ("prefiltered, five at once", true, true, QUERIES_PER_SEARCH),
];

/// Number of vectors, their dimension, the peers, and limits in milliseconds on opening the index, and on an exact and a
/// prefiltered search.
struct SearchCase {
    count: usize,
    dimension: usize,
    peers: &'static [(&'static str, &'static str)],
    open: Option<f64>,
    exact: Option<f64>,
    prefiltered: Option<f64>,
}

const FAISS_FLAT: (&str, &str) = ("flat", "faiss IndexFlatL2");
const FAISS_SCALAR: (&str, &str) = ("scalar", "faiss IndexScalarQuantizer, 8 bits, not exact");
const USEARCH_EXACT: (&str, &str) = ("plain", "usearch exact");
const USEARCH_HNSW: (&str, &str) = ("hnsw", "usearch HNSW, not exact");

const SEARCH_CASES: [SearchCase; 3] = [
    SearchCase {
        count: 1_000_000,
        dimension: 512,
        peers: &[FAISS_FLAT, FAISS_SCALAR, USEARCH_EXACT],
        open: Some(1000.0),
        exact: Some(70.0),
        prefiltered: Some(10.0),
    },
    SearchCase {
        count: 1_000_000,
        dimension: 128,
        peers: &[FAISS_FLAT, FAISS_SCALAR, USEARCH_EXACT],
        open: None,
        exact: Some(20.0),
        prefiltered: None,
    },
    // An HNSW graph of 100,000 vectors takes a minute or more to build on two cores; one of a million, half an hour.
    SearchCase {
        count: 100_000,
        dimension: 512,
        peers: &[FAISS_FLAT, FAISS_SCALAR, USEARCH_EXACT, USEARCH_HNSW],
        open: None,
        exact: None,
        prefiltered: None,
    },
];

pub(crate) fn measure(
    report: &mut BenchReport,
    place: &CheckoutPaths,
    folder: &Path,
    rounds: usize,
) -> anyhow::Result<()> {
    let mut peers = PeerProcess::start_python(&place.peer, "search_peers.py")?;
    line(format_args!("search: {} kernels; times are those on a core", FaceIndex::kernel_name()));
    for case in &SEARCH_CASES {
        let folder = tempfile::tempdir_in(folder)?;
        SearchBench::new(case, folder.path())?.run(report, &mut peers, rounds)?;
    }
    Ok(())
}

struct SearchBench<'a> {
    case: &'a SearchCase,
    folder: &'a Path,
    name: String,
    queries: Vec<Vec<f32>>,
}

impl<'a> SearchBench<'a> {
    /// Writes the vectors to a file, for the peers, and puts them into an index.
    fn new(case: &'a SearchCase, folder: &'a Path) -> anyhow::Result<Self> {
        let SearchCase { count, dimension, .. } = *case;
        let mut chance = SeededRng(7);
        let queries: Vec<_> = (0..QUERY_COUNT).map(|_| chance.direction(dimension)).collect();
        let mut file = BufWriter::new(File::create(folder.join("vectors"))?);
        let name = format!("{count} x {dimension}");
        let bench = Self { case, folder, name, queries };
        let index = bench.open()?;
        let mut batch = Vec::with_capacity(1000);
        for at in 0..count {
            let vector = match bench.queries[..KNOWN_QUERIES].get(at / PLANTED_FACES) {
                // At distances of 0.9 to 1.02, the first at 0.7: these are the persons that the queries are pictures
                // of.
                Some(query) => {
                    let which = at % PLANTED_FACES;
                    let away =
                        if which == 0 { 0.7 } else { 0.9 + 0.12 * which as f32 / PLANTED_FACES as f32 };
                    chance.direction_at_distance(query, away)
                }
                None => chance.direction(dimension),
            };
            for number in &vector {
                file.write_all(&number.to_le_bytes())?;
            }
            batch.push((face(at), vector));
            if batch.len() == batch.capacity() || at + 1 == count {
                let entries = batch.iter().map(|(id, vector)| FaceEntry { face: *id, person: *id, vector });
                index.put(&entries.collect::<Vec<_>>())?;
                batch.clear();
            }
        }
        let mut file = BufWriter::new(File::create(folder.join("queries"))?);
        for number in bench.queries.iter().flatten() {
            file.write_all(&number.to_le_bytes())?;
        }
        file.flush()?;
        Ok(bench)
    }

    fn open(&self) -> anyhow::Result<FaceIndex> {
        let space = IndexSpace { model: [1; 32], dimension: self.case.dimension };
        Ok(FaceIndex::open(&self.folder.join("index"), &space, &Secret::new([2; 32]))?)
    }

    fn run(&self, report: &mut BenchReport, peers: &mut PeerProcess, rounds: usize) -> anyhow::Result<()> {
        let before = clock::resident_megabytes(std::process::id())?;
        let (index, opened) = clock::time(|| self.open());
        let index = index?;
        let memory = clock::resident_megabytes(std::process::id())? - before;
        let name = &self.name;
        let goal = self.case.open.map(Goal::AtMost);
        report.add(&format!("{name}: open"), MeasuredFigure::time(opened), None, None, goal);

        let SearchCase { count, dimension, .. } = self.case;
        let at = self.folder.display();
        let about = peers.ask(&format!("load {at}/vectors {count} {dimension}"))?;
        line(format_args!("peers: {about}"));
        peers.ask(&format!("queries {at}/queries {dimension}"))?;
        for (key, peer) in self.case.peers {
            let built = peers.ask(&format!("build {key}"))?;
            let built = |what: &str| built[what].as_f64().context("the peer tells");
            line(format_args!("{name}: {peer} built in {:.1} s", built("seconds")?));
            let mut times = [const { (Vec::new(), Vec::new()) }; 2];
            let mut same = 0;
            for at in (0..rounds).flat_map(|_| 0..QUERY_COUNT) {
                let (ours, theirs) = &mut times[usize::from(at >= KNOWN_QUERIES)];
                let (hits, took) = self.search(&index, at, &ask(false, false), 1)?;
                ours.push(took);
                let answer = peers.ask(&format!("search {key} {at} 1"))?;
                theirs.push(answer["core"].as_f64().context("the peer tells its time")?);
                same += common(&hits[0], &answer["keys"]);
            }
            for (who, (ours, theirs)) in ["somebody known", "a stranger"].iter().zip(&times) {
                let (goal, theirs) = (self.case.exact.map(Goal::AtMost), MeasuredFigure::times(theirs));
                let what = format!("{name}: nearest {TOP_K} of {who}");
                report.add(&what, MeasuredFigure::times(ours), Some((*peer, theirs)), None, goal);
            }
            let share = same as f64 / (rounds * QUERY_COUNT * TOP_K) as f64;
            line(format_args!("{name}: {share:.4} of ours are among those of {peer}"));
            if *key != "plain" {
                let figure =
                    (MeasuredFigure::megabytes(&[memory]), MeasuredFigure::megabytes(&[built("megabytes")?]));
                report.add(&format!("{name}: memory"), figure.0, Some((peer, figure.1)), None, None);
            }
            peers.ask(&format!("drop {key}"))?;
        }
        self.ours(report, &index, rounds)?;
        self.recall(&index)?;
        self.changes(report, &index)
    }

    /// Measures the ways to search, taking turns.
    fn ours(&self, report: &mut BenchReport, index: &FaceIndex, rounds: usize) -> anyhow::Result<()> {
        let mut times = [const { Vec::new() }; SEARCH_MODES.len()];
        for at in (0..rounds).flat_map(|_| 0..QUERY_COUNT - QUERIES_PER_SEARCH) {
            for ((_, within, prefilter, at_once), times) in SEARCH_MODES.iter().zip(&mut times) {
                times.push(self.search(index, at, &ask(*within, *prefilter), *at_once)?.1);
            }
        }
        for ((what, _, prefilter, at_once), times) in SEARCH_MODES.iter().zip(&times) {
            let goal = self.case.prefiltered.filter(|_| *prefilter && *at_once == 1).map(Goal::AtMost);
            report.add(&format!("{}: {what}", self.name), MeasuredFigure::times(times), None, None, goal);
        }
        Ok(())
    }

    /// Measures whether the prefilter finds all that is within the distance.
    fn recall(&self, index: &FaceIndex) -> anyhow::Result<()> {
        let (mut there, mut found) = (0, 0);
        for query in &self.queries[..KNOWN_QUERIES] {
            let ask = SearchQuery { top_k: 10_000, ..ask(true, false) };
            let hits = index.search(query, &ask)?;
            let sifted = index.search(query, &SearchQuery { prefilter: true, ..ask.clone() })?;
            there += hits.len();
            found += hits.iter().filter(|it| sifted.contains(it)).count();
        }
        line(format_args!(
            "{}: the prefilter finds {found} of {there} faces within {MATCH_DISTANCE}",
            self.name
        ));
        Ok(())
    }

    /// Measures adding one face and removing it again.
    fn changes(&self, report: &mut BenchReport, index: &FaceIndex) -> anyhow::Result<()> {
        let mut chance = SeededRng(99);
        let mut times = Vec::new();
        for at in 0..1000 {
            let (vector, id) = (chance.direction(self.case.dimension), face(self.case.count + at));
            let (put, took) =
                clock::time(|| index.put(&[FaceEntry { face: id, person: id, vector: &vector }]));
            put?;
            times.push(took);
            index.remove(&[id])?;
        }
        report.add(&format!("{}: put one face", self.name), MeasuredFigure::times(&times), None, None, None);
        Ok(())
    }

    fn search(
        &self,
        index: &FaceIndex,
        at: usize,
        ask: &SearchQuery,
        at_once: usize,
    ) -> anyhow::Result<(Vec<Vec<SearchHit>>, f64)> {
        let queries: Vec<_> = self.queries[at..at + at_once].iter().map(Vec::as_slice).collect();
        // A search may have several threads, and nothing else runs in this process meanwhile.
        let before = clock::own_cpu_milliseconds();
        let hits = index.search_many(&queries, ask)?;
        Ok((hits, clock::own_cpu_milliseconds() - before))
    }
}

fn ask(within: bool, prefilter: bool) -> SearchQuery {
    SearchQuery {
        top_k: TOP_K,
        max_distance: within.then_some(MATCH_DISTANCE),
        prefilter,
        person_filter: None,
    }
}

/// How many of our hits the peer has found, too.
fn common(ours: &[SearchHit], theirs: &serde_json::Value) -> usize {
    let theirs: Vec<_> =
        theirs.as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64).collect();
    ours.iter().filter(|it| theirs.iter().any(|at| face(*at as usize) == it.face)).count()
}
