//! What was erased cannot be read from the files of the server: neither the values, nor the keys that encrypted them.

use crate::{
    age_verification::{self, AgeSessionFixture},
    content_moderation::AccountFixture,
    document_verification,
};
use base::{ModerationId, ProfileId, SignedDuration};
use db::{FromRow, Query, sql};
use domain::{
    content_moderation::{SweepFindingPictures, purge_embeddings},
    delivery,
    erasure_replay::{ErasureReplay, ReplayOutcome},
};
use serde_json::json;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};
use testkit::{
    TestApp, face_pictures,
    media_fixtures::png,
    proof_settings,
    stub_server::{self, StubReply, StubServer},
};

/// Something that must not be found any more.
struct Needle {
    what: String,
    bytes: Vec<u8>,
}

#[derive(FromRow)]
struct SecretRow {
    what: String,
    bytes: Vec<u8>,
}

/// Keys and sealed values of everybody, as they are in the database.
async fn secrets(app: &TestApp) -> Vec<Needle> {
    let mut view = app.api.db.read().await.unwrap();
    let rows: Vec<SecretRow> = view
        .fetch_all(sql!(
            "SELECT 'a key' AS what, sealed AS bytes FROM erasure_keys
             UNION ALL SELECT 'a document session', sealed FROM identity_sessions
             UNION ALL SELECT 'an age session', sealed FROM age_sessions
             UNION ALL SELECT 'a profile', details FROM profiles WHERE details IS NOT NULL
             UNION ALL SELECT 'a face', embedding FROM faces
             UNION ALL SELECT 'the key of a picture', picture_key FROM faces WHERE picture_key IS NOT NULL
             UNION ALL SELECT 'a label', embedding FROM negative_labels
             UNION ALL SELECT 'a finding', sealed_embedding FROM findings WHERE sealed_embedding IS NOT NULL"
        ))
        .await
        .unwrap();
    rows.into_iter().map(|SecretRow { what, bytes }| Needle { what, bytes: middle(&bytes) }).collect()
}

/// The middle of a value: its beginning and end may lie on other pages than the rest.
fn middle(bytes: &[u8]) -> Vec<u8> {
    bytes[bytes.len() / 2 - 12..bytes.len() / 2 + 12].to_vec()
}

/// Something of a value that a statement reads as `bytes`, to look for in files.
pub(crate) async fn stored_needle(app: &TestApp, query: Query) -> Vec<u8> {
    #[derive(FromRow)]
    struct BytesRow {
        bytes: Vec<u8>,
    }
    let row: Option<BytesRow> = app.api.db.read().await.unwrap().fetch_optional(query).await.unwrap();
    middle(&row.unwrap().bytes)
}

/// Asserts that an erasure removes something from the files of the database, although nothing else is erased beside it.
/// Returns what the erasure returned.
pub(crate) async fn assert_erased_from_files<T>(
    app: &TestApp,
    needle: &[u8],
    erasure: impl Future<Output = T>,
) -> T {
    let db = &app.api.db;
    // On PostgreSQL, tests beside this one may have transactions that are waited for.
    let clean = async || while !domain::erasure_keys::clean_files(db).await.unwrap() {};
    let recorded = async || {
        let erasures = sql!("SELECT erased FROM erasure_progress WHERE id = 1");
        db.read().await.unwrap().count(erasures).await.unwrap()
    };
    clean().await;
    let earlier = recorded().await;
    if db.sqlite_file().is_some() {
        let before = Haystack::read(app, &[]).await;
        assert!(!before.places_of(needle).is_empty(), "it is not there before");
    }
    let erased = erasure.await;
    assert!(recorded().await > earlier, "nothing says that something was erased");
    clean().await;
    let after = Haystack::read(app, &[]).await;
    assert_eq!(after.places_of(needle), Vec::<&Path>::new(), "it is still there");
    erased
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").unwrap();
        digits
    })
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(haystack, needle).is_some()
}

