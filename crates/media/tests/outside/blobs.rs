//! One suite for every backend, and tests of what is particular to folders or S3.

use crate::s3;
use base::{Secret, SystemEnvironment, TestEnvironment, Timestamp};
use futures_util::TryStreamExt as _;
use media::blobs::{BlobBackend, BlobError, BlobKey, BlobKeySegment, BlobPrefix, BlobStore};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, ReadBuf};

const CHUNK: usize = 64 << 10;
const PART: usize = 8 << 20;
const PHOTO: BlobKeySegment = BlobKeySegment::literal("photo");
const VIDEO: BlobKeySegment = BlobKeySegment::literal("video");

fn open(place: &BlobBackend) -> BlobStore {
    BlobStore::open(place, Secret::new([7; 32]), Arc::new(SystemEnvironment)).unwrap()
}

fn in_folder() -> (BlobStore, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (open(&BlobBackend::Folder(folder.path().to_owned())), folder)
}

async fn in_s3() -> (BlobStore, s3::Bucket) {
    let (bucket, endpoint) = s3::Bucket::serve().await;
    let place = BlobBackend::S3 {
        endpoint: Some(endpoint),
        bucket: s3::BUCKET.to_owned(),
        region: s3::REGION.to_owned(),
        access_key: s3::ACCESS_KEY.to_owned(),
        secret_key: Secret::new("very secret".to_owned()),
        prefix: "assay/blobs".to_owned(),
        allow_http: true,
    };
    (open(&place), bucket)
}

fn segment(text: &str) -> BlobKeySegment {
    text.parse().unwrap()
}

fn key(tenant: &str, kind: BlobKeySegment, id: &str) -> BlobKey {
    BlobKey::new(segment(tenant), kind, segment(id))
}

fn photo() -> BlobKey {
    key("tenant", PHOTO, "a")
}

/// Bytes that differ from chunk to chunk.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at / 3 + at / CHUNK * 5) as u8).collect()
}

/// A reader that yields some bytes, a few at a time, and then fails or hangs.
struct Broken {
    left: usize,
    hangs: bool,
}

impl AsyncRead for Broken {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        if self.left == 0 && self.hangs {
            return Poll::Pending;
        }
        if self.left == 0 {
            return Poll::Ready(Err(std::io::Error::other("gone")));
        }
        let now = self.left.min(10_000).min(into.remaining());
        into.put_slice(&vec![3; now]);
        self.left -= now;
        Poll::Ready(Ok(()))
    }
}

async fn listed(blobs: &BlobStore, prefix: &BlobPrefix) -> Vec<String> {
    let mut keys: Vec<_> =
        blobs.list(prefix).map_ok(|found| found.key.to_string()).try_collect().await.unwrap();
    keys.sort();
    keys
}

/// Tests that every backend must pass.
async fn suite(blobs: &BlobStore) {
    what_is_not_there_is_missing(blobs).await;
    what_was_put_is_got_whole_and_in_ranges(blobs).await;
    what_streams_in_is_kept_up_to_the_limit(blobs).await;
    a_tenant_is_deleted_as_one(blobs).await;
}

async fn what_is_not_there_is_missing(blobs: &BlobStore) {
    assert!(matches!(blobs.get(&photo()).await, Err(BlobError::Missing)));
    assert!(matches!(blobs.get_range(&photo(), 0..1).await, Err(BlobError::Missing)));
    assert!(matches!(blobs.size(&photo()).await, Err(BlobError::Missing)));
    assert!(!blobs.exists(&photo()).await.unwrap());
    blobs.delete(&photo()).await.unwrap();
    assert_eq!(blobs.delete_prefix(&BlobPrefix::tenant(segment("tenant"))).await.unwrap(), 0);
    assert!(listed(blobs, &BlobPrefix::tenant(segment("tenant"))).await.is_empty());
}

async fn what_was_put_is_got_whole_and_in_ranges(blobs: &BlobStore) {
    for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 10 * CHUNK + 17] {
        let whole = bytes(length);
        blobs.put(&photo(), &whole).await.unwrap();
        assert!(blobs.get(&photo()).await.unwrap() == whole, "{length} bytes come back");
        assert_eq!(blobs.size(&photo()).await.unwrap(), length as u64);
        assert!(blobs.exists(&photo()).await.unwrap());
        let edges =
            [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, length.saturating_sub(1), length, length + 1];
        for from in edges {
            for to in edges {
                let want = whole.get(from..to.min(length)).unwrap_or_default();
                let got = blobs.get_range(&photo(), from as u64..to as u64).await.unwrap();
                assert!(got == want, "{from}..{to} of {length}");
            }
        }
        let got = blobs.get_range(&photo(), 1..u64::MAX).await.unwrap();
        assert!(got == whole.get(1..).unwrap_or_default(), "to the end of {length}");
    }
    blobs.delete(&photo()).await.unwrap();
    assert!(!blobs.exists(&photo()).await.unwrap());
}

