//! A reviewer at work: hundreds of cases one after the other, in a browser, without waiting for the server in between.

use super::{Installation, text};
use crate::test_installation::{TEST_TIMEOUT, repository};
use base::PictureSize;
use serde_json::{Value, json};
use std::{
    env,
    process::Command,
    time::{Duration, Instant},
};
use testkit::{edits, media_fixtures::FileServer};

/// Strangers in each picture: columns and rows of faces.
const COLUMNS: usize = 4;
const ROWS: usize = 3;
/// One face in the picture.
const TILE: PictureSize = PictureSize { width: 240, height: 267 };
/// Cases to be settled, unless `ASSAY_REVIEWED_CASES` says otherwise: an hour's work is 600.
const DEFAULT_CASES: usize = 48;

/// A crowd of strangers.
fn crowd() -> Vec<u8> {
    let faces = testkit::face_pictures().iter().cycle().take(COLUMNS * ROWS);
    let tiles: Vec<_> = faces.map(|face| edits::resized(face, TILE)).collect();
    domain::image_analysis::sample_faces::encode_jpeg(&edits::tiled(&tiles, COLUMNS as u32), 92)
}

/// The desk, driven by `web/tests/e2e/reviewer.ts`.
fn work_through(link: &str, cases: usize) -> Value {
    let web = repository("web");
    let cases = cases.to_string();
    let run = ["--prefix", web.to_str().unwrap(), "run", "--silent", "e2e:reviewer", "--", link, &cases];
    let output = Command::new("npm").args(run).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reviewer_settles_one_case_after_the_other_in_a_browser() {
    let wanted = env::var("ASSAY_REVIEWED_CASES").map_or(DEFAULT_CASES, |cases| cases.parse().unwrap());
    let installation = Installation::new().await;
    let _processes = installation.start();
    let shelf = FileServer::start().await;
    let picture = crowd();
    let mut open = 0;
    let mut number = 0;
    while open < wanted {
        // Some faces of the crowd may be missed, so pictures are added until there are enough cases.
        let url = shelf.put(&format!("crowd-{number}.jpg"), picture.clone());
        let content = installation.make("/contents", json!({ "url": url, "type": "IMAGE" })).await;
        let wishes = json!({ "content_id": content, "unknown_faces": true });
        let moderation = installation.make("/moderations", wishes).await;
        installation.until_done(&moderation).await;
        open = installation.open_cases().await as usize;
        number += 1;
        assert!(number <= wanted, "a crowd of twelve has no case: {open} of {wanted}");
    }

    let invite =
        ["account", "invite", "--account", &installation.account, "--email", "ada@example.com", "--admin"];
    installation.place.ask(&[&invite[..], &["--dev"]].concat());
    let (link, _) = installation.link("invite").await;
    let worked = work_through(&link, wanted);
    assert_eq!(worked["wrong"], json!([]), "{worked}");
    assert_eq!(worked["decided"], json!(wanted), "{worked}");
    let waits = &worked["waits_ms"];
    println!(
        "{wanted} cases: until the next one is there, median {} ms, p95 {} ms",
        waits["median"], waits["p95"]
    );

    // All are settled, each once, and nothing left before the time in which a decision can be taken back.
    let began = Instant::now();
    while installation.settled_cases().await < wanted as i64 {
        assert!(began.elapsed() < TEST_TIMEOUT, "{} are settled", installation.settled_cases().await);
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    assert_eq!(installation.settled_cases().await, wanted as i64);
    assert_eq!(installation.opinions().await, wanted as i64, "each case was decided once");
}