/// What the files of indexes and pictures hold of people: some bytes of each kilobyte behind the headers.
fn file_contents(folders: &[&Path]) -> Vec<Needle> {
    let mut needles = Vec::new();
    for path in folders.iter().flat_map(|folder| files_below(folder)) {
        let bytes = std::fs::read(&path).unwrap();
        for (at, block) in bytes.chunks(1024).enumerate().skip(1) {
            if let Some(middle) = block.get(500..524).filter(|middle| middle.iter().any(|byte| *byte != 0)) {
                let what = format!("{} at {} KiB", path.display(), at);
                needles.push(Needle { what, bytes: middle.to_vec() });
            }
        }
    }
    needles
}

struct Haystack(Vec<(PathBuf, Vec<u8>)>);

impl Haystack {
    /// Every byte of the database, the pictures and the indexes.
    async fn read(app: &TestApp, folders: &[&Path]) -> Self {
        let mut files: Vec<PathBuf> = folders.iter().flat_map(|folder| files_below(folder)).collect();
        match app.api.db.sqlite_file() {
            Some(file) => files.extend(files_below(file.parent().unwrap())),
            // Only the table of keys is cleaned at once; see docs/RUNNING.md.
            None => files.push(key_table_file(app).await),
        }
        let read = |path: PathBuf| std::fs::read(&path).ok().map(|bytes| (path, bytes));
        Self(files.into_iter().filter_map(read).collect())
    }

    fn places_of(&self, needle: &[u8]) -> Vec<&Path> {
        self.0.iter().filter(|(_, bytes)| contains(bytes, needle)).map(|(path, _)| &**path).collect()
    }
}

async fn key_table_file(app: &TestApp) -> PathBuf {
    #[derive(FromRow)]
    struct PathRow {
        path: String,
    }
    // Written when it is rewritten, or else at a checkpoint.
    let mut view = app.api.db.read().await.unwrap();
    let row: Option<PathRow> = view
        .fetch_optional(sql!(
            sqlite: "SELECT '' AS path",
            postgres: "SELECT current_setting('data_directory') || '/' || pg_relation_filepath('erasure_keys') AS path",
        ))
        .await
        .unwrap();
    row.unwrap().path.into()
}

#[tokio::test]
async fn what_was_erased_is_in_no_file() {
    let blobs = tempfile::tempdir().unwrap();
    let app = TestApp::builder()
        .egress(&stub_server::egress_policy())
        .proof_of_age(proof_settings())
        .blobs_in(blobs.path())
        .start()
        .await;
    let fixture = AccountFixture::of(app).await;
    let app = &fixture.app;

    // Somebody of each kind, and others who stay.
    let (document, _) = document_verification::session_with_page(app).await;
    let age = AgeSessionFixture::create(
        app,
        age_verification::BASE,
        &json!({ "doc_scan": {}, "ttl": 60, "reference_id": "needle-reference" }),
    )
    .await;
    age.open_attempt(app, "DOC_SCAN").await;
    let (ada, bob) =
        (fixture.enrol("Ada Needle", &face_pictures()[6]).await, fixture.add_profile("Bob").await);
    let known = fixture.content(&fixture.files.put("ada.png", png(&face_pictures()[6])), "IMAGE").await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let matching = fixture.start_moderation(&known, json!({ "unknown_faces": true })).await;
    app.run_due_jobs().await;
    assert_eq!(fixture.report(&moderation).await["face_check_results"][0]["profile_id"], ada.as_str());
    let kept = secrets(app).await.len();
    assert!(kept >= 10, "{kept}");

    // All is there before, so that the search would find it.
    let folders = [blobs.path(), app.face_index_folder()];
    let mut needles = secrets(app).await;
    needles.extend(file_contents(&folders));
    if app.api.db.sqlite_file().is_some() {
        let before = Haystack::read(app, &folders).await;
        for needle in &needles {
            assert!(!before.places_of(&needle.bytes).is_empty(), "{} is not there before", needle.what);
        }
    }

    // What stays is not looked for.
    let erase = async |method: &str, below: &str| {
        let answer = fixture.call(method, below, None).await;
        assert_eq!(answer.status_and_code(), "204", "{below}: {}", answer.json());
    };
    erase("DELETE", &format!("/profiles/{ada}")).await;
    erase("DELETE", &format!("/moderations/{moderation}")).await;
    erase("DELETE", &format!("/contents/{known}")).await;
    let deleted = document_verification::relying_party_call(app, "DELETE", &document.path(""), None).await;
    assert_eq!(deleted.status_and_code(), "204");
    app.environment.advance(SignedDuration::from_hours(24 * 40));
    let now = app.api.environment.now();
    app.api.retention.enforce(&app.api.db, &*app.api.environment).await.unwrap();
    app.api.document_verification.sweep().await.unwrap();
    app.api.faces.maintain_indexes().await.unwrap();
    // On PostgreSQL, tests beside this one may have transactions that are waited for.
    while !domain::erasure_keys::clean_files(&app.api.db).await.unwrap() {}
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap(), [], "at {now}");
    let stays: Vec<Vec<u8>> = secrets(app).await.into_iter().map(|needle| needle.bytes).collect();
    assert_eq!(stays.len(), 2, "the key and the texts of a profile that was not deleted: {bob}");

    let after = Haystack::read(app, &folders).await;
    for Needle { what, bytes } in needles.iter().filter(|needle| !stays.contains(&needle.bytes)) {
        assert_eq!(after.places_of(bytes), Vec::<&Path>::new(), "{what} is still there");
    }
    let rows = app.dump().await;
    for Needle { what, bytes } in needles.iter().filter(|needle| !stays.contains(&needle.bytes)) {
        let digits = hex_digits(bytes);
        let found = rows.iter().find(|row| row.to_lowercase().contains(&digits));
        assert_eq!(found, None, "{what} is still in a row");
    }
    // The audit trail names what was deleted by its id.
    let rows: Vec<_> = rows.iter().filter(|row| !row.starts_with("audit_records ")).collect();
    for text in ["needle", &matching, &moderation] {
        let found =
            rows.iter().find(|row| row.contains(text) || row.to_lowercase().contains(&text.replace('-', "")));
        assert_eq!(found, None, "{text} is still in a row");
    }
}