async fn what_streams_in_is_kept_up_to_the_limit(blobs: &BlobStore) {
    for length in [0, 1, CHUNK, CHUNK + 1, PART - 1, PART, 2 * PART + CHUNK + 1] {
        let whole = bytes(length);
        let kept = blobs.put_stream(&photo(), &*whole, length as u64).await.unwrap();
        assert_eq!(kept, length as u64);
        assert!(blobs.get(&photo()).await.unwrap() == whole, "{length} bytes come back");
    }
    blobs.put(&photo(), b"before").await.unwrap();
    for length in [7, CHUNK, 2 * PART] {
        let limit = length as u64 - 1;
        let refused = blobs.put_stream(&photo(), &*bytes(length), limit).await;
        assert!(matches!(refused, Err(BlobError::TooLarge { limit: told }) if told == limit), "{refused:?}");
        let refused = blobs.put_stream(&photo(), Broken { left: length, hangs: false }, u64::MAX).await;
        assert!(matches!(refused, Err(BlobError::BrokeOff(_))), "{refused:?}");
    }
    assert_eq!(blobs.get(&photo()).await.unwrap(), b"before", "a failed upload changes nothing");
    blobs.delete(&photo()).await.unwrap();
}

async fn a_tenant_is_deleted_as_one(blobs: &BlobStore) {
    for tenant in ["t-1", "t-10", "t-2"] {
        for id in ["a", "b", "c"] {
            blobs.put(&key(tenant, PHOTO, id), b"face").await.unwrap();
        }
        blobs.put(&key(tenant, VIDEO, "a"), b"film").await.unwrap();
    }
    let first = BlobPrefix::tenant(segment("t-1"));
    assert_eq!(listed(blobs, &first).await, ["t-1/photo/a", "t-1/photo/b", "t-1/photo/c", "t-1/video/a"]);
    let one: Vec<_> = blobs.list(&BlobPrefix::kind(segment("t-1"), VIDEO)).try_collect().await.unwrap();
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].stored_bytes, 20 + 4 + 16);
    assert!(one[0].written_at > "2026-01-01T00:00:00Z".parse().unwrap());

    assert_eq!(blobs.delete_prefix(&BlobPrefix::kind(segment("t-1"), PHOTO)).await.unwrap(), 3);
    assert_eq!(listed(blobs, &first).await, ["t-1/video/a"]);
    assert_eq!(blobs.delete_prefix(&first).await.unwrap(), 1);
    assert!(listed(blobs, &first).await.is_empty());
    for other in ["t-10", "t-2"] {
        assert_eq!(
            listed(blobs, &BlobPrefix::tenant(segment(other))).await.len(),
            4,
            "{other} keeps its own"
        );
    }
}

#[tokio::test]
async fn a_folder_keeps_blobs() {
    suite(&in_folder().0).await;
}

#[tokio::test]
async fn memory_keeps_blobs() {
    suite(&open(&BlobBackend::Memory)).await;
}

