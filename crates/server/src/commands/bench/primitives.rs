//! What is measured without a server: proofs, searches through faces, and storage.

use super::{
    report::{Interface, SizingReport},
    stage::Stage,
};
use anyhow::Context as _;
use base::{Id as _, MediaId, OrgId, Secret, SystemEnvironment};
use domain::tenancy::organisations;
use measure::{
    clock,
    face_vectors::{SeededRng, face},
    percentile,
    proofs::{SampleProofs, runs_per_second},
};
use media::blobs::{BlobBackend, BlobKey, BlobKeySegment, BlobStore};
use search::{FaceEntry, FaceIndex, IndexSpace, SearchQuery};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Proofs of each kind.
const PROOFS: usize = 2_000;
/// Faces that are put at a time.
const FACES_PER_BATCH: usize = 1_000;
/// Searches of each kind.
const SEARCHES: usize = 60;
/// Commits and files.
const WRITES: usize = 100;
/// A photo from a phone.
const BLOB_BYTES: usize = 1 << 20;

/// Proofs whose issuer's keys are at hand, on every core.
pub(super) fn proofs(report: &mut SizingReport, during: Duration) -> anyhow::Result<()> {
    let proofs = SampleProofs::issue(PROOFS)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (what, texts) in [
        ("codes of an issuer verified (one signature), without HTTP", &proofs.codes),
        ("presentations of a holder verified (two signatures), without HTTP", &proofs.presentations),
    ] {
        let trial = runs_per_second(texts.len(), cores, |at| proofs.holds(&texts[at]));
        // A second or two say as much as many.
        let count = (trial * during.as_secs_f64().min(2.0)) as usize;
        let rate = runs_per_second(count.max(PROOFS), cores, |at| proofs.holds(&texts[at % texts.len()]));
        report.add(Interface::ProofOfAge, what, rate, "1/s");
    }
    Ok(())
}

/// Searches through random faces, which is the worst case: no index can tell them apart early.
pub(super) fn faces(stage: &Stage, report: &mut SizingReport, count: usize) -> anyhow::Result<()> {
    let folder = stage.models_folder();
    let mut vision =
        vision::VisionModels::load(folder).with_context(|| format!("no models in {}", folder.display()))?;
    let embedding = vision.embedding_space()?;
    let (dimension, model) = (embedding.dimension, embedding.sha256);
    // As far as two pictures of one person are from each other, at one false match in ten thousand.
    let within = embedding.distance_at(1e-4);
    drop(vision);
    let space = IndexSpace { model, dimension };
    let index = FaceIndex::open(&stage.folder().join("faces"), &space, &Secret::new([1; 32]))?;
    let mut chance = SeededRng(7);
    for first in (0..count).step_by(FACES_PER_BATCH) {
        let vectors: Vec<_> = (first..count.min(first + FACES_PER_BATCH))
            .map(|at| (face(at), chance.direction(dimension)))
            .collect();
        let entries = vectors.iter().map(|(id, vector)| FaceEntry { face: *id, person: *id, vector });
        index.put(&entries.collect::<Vec<_>>())?;
    }
    let of = Interface::ContentModeration;
    for (what, max_distance) in [("a match", within), ("the ten nearest", None)] {
        let query = SearchQuery { top_k: 10, max_distance, prefilter: false, person_filter: None };
        let mut times = Vec::with_capacity(SEARCHES);
        for _ in 0..SEARCHES {
            let stranger = chance.direction(dimension);
            let (found, took) = clock::time(|| index.search(&stranger, &query));
            found?;
            times.push(took);
        }
        let name = format!("{what} among {count} faces of {dimension} numbers, p95");
        report.add(of, name, percentile(&times, 0.95), "ms");
    }
    Ok(())
}

/// Commits that wait for the disk, and files.
pub(super) async fn storage(stage: &Stage, report: &mut SizingReport) -> anyhow::Result<()> {
    let db = stage.open_database()?;
    db.migrate().await?;
    let mut commits = Vec::with_capacity(WRITES);
    for number in 0..WRITES {
        let began = Instant::now();
        let mut tx = db.write().await?;
        organisations::create(&mut tx, &SystemEnvironment, &format!("Organisation {number}")).await?;
        tx.commit().await?;
        commits.push(clock::milliseconds(began.elapsed()));
    }
    db.close().await;
    let backend = BlobBackend::Folder(stage.folder().join("blobs"));
    let blobs = BlobStore::open(&backend, Secret::new([3; 32]), Arc::new(SystemEnvironment))?;
    let (bytes, mut puts) = (vec![0x5a; BLOB_BYTES], Vec::with_capacity(WRITES));
    let tenant = BlobKeySegment::from(OrgId::new(&SystemEnvironment));
    for _ in 0..WRITES {
        let key =
            BlobKey::new(tenant.clone(), BlobKeySegment::literal("bench"), MediaId::new(&SystemEnvironment));
        let began = Instant::now();
        blobs.put(&key, &bytes).await?;
        puts.push(clock::milliseconds(began.elapsed()));
    }
    let database = stage.database();
    report.add(Interface::Shared, format!("commit of {database}, median"), percentile(&commits, 0.5), "ms");
    report.add(Interface::Shared, format!("commit of {database}, p95"), percentile(&commits, 0.95), "ms");
    let what = "file of 1 MiB encrypted and stored in the temporary folder, p95";
    report.add(Interface::Shared, what, percentile(&puts, 0.95), "ms");
    Ok(())
}