/// A profile leaves no trace in what was found before it was deleted.
#[tokio::test]
async fn findings_go_with_the_profile_that_they_matched() {
    let fixture = AccountFixture::start_with_media().await;
    let ada = fixture.enrol("Ada", &face_pictures()[6]).await;
    let (content, moderation) = fixture.finished_moderation(json!({})).await;
    let body = json!({ "profile_id": ada });
    let attached = fixture.call("POST", &format!("/contents/{content}/profiles"), Some(body)).await;
    assert_eq!(attached.status_and_code(), "200", "{}", attached.json());
    assert_eq!(fixture.report(&moderation).await["face_check_results"][0]["profile_id"], ada.as_str());
    let answer = fixture.call("DELETE", &format!("/profiles/{ada}"), None).await;
    assert_eq!(answer.status_and_code(), "204");
    let report = fixture.report(&moderation).await;
    assert_eq!(report["face_check_results"].as_array().unwrap().len(), 1);
    assert!(report["face_check_results"][0].get("profile_id").is_none(), "{report}");
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM content_profiles")).await, 0);
    let left = fixture.count(sql!("SELECT count(*) FROM findings WHERE sealed_embedding IS NOT NULL")).await;
    assert_eq!(left, 0);
    assert_eq!(fixture.app.api.account_deletion.find_orphans().await.unwrap(), []);
}

/// A face that was somebody's does not become an unknown one.
#[tokio::test]
async fn what_a_report_says_of_unknown_faces_stays_when_a_profile_is_deleted() {
    for is_banned in [false, true] {
        let fixture = AccountFixture::start_with_media().await;
        let ada = fixture.enrol("Ada", &face_pictures()[6]).await;
        if is_banned {
            let banned = fixture.call("POST", &format!("/profiles/{ada}/ban"), None).await;
            assert_eq!(banned.status_and_code(), "204", "{}", banned.json());
        }
        let (_, moderation) = fixture.finished_moderation(json!({})).await;
        let reported = async || {
            let report = fixture.report(&moderation).await;
            (report["banned_faces"].clone(), report["unknown_faces"].clone())
        };
        let expected = (json!(is_banned), json!(false));
        assert_eq!(reported().await, expected);
        let deleted = fixture.call("DELETE", &format!("/profiles/{ada}"), None).await;
        assert_eq!(deleted.status_and_code(), "204", "{}", deleted.json());
        assert_eq!(reported().await, expected);
    }
}