#[tokio::test]
async fn s3_keeps_blobs() {
    let (blobs, bucket) = in_s3().await;
    suite(&blobs).await;
    let kept = bucket.kept();
    assert!(kept.uploads.is_empty(), "every upload in parts was completed or aborted");
    assert!(kept.objects.keys().all(|key| key.starts_with("assay/blobs/t-")), "all under the prefix");
    for used in ["put", "get", "head", "list", "begin", "part", "complete", "abort", "delete many"] {
        assert!(kept.asked.contains_key(used), "{used} was used: {:?}", kept.asked);
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[tokio::test]
async fn a_folder_is_made_for_its_owner_alone() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("data/blobs");
    open(&BlobBackend::Folder(folder.clone()));
    for made in [folder, above.path().join("data")] {
        assert_eq!(fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[tokio::test]
async fn nothing_of_a_blob_can_be_read_on_disk() {
    let (blobs, folder) = in_folder();
    let secret = "the face of Ada Lovelace, ".repeat(10_000);
    blobs.put(&photo(), secret.as_bytes()).await.unwrap();
    blobs.put_stream(&key("tenant", PHOTO, "b"), secret.as_bytes(), u64::MAX).await.unwrap();
    let stored: Vec<_> = files(folder.path()).iter().map(|file| fs::read(file).unwrap()).collect();
    assert_eq!(stored.len(), 2);
    for bytes in &stored {
        assert!(!bytes.windows(8).any(|window| window == b"Lovelace"));
    }
    assert!(stored[0] != stored[1], "each blob has a salt of its own");
}

#[tokio::test]
async fn what_is_stored_today_opens_tomorrow() {
    let folder = tempfile::tempdir().unwrap();
    let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
    let blobs =
        BlobStore::open(&BlobBackend::Folder(folder.path().to_owned()), Secret::new([7; 32]), environment)
            .unwrap();
    blobs.put(&photo(), b"hello").await.unwrap();
    let stored = fs::read(folder.path().join("tenant/photo/a")).unwrap();
    assert_eq!(
        hex::encode(stored),
        "61736231afcd1d7b39a820e2f465b9a16a9e786e2993bf7da1f1a0b98150edb08a7ccf818c9c599cb3"
    );
}

#[tokio::test]
async fn no_change_to_a_stored_blob_goes_unnoticed() {
    let (blobs, folder) = in_folder();
    let file = folder.path().join("tenant/photo/a");
    let whole = bytes(3 * CHUNK + 5);
    blobs.put(&photo(), &whole).await.unwrap();
    let sound = fs::read(&file).unwrap();
    let step = CHUNK + 16;
    let chunk = |number: usize| 20 + number * step..sound.len().min(20 + (number + 1) * step);
    let mut damaged: Vec<(String, Vec<u8>)> = vec![];
    for at in [0, 4, 19, 20, 20 + CHUNK, 20 + step, 20 + 3 * step, sound.len() - 1] {
        let mut flipped = sound.clone();
        flipped[at] ^= 1;
        damaged.push((format!("bit {at} flipped"), flipped));
    }
    for length in
        [0, 3, 19, 20, 21, 35, 36, 20 + CHUNK, 20 + step, 20 + 2 * step, 20 + 3 * step, sound.len() - 1]
    {
        damaged.push((format!("cut to {length}"), sound[..length].to_vec()));
    }
    damaged.push(("lengthened".to_owned(), [&*sound, &[0]].concat()));
    damaged.push(("first chunk dropped".to_owned(), [&sound[..20], &sound[20 + step..]].concat()));
    let swapped = [&sound[..20], &sound[chunk(1)], &sound[chunk(0)], &sound[20 + 2 * step..]].concat();
    damaged.push(("chunks swapped".to_owned(), swapped));
    damaged.push(("last chunk twice".to_owned(), [&*sound, &sound[chunk(3)]].concat()));
    for (what, stored) in damaged {
        fs::write(&file, stored).unwrap();
        let got = blobs.get(&photo()).await;
        assert!(matches!(got, Err(BlobError::Damaged)), "{what}: {:?}", got.map(|bytes| bytes.len()));
        let got = blobs.get_range(&photo(), 0..u64::MAX).await;
        assert!(
            matches!(got, Err(BlobError::Damaged)),
            "{what}, by range: {:?}",
            got.map(|bytes| bytes.len())
        );
        // A range either fails or returns what was written, also at the blob's end.
        for range in [0..5, CHUNK - 2..CHUNK + 2, 3 * CHUNK..usize::MAX, 9 * CHUNK..usize::MAX] {
            match blobs.get_range(&photo(), range.start as u64..range.end as u64).await {
                Ok(got) => {
                    assert_eq!(
                        got,
                        whole.get(range.start..range.end.min(whole.len())).unwrap_or_default(),
                        "{what}"
                    );
                }
                Err(error) => assert!(matches!(error, BlobError::Damaged), "{what}: {error}"),
            }
        }
    }
    fs::write(&file, sound).unwrap();
    assert!(blobs.get(&photo()).await.unwrap() == whole);
}

#[tokio::test]
async fn a_blob_opens_only_under_its_own_key() {
    let (blobs, folder) = in_folder();
    let place = BlobBackend::Folder(folder.path().to_owned());
    let (mine, theirs) = (key("t-1", PHOTO, "a"), key("t-2", PHOTO, "a"));
    blobs.put(&mine, b"mine").await.unwrap();
    blobs.put(&theirs, b"theirs").await.unwrap();
    fs::copy(folder.path().join("t-2/photo/a"), folder.path().join("t-1/photo/a")).unwrap();
    assert!(matches!(blobs.get(&mine).await, Err(BlobError::Damaged)));
    assert_eq!(blobs.get(&theirs).await.unwrap(), b"theirs");

    let stranger = BlobStore::open(&place, Secret::new([8; 32]), Arc::new(SystemEnvironment)).unwrap();
    assert!(matches!(stranger.get(&theirs).await, Err(BlobError::Damaged)));
    assert!(matches!(stranger.get_range(&theirs, 0..1).await, Err(BlobError::Damaged)));
}

#[tokio::test]
async fn failed_uploads_and_deleted_blobs_leave_nothing_in_a_folder() {
    let (blobs, folder) = in_folder();
    for length in [CHUNK, 2 * PART] {
        blobs.put_stream(&photo(), Broken { left: length, hangs: false }, u64::MAX).await.unwrap_err();
        blobs.put_stream(&photo(), &*bytes(length), 10).await.unwrap_err();
        assert!(files(folder.path()).is_empty());
    }
    blobs.put(&photo(), b"face").await.unwrap();
    blobs.delete(&photo()).await.unwrap();
    assert!(!folder.path().join("tenant").exists(), "nor the names of folders");
}

#[tokio::test]
async fn what_a_dead_server_left_in_a_folder_is_swept() {
    let (blobs, folder) = in_folder();
    blobs.put(&photo(), b"face").await.unwrap();
    let left = folder.path().join("tenant/photo/b#1");
    fs::write(&left, b"half").unwrap();
    assert_eq!(
        blobs.remove_abandoned_uploads("2026-01-01T00:00:00Z".parse().unwrap()).await.unwrap(),
        0,
        "it may be going on"
    );
    assert_eq!(blobs.remove_abandoned_uploads(Timestamp::MAX).await.unwrap(), 1);
    assert_eq!(blobs.get(&photo()).await.unwrap(), b"face");

    fs::write(&left, b"half").unwrap();
    assert_eq!(blobs.delete_prefix(&BlobPrefix::tenant(segment("tenant"))).await.unwrap(), 1);
    assert!(files(folder.path()).is_empty(), "a deleted tenant leaves nothing");
}

#[tokio::test]
async fn an_upload_that_is_refused_or_dropped_leaves_nothing_in_s3() {
    let (blobs, bucket) = in_s3().await;
    bucket.kept().refuse_parts_from = Some(2);
    let refused = blobs.put_stream(&photo(), &*bytes(3 * PART), u64::MAX).await;
    assert!(matches!(refused, Err(BlobError::Unavailable(_))), "{refused:?}");
    assert!(bucket.kept().uploads.is_empty());

    bucket.kept().refuse_parts_from = None;
    let target = photo();
    let mut upload = Box::pin(blobs.put_stream(&target, Broken { left: 2 * PART, hangs: true }, u64::MAX));
    while bucket.kept().uploads.is_empty() {
        let now = std::time::Duration::from_millis(20);
        tokio::time::timeout(now, &mut upload).await.expect_err("the reader hangs");
    }
    drop(upload);
    for _ in 0..60_000 {
        if bucket.kept().uploads.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(bucket.kept().uploads.is_empty());
    assert!(bucket.kept().objects.is_empty());
}

#[tokio::test]
async fn s3_that_does_not_know_the_key_is_unavailable() {
    let (_bucket, endpoint) = s3::Bucket::serve().await;
    let blobs = open(&BlobBackend::S3 {
        endpoint: Some(endpoint),
        bucket: s3::BUCKET.to_owned(),
        region: s3::REGION.to_owned(),
        access_key: "SOMEONEELSE".to_owned(),
        secret_key: Secret::new("very secret".to_owned()),
        prefix: String::new(),
        allow_http: true,
    });
    assert!(matches!(blobs.put(&photo(), b"face").await, Err(BlobError::Unavailable(_))));
    assert!(matches!(blobs.get(&photo()).await, Err(BlobError::Unavailable(_))));
    assert!(!format!("{blobs:?}").contains("SOMEONE"), "{blobs:?}");
}