/// While a server is updated, some of its processes are of an earlier version.
#[tokio::test]
async fn a_report_is_right_of_faces_that_an_earlier_version_judged() {
    let fixture = AccountFixture::start_with_media().await;
    let app = &fixture.app;
    let ada: ProfileId = fixture.enrol("Ada", &face_pictures()[6]).await.parse().unwrap();
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id: ModerationId = moderation.parse().unwrap();
    let judge = async |track: i64, profile: Option<ProfileId>| {
        let measured = json!({
            "distance": profile.map(|_| 0.3), "max_distance": 0.5, "model": "a model", "quality": 1.0, "score": 1.0,
        });
        app.execute(sql!(
            "INSERT INTO findings (id, account_id, moderation_id, track, frame_time, profile_id, is_banned, age_group,
                                   face_top, face_right, face_bottom, face_left, measurements)
             VALUES ($1, $2, $3, $4, 0.0, $5, FALSE, 'adult', 0, 1, 1, 0, $6)
             ON CONFLICT (moderation_id, track) DO UPDATE
                SET profile_id = excluded.profile_id, measurements = excluded.measurements",
            app.api.environment.uuid_v4(),
            fixture.account,
            id,
            track,
            profile,
            measured,
        ))
        .await;
    };
    judge(1, Some(ada)).await;
    // As it deletes a profile.
    app.execute(sql!(
        "UPDATE findings SET profile_id = NULL, sealed_embedding = NULL WHERE profile_id = $1",
        ada
    ))
    .await;
    assert_eq!(fixture.report(&moderation).await["unknown_faces"], false);
    // It may go on with a video that this version has begun, and judge a face anew.
    judge(0, None).await;
    assert_eq!(fixture.report(&moderation).await["unknown_faces"], true);
}

/// Whoever is deleted is named by no moderation that was to look for them, no content that they uploaded, and no message.
#[tokio::test]
async fn what_named_a_deleted_person_names_nobody() {
    let fixture = AccountFixture::start_with_media().await;
    let app = &fixture.app;
    let receiver = StubServer::start(|_| StubReply::status(503)).await;
    let (ada, bob) =
        (fixture.enrol("Ada", &face_pictures()[6]).await, fixture.enrol("Bob", &face_pictures()[8]).await);
    let ban: base::Uuid = ada.parse().unwrap();
    app.execute(sql!("UPDATE profiles SET banned = TRUE WHERE id = $1", ban)).await;
    let options = json!({
        "profile_ids": [ada, bob], "notifications": { "web_destinations": [receiver.url("/hook")] },
    });
    let (content, moderation) = fixture.finished_moderation(options).await;
    let id: base::Uuid = ada.parse().unwrap();
    app.execute(sql!("UPDATE contents SET uploader_id = $1", id)).await;
    let message = async || {
        #[derive(FromRow)]
        struct MessageRow {
            state: String,
            size: i64,
        }
        let mut view = app.api.db.read().await.unwrap();
        let rows: Vec<MessageRow> = view
            .fetch_all(sql!("SELECT state, CAST(length(sealed) AS BIGINT) AS size FROM deliveries"))
            .await
            .unwrap();
        rows.into_iter().map(|row| (row.state, row.size > 0)).collect::<Vec<_>>()
    };
    let waiting = message().await;
    assert!(
        !waiting.is_empty() && waiting.iter().all(|row| *row == ("WAITING".to_owned(), true)),
        "{waiting:?}"
    );
    let named = async || {
        let overview = fixture.get(&format!("/moderations/{moderation}")).await.to_string();
        [&ada, &bob].map(|id| overview.contains(id.as_str()))
    };
    assert_eq!(named().await, [true, true]);

    let answer = fixture.call("DELETE", &format!("/profiles/{ada}"), None).await;
    assert_eq!(answer.status_and_code(), "204");
    let rows = app.dump().await;
    let names = |id: &str| {
        let digits = id.replace('-', "");
        rows.iter()
            .filter(|row| row.contains(id) || row.to_lowercase().contains(&digits))
            .filter_map(|row| row.split([' ', ':', '|', '(']).next().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let left = names(&ada);
    assert!(
        left.iter().all(|table| ["profiles", "audit_records", "face_removals"].contains(&table.as_str())),
        "{left:?}"
    );
    assert_eq!(named().await, [false, true]);
    let wanted = names(&base::Uuid::nil().to_string());
    assert!(
        wanted.contains(&"moderations".to_owned()),
        "an empty list would have meant everybody: {wanted:?}"
    );
    let mut emptied = message().await;
    emptied.sort();
    let expected = [("FAILED".to_owned(), false), ("WAITING".to_owned(), true)];
    assert_eq!(emptied, expected, "that a moderation is done says nothing of anybody");
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap(), []);

    // The audit sees what a deletion would have left.
    app.execute(sql!("UPDATE contents SET uploader_id = $1", id)).await;
    app.execute(sql!(
        "INSERT INTO delivery_subjects (subject_id, delivery_id) SELECT $1, id FROM deliveries",
        id
    ))
    .await;
    app.execute(sql!(
        sqlite: "UPDATE moderations SET wanted = replace(wanted, $1, $2)",
        postgres: "UPDATE moderations SET wanted = CAST(replace(CAST(wanted AS TEXT), $1, $2) AS JSONB)",
        base::Uuid::nil().to_string(),
        ada.clone(),
    ))
    .await;
    let found = app.api.account_deletion.find_orphans().await.unwrap();
    let places: Vec<_> = found.iter().map(|orphan| (orphan.place, orphan.owner.as_str())).collect();
    assert_eq!(places, [("delivery_subjects", &*ada), ("moderations", &*ada), ("contents", &*ada)]);
    let deleted = fixture.call("DELETE", &format!("/contents/{content}"), None).await;
    assert_eq!(deleted.status_and_code(), "204");
}

fn erasure_replay(app: &TestApp) -> ErasureReplay {
    ErasureReplay {
        db: app.api.db.clone(),
        faces: app.api.faces.clone(),
        content_moderation: app.api.content_moderation.clone(),
        document_verification: app.api.document_verification.clone(),
        account_deletion: app.api.account_deletion.clone(),
        environment: app.api.environment.clone(),
    }
}

/// What had to come before a deletion may be newer than the backup that was restored: another face of a banned profile,
/// another administrator.
#[tokio::test]
async fn deletions_that_nobody_may_ask_for_any_more_are_done_again() {
    let fixture = AccountFixture::start().await;
    let app = &fixture.app;
    let replay = erasure_replay(app);
    let profile = fixture.enrol("Ada", &face_pictures()[6]).await;
    let known = fixture.get(&format!("/profiles/{profile}")).await;
    let face = known["faces"][0]["id"].as_str().unwrap().to_owned();
    let banned = fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    assert!(banned.status.is_success(), "{}", banned.json());
    let (member, _) = fixture.add_member("ada@example.com", true, &[]).await;
    for (below, code) in [
        (format!("/profiles/{profile}/faces/{face}"), "400 INVALID_REQUEST"),
        (format!("/members/{member}"), "409 LAST_ADMINISTRATOR"),
    ] {
        assert_eq!(fixture.call("DELETE", &below, None).await.status_and_code(), code, "{below}");
    }

    let line = |kind: &str, target: &str, details: serde_json::Value| {
        let record =
            json!({ "kind": kind, "account": fixture.account, "target": target, "details": details });
        json!({ "hash": "", "record": record }).to_string()
    };
    for line in [
        line("profile.remove-face", &profile, json!({ "face": face })),
        line("member.remove", &member, json!({})),
    ] {
        assert_eq!(replay.apply(&line).await.unwrap(), ReplayOutcome::Deleted, "{line}");
        assert_eq!(replay.apply(&line).await.unwrap(), ReplayOutcome::Gone, "{line}");
    }
    for table in ["faces", "members"] {
        let left = app.dump().await.iter().filter(|row| row.starts_with(&format!("{table} "))).count();
        assert_eq!(left, 0, "{table}");
    }
    let banned = sql!("SELECT count(*) FROM profiles WHERE banned = TRUE AND active = TRUE");
    assert_eq!(fixture.count(banned).await, 1, "the ban is no biometric data, and stays");
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap(), []);
}

/// What one deletion of each kind recorded has another of the same kind deleted: as after a backup was restored.
#[tokio::test]
async fn each_deletion_that_was_recorded_can_be_done_again() {
    let fixture = AccountFixture::start_with_media().await;
    let app = &fixture.app;
    let mut ids = Vec::new();
    for face in [6, 8] {
        let profile = fixture.enrol("Ada", &face_pictures()[face]).await;
        let other = fixture.enrol("Bob", &face_pictures()[face]).await;
        let known = fixture.get(&format!("/profiles/{other}")).await;
        let removed = known["faces"][0]["id"].as_str().unwrap().to_owned();
        let (member, _) = fixture.add_member(&format!("ada{face}@example.com"), false, &[]).await;
        let (content, _) = fixture.waiting_moderation().await;
        let (_, moderation) = fixture.waiting_moderation().await;
        let (session, _) = document_verification::session_with_page(app).await;
        // Of this one only the picture is deleted.
        let (kept, media) = document_verification::session_with_page(app).await;
        kept.finish(app).await;
        let media = media["id"].as_str().unwrap().to_owned();
        ids.push([profile, other, removed, member, content, moderation, session.id, kept.id, media]);
    }
    let [profile, other, removed, member, content, moderation, session, kept, media] = &ids[0];
    for below in [
        format!("/profiles/{profile}"),
        format!("/profiles/{other}/faces/{removed}"),
        format!("/members/{member}"),
        format!("/contents/{content}"),
        format!("/moderations/{moderation}"),
    ] {
        let answer = fixture.call("DELETE", &below, None).await;
        assert!(answer.status.is_success(), "{below}: {}", answer.json());
    }
    for below in [session.clone(), format!("{kept}/media/{media}/content")] {
        let path = format!("{}/sessions/{below}", document_verification::BASE);
        let deleted = document_verification::relying_party_call(app, "DELETE", &path, None).await;
        assert_eq!(deleted.status_and_code(), "204", "{below}");
    }

    let mut lines = Vec::new();
    let mut view = app.api.db.read().await.unwrap();
    let each = |record: &domain::audit_trail::ExportedRecord| {
        lines.push(format!(r#"{{"hash":"{}","record":{}}}"#, record.hash, record.record));
    };
    app.api.audit_trail.export(&mut view, &domain::audit_trail::AuditFilter::default(), each).await.unwrap();
    drop(view);
    let replay = erasure_replay(app);
    let run = async |lines: &[String]| {
        let mut deleted = 0;
        for line in lines {
            let outcome = replay.apply(line).await.unwrap();
            deleted += usize::from(outcome == ReplayOutcome::Deleted);
        }
        deleted
    };
    assert_eq!(run(&lines).await, 0, "they are gone already");
    let of_others: Vec<String> = lines
        .iter()
        .map(|line| ids[0].iter().zip(&ids[1]).fold(line.clone(), |line, (old, new)| line.replace(old, new)))
        .collect();
    assert_eq!(run(&of_others).await, 7);
    let picture =
        format!("{}/sessions/{}/media/{}/content", document_verification::BASE, ids[1][7], ids[1][8]);
    let withheld = document_verification::relying_party_call(app, "GET", &picture, None).await;
    assert_eq!(withheld.status_and_code(), "204", "the session is there, and its picture is not");
    for table in ["contents", "moderations", "identity_sessions", "members", "faces"] {
        let left = app.dump().await.iter().filter(|row| row.starts_with(&format!("{table} "))).count();
        let kept = ["contents", "identity_sessions"].contains(&table);
        assert_eq!(left, if kept { 2 } else { 0 }, "{table}");
    }
    // Of an account as a whole.
    let close =
        json!({ "hash": "", "record": { "kind": "account.close", "target": fixture.account } }).to_string();
    assert_eq!(replay.apply(&close).await.unwrap(), ReplayOutcome::Deleted);
    assert_eq!(replay.apply(&close).await.unwrap(), ReplayOutcome::Gone);
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap(), []);
}

/// A document session whose end user may ask for an email, which this receiver is told.
async fn session_with_emails(
    app: &TestApp,
    receiver: &StubServer,
) -> document_verification::DocumentSessionFixture {
    let payload = json!({
        "notifications": { "endpoint": receiver.url("/hook"), "topics": ["THANK_YOU_EMAIL_REQUESTED"] },
        "requested_tasks": [{ "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    });
    document_verification::DocumentSessionFixture::create(app, document_verification::BASE, &payload).await
}

/// Messages about a session are erased with it, delivered or not.
#[tokio::test]
async fn messages_about_a_document_session_go_with_it() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    let session = session_with_emails(&app, &receiver).await;
    for sends in [true, false] {
        let asked = session.end_user_call(&app, "POST", "/emails/thank-you", None).await;
        assert_eq!(asked.status_and_code(), "204");
        if sends {
            crate::deliveries::deliver(&app, app.api.document_verification.outbox(), &receiver, 1).await;
        }
    }
    let count = async |query| app.api.db.read().await.unwrap().count(query).await.unwrap();
    let full = sql!("SELECT count(*) FROM deliveries WHERE length(sealed) > 0");
    assert_eq!(count(full).await, 2);
    let deleted = document_verification::relying_party_call(&app, "DELETE", &session.path(""), None).await;
    assert_eq!(deleted.status_and_code(), "204");
    assert_eq!(count(sql!("SELECT count(*) FROM deliveries WHERE length(sealed) > 0")).await, 0);
    assert_eq!(count(sql!("SELECT count(*) FROM deliveries WHERE ended_at IS NOT NULL")).await, 2);
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap(), []);
}

#[tokio::test]
async fn embeddings_of_findings_are_kept_for_their_days_and_no_longer() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let kept = async || {
        let app = &fixture.app;
        app.api.retention.enforce(&app.api.db, &*app.api.environment).await.unwrap();
        fixture.count(sql!("SELECT count(*) FROM findings WHERE sealed_embedding IS NOT NULL")).await
    };
    fixture.app.environment.advance(SignedDuration::from_hours(24 * 30 - 1));
    assert_eq!(kept().await, 1);
    fixture.app.environment.advance(SignedDuration::from_hours(2));
    assert_eq!(kept().await, 0);
    let keys = async || fixture.count(sql!("SELECT count(*) FROM erasure_keys")).await;
    assert_eq!(keys().await, 1, "the pictures of what was found are sealed with it");
    fixture.app.api.content_moderation.sweep_pictures(SweepFindingPictures {}).await.unwrap();
    assert_eq!((kept().await, keys().await), (0, 0));
    assert_eq!(fixture.report(&moderation).await["face_check_results"].as_array().unwrap().len(), 1);
    let notification = fixture.first_notification(&moderation).await;
    let dismissed = fixture
        .call("POST", &format!("/notifications/{notification}/dismiss"), Some(json!({ "comment": "no" })))
        .await;
    assert!(dismissed.status.is_success(), "{}", dismissed.json());
}

/// The key of the moderation stays, because the pictures of what it found are sealed with it, too.
#[tokio::test]
async fn embeddings_of_findings_whose_pictures_are_kept_leave_the_files() {
    let fixture = AccountFixture::start_with_media().await;
    fixture.finished_moderation(json!({})).await;
    let app = &fixture.app;
    let embedding = stored_needle(app, sql!("SELECT sealed_embedding AS bytes FROM findings")).await;
    let (db, now) = (&app.api.db, app.api.environment.now());
    let purging = purge_embeddings(db, now, SignedDuration::ZERO);
    assert_eq!(assert_erased_from_files(app, &embedding, purging).await.unwrap(), 1);
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM erasure_keys")).await, 1);
}

#[tokio::test]
async fn messages_whose_time_is_over_leave_the_files() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    let session = session_with_emails(&app, &receiver).await;
    let asked = session.end_user_call(&app, "POST", "/emails/thank-you", None).await;
    assert_eq!(asked.status_and_code(), "204");
    crate::deliveries::deliver(&app, app.api.document_verification.outbox(), &receiver, 1).await;
    let message = stored_needle(&app, sql!("SELECT sealed AS bytes FROM deliveries")).await;
    app.environment.advance(SignedDuration::from_secs(1));
    let purging = delivery::purge(&app.api.db, &*app.api.environment, SignedDuration::ZERO);
    assert_eq!(assert_erased_from_files(&app, &message, purging).await.unwrap(), 1);
}
