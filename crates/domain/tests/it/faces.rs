//! Face indexes stay in step with the database: two nodes, crashes, a changed model, closed accounts.

use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base::{
    AccountId, ContentId, Environment as _, NotificationId, Picture, ProfileId, Secret, SignedDuration,
    Timestamp, Uuid,
};
use db::{WriteTx, sql};
use domain::{
    faces::{
        BanRequest, CandidateQuery, DismissalSelection, DismissedFace, FaceIndexError, FaceIndexService,
        FaceIndexSettings, FaceIndexStorage, MAX_NEGATIVE_LABELS_PER_PROFILE, PreparedFace, ProfileDetails,
        ProfileText, ProfileType,
    },
    image_analysis::sample_faces,
    tenancy::limits::LimitSettings,
};
use futures_util::TryStreamExt as _;
use media::blobs::{BlobError, BlobPrefix};
use std::{collections::HashSet, path::Path, sync::Arc};
use tempfile::TempDir;
use testkit::{TestApp, face_pictures};

/// A further node: the database of the server, and a folder of its own for indexes.
struct Node {
    faces: FaceIndexService,
    folder: TempDir,
}

impl Node {
    fn of(app: &TestApp) -> Self {
        Self::with(app, |_| {})
    }

    fn with(app: &TestApp, change: impl FnOnce(&mut FaceIndexSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let faces = open(app, folder.path(), change);
        Self { faces, folder }
    }

    async fn finds(&self, account: AccountId, embedding: &[f32]) -> Vec<ProfileId> {
        self.finds_by(account, embedding, &CandidateQuery::nearest(10)).await
    }

    /// Whom it finds for a face in a content.
    async fn finds_in(&self, account: AccountId, embedding: &[f32], content: ContentId) -> Vec<ProfileId> {
        let query = CandidateQuery { content: Some(content), ..CandidateQuery::nearest(10) };
        self.finds_by(account, embedding, &query).await
    }

    async fn finds_by(
        &self,
        account: AccountId,
        embedding: &[f32],
        query: &CandidateQuery,
    ) -> Vec<ProfileId> {
        let found = self.faces.find_candidates(account, &[embedding.to_vec()], query).await;
        found.unwrap()[0].iter().map(|candidate| candidate.profile).collect()
    }

    /// The digest of its model.
    async fn model(&self) -> String {
        self.faces.model_digest().await.unwrap()
    }
}

fn open(app: &TestApp, folder: &Path, change: impl FnOnce(&mut FaceIndexSettings)) -> FaceIndexService {
    let api = &app.api;
    let storage = FaceIndexStorage { folder: folder.to_owned(), key: Secret::new([7; 32]) };
    let mut settings = FaceIndexSettings::default();
    change(&mut settings);
    let (environment, vault) = (api.environment.clone(), api.vault.clone());
    FaceIndexService::new(
        api.db.clone(),
        environment,
        vault,
        api.blobs.clone(),
        api.image_analyser.clone(),
        storage,
        settings,
        LimitSettings::default(),
    )
}

/// Pictures of two people who look into the camera.
fn person(number: usize) -> &'static Picture {
    &face_pictures()[[6, 8][number]]
}

fn jpeg(number: usize) -> Vec<u8> {
    sample_faces::encode_jpeg(person(number), 95)
}

fn consenting() -> ProfileDetails {
    let mut details = ProfileDetails::default();
    details.set(ProfileText::BiometricConsent, Some("form 7".to_owned())).unwrap();
    details
}

async fn prepare(node: &FaceIndexService, account: AccountId, number: usize) -> PreparedFace {
    node.prepare_face(account, None, jpeg(number)).await.unwrap()
}

/// Commits a profile and does nothing after that, as if the process had died.
async fn commit(app: &TestApp, node: &FaceIndexService, account: AccountId, number: usize) -> ProfileId {
    let face = prepare(node, account, number).await;
    let mut tx = app.api.db.write().await.unwrap();
    let id = node
        .create_profile(&mut tx, account, ProfileType::Searchable, &consenting(), Some(&face))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    id
}

async fn enrol(app: &TestApp, node: &FaceIndexService, account: AccountId, number: usize) -> ProfileId {
    let id = commit(app, node, account, number).await;
    node.apply_committed_changes(account).await;
    id
}

async fn delete(app: &TestApp, node: &FaceIndexService, account: AccountId, id: ProfileId) {
    let mut tx = app.api.db.write().await.unwrap();
    node.delete_profile(&mut tx, account, id).await.unwrap();
    tx.commit().await.unwrap();
}

async fn embedding(app: &TestApp, number: usize) -> Vec<f32> {
    let picture = person(number).clone();
    let embed = app.api.image_analyser.run(move |vision| {
        let face = vision.detect(&picture)?.into_iter().next().unwrap();
        vision.embed(&picture, &face)
    });
    embed.await.unwrap().unwrap()
}

async fn count(app: &TestApp, query: db::Query) -> i64 {
    app.api.db.read().await.unwrap().count(query).await.unwrap()
}

async fn pictures(app: &TestApp, account: AccountId) -> usize {
    app.api.blobs.list(&BlobPrefix::tenant(account)).try_collect::<Vec<_>>().await.unwrap().len()
}

#[tokio::test]
async fn nodes_see_each_others_changes_in_the_next_search() {
    let app = TestApp::start().await;
    let (a, b, account) = (Node::of(&app), Node::of(&app), app.open_account().await);
    let (ada, bob) = (embedding(&app, 0).await, embedding(&app, 1).await);
    assert!(b.finds(account, &ada).await.is_empty());

    let id = enrol(&app, &a.faces, account, 0).await;
    assert_eq!((a.finds(account, &ada).await, b.finds(account, &ada).await), (vec![id], vec![id]));
    let other = enrol(&app, &b.faces, account, 1).await;
    assert_eq!((a.finds(account, &bob).await, b.finds(account, &bob).await), (vec![other], vec![other]));
    // A change that a node only committed is seen, too, by itself and by the other node.
    let twin = commit(&app, &a.faces, account, 0).await;
    let both = HashSet::from([id, twin]);
    assert_eq!(b.finds(account, &ada).await.into_iter().collect::<HashSet<_>>(), both);
    assert_eq!(a.finds(account, &ada).await.into_iter().collect::<HashSet<_>>(), both);
    let only = Arc::new(HashSet::from([twin, other]));
    let found = a
        .faces
        .find_candidates(
            account,
            &[ada.clone(), bob],
            &CandidateQuery { only: Some(only), ..CandidateQuery::nearest(5) },
        )
        .await
        .unwrap();
    let profiles: Vec<_> =
        found.iter().map(|found| found.iter().map(|it| it.profile).collect::<Vec<_>>()).collect();
    assert_eq!(profiles, [vec![twin], vec![other]]);
    delete(&app, &b.faces, account, twin).await;

    // Ada's own picture is dismissed in one content.
    let (content, elsewhere) = (uuid(7).into(), uuid(8).into());
    let model = a.model().await;
    let dismissed = dismissal(id, (&ada, &model), uuid(1).into(), content);
    let late = Node::of(&app);
    write(&app, async |tx| a.faces.dismiss(tx, account, dismissed).await.unwrap()).await;
    for node in [&a, &b, &late] {
        assert!(node.finds_in(account, &ada, content).await.is_empty(), "not in this content");
        assert_eq!(node.finds_in(account, &ada, elsewhere).await, [id], "elsewhere it is still Ada");
        assert_eq!(node.finds(account, &ada).await, [id]);
    }
    let next = enrol(&app, &a.faces, account, 0).await;
    assert_eq!(b.finds_in(account, &ada, content).await, [next], "it may be another's");
    write(&app, async |tx| {
        let which = DismissalSelection::OfNotification(uuid(1).into());
        assert_eq!(a.faces.undo_dismissals(tx, account, which).await.unwrap(), 1);
    })
    .await;
    for node in [&a, &b, &late] {
        assert_eq!(node.finds_in(account, &ada, content).await.len(), 2, "it was undone");
    }
}

/// A look-alike is dismissed: a face between Ada and somebody else that was matched to Ada.
#[tokio::test]
async fn a_dismissed_look_alike_is_not_told_again_and_the_person_is() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let (ada, bob) = (embedding(&app, 0).await, embedding(&app, 1).await);
    let id = enrol(&app, &node.faces, account, 0).await;
    let between = |share: f32| -> Vec<f32> {
        ada.iter().zip(&bob).map(|(ada, bob)| ada + share * (bob - ada)).collect()
    };
    let apart = vision::embedding_distance(&ada, &bob);
    let limit = node.faces.identify_distance().await.unwrap();
    let share = 0.95 * limit / apart;
    let look_alike = between(share);
    assert_eq!(node.finds(account, &look_alike).await, [id], "they are taken for Ada");
    let model = node.model().await;
    let dismissed = dismissal(id, (&look_alike, &model), uuid(1).into(), uuid(7).into());
    write(&app, async |tx| node.faces.dismiss(tx, account, dismissed).await.unwrap()).await;

    for near in [0.99, 1.0, 1.01] {
        assert!(node.finds(account, &between(near * share)).await.is_empty(), "{near} of the way");
    }
    for near in [0.0, 0.1, 0.2, 0.3, 0.45] {
        assert_eq!(node.finds(account, &between(near * share)).await, [id], "{near} of the way");
    }
    // Once more, and by a second member: it stays one.
    write(&app, async |tx| node.faces.dismiss(tx, account, dismissed).await.unwrap()).await;
    let mut view = app.api.db.read().await.unwrap();
    let listed = node.faces.list_dismissals(&mut view, account, id).await.unwrap();
    assert_eq!(listed.len(), 1);
    drop(view);
    write(&app, async |tx| {
        let missing = node.faces.undo_dismissal(tx, account, id, uuid(99)).await;
        assert!(matches!(missing, Err(FaceIndexError::Missing("dismissal"))));
        node.faces.undo_dismissal(tx, account, id, listed[0].id).await.unwrap();
    })
    .await;
    assert_eq!(node.finds(account, &look_alike).await, [id], "it was undone");
}

/// What a dismissal reaches does not depend on how similar a moderation wants faces to be.
#[tokio::test]
async fn a_dismissal_reaches_as_far_whatever_similarity_is_demanded() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let (ada, bob) = (embedding(&app, 0).await, embedding(&app, 1).await);
    let (id, model) = (enrol(&app, &node.faces, account, 0).await, node.model().await);
    let apart = vision::embedding_distance(&ada, &bob);
    let limit = node.faces.identify_distance().await.unwrap();
    // Up to 0.75 of the limit, a face is taken for Ada's own, and its dismissal counts in its content alone. By the limits that
    // are demanded here, the first would not be, and the second would.
    for (number, distance, demanded, elsewhere) in
        [(1, 0.6 * limit, 0.7 * limit, vec![id]), (2, 0.86 * limit, 1.3 * limit, vec![])]
    {
        let share = distance / apart;
        let seen: Vec<f32> = ada.iter().zip(&bob).map(|(ada, bob)| ada + share * (bob - ada)).collect();
        let dismissed = dismissal(id, (&seen, &model), uuid(number).into(), uuid(7).into());
        write(&app, async |tx| node.faces.dismiss(tx, account, dismissed).await.unwrap()).await;
        for max_distance in [None, Some(demanded)] {
            for (content, expected) in [(7, vec![]), (8, elsewhere.clone())] {
                let content = Some(uuid(content).into());
                let query = CandidateQuery { max_distance, content, ..CandidateQuery::nearest(10) };
                let found = node.finds_by(account, &seen, &query).await;
                assert_eq!(found, expected, "{distance} away, within {max_distance:?}, in {content:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_face_that_another_model_saw_is_no_label() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let (id, bob) = (enrol(&app, &node.faces, account, 0).await, embedding(&app, 1).await);
    let other_model = "01".repeat(32);
    for (model, labels) in [(&other_model, 0), (&node.model().await, 1)] {
        let dismissed = dismissal(id, (&bob, model), uuid(1).into(), uuid(7).into());
        write(&app, async |tx| node.faces.dismiss(tx, account, dismissed).await.unwrap()).await;
        assert_eq!(count(&app, sql!("SELECT count(*) FROM negative_labels")).await, labels);
    }
}

#[tokio::test]
async fn labels_of_a_profile_are_bounded() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let id = enrol(&app, &node.faces, account, 0).await;
    let (far, model) = (vec![9.0; embedding(&app, 0).await.len()], node.model().await);
    let mut tx = app.api.db.write().await.unwrap();
    for number in 0..MAX_NEGATIVE_LABELS_PER_PROFILE + 5 {
        let notification = uuid(1000 + number as u128).into();
        node.faces
            .dismiss(&mut tx, account, dismissal(id, (&far, &model), notification, uuid(7).into()))
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(
        count(&app, sql!("SELECT count(*) FROM negative_labels")).await,
        MAX_NEGATIVE_LABELS_PER_PROFILE
    );
    assert_eq!(node.finds(account, &embedding(&app, 0).await).await, [id], "they are far from this face");
    delete(&app, &node.faces, account, id).await;
    assert_eq!(count(&app, sql!("SELECT count(*) FROM negative_labels")).await, 0);
}

/// On PostgreSQL, a dismissal would otherwise read what the deletion deletes.
#[tokio::test]
async fn a_profile_that_is_being_deleted_gets_no_label() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let id = enrol(&app, &node.faces, account, 0).await;
    let (seen, model) = (vec![9.0; embedding(&app, 0).await.len()], node.model().await);
    let mut deleting = app.api.db.write().await.unwrap();
    node.faces.delete_profile(&mut deleting, account, id).await.unwrap();
    let dismissed = dismissal(id, (&seen, &model), uuid(1).into(), uuid(7).into());
    let dismissing = write(&app, async |tx| node.faces.dismiss(tx, account, dismissed).await.unwrap());
    let committing = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        deleting.commit().await.unwrap();
    };
    tokio::join!(dismissing, committing);
    assert_eq!(count(&app, sql!("SELECT count(*) FROM negative_labels")).await, 0);
}

/// On PostgreSQL, which would end one of two transactions that wait for each other.
#[tokio::test]
async fn a_content_is_deleted_while_the_profile_of_its_uploader_is() {
    for is_dismissed in [true, false] {
        let app = TestApp::start().await;
        let (node, account) = (Node::of(&app), app.open_account().await);
        let (uploader, other) =
            (enrol(&app, &node.faces, account, 0).await, enrol(&app, &node.faces, account, 1).await);
        let content: ContentId = uuid(7).into();
        let (seen, model) = (vec![9.0; embedding(&app, 0).await.len()], node.model().await);
        write(&app, async |tx| {
            insert_moderated_content(tx, account, content, [uploader, other]).await;
            if is_dismissed {
                let dismissed = dismissal(uploader, (&seen, &model), uuid(1).into(), content);
                node.faces.dismiss(tx, account, dismissed).await.unwrap();
            }
        })
        .await;
        let mut deleting = app.api.db.write().await.unwrap();
        // From here on, nobody else changes what is known of faces.
        node.faces.delete_profile(&mut deleting, account, other).await.unwrap();
        let deleting_content = write(&app, async |tx| {
            assert!(app.api.content_moderation.delete_content(tx, account, content).await.unwrap());
        });
        let deleting_uploader = async {
            app.wait_until_blocked(1).await;
            node.faces.delete_profile(&mut deleting, account, uploader).await.unwrap();
            deleting.commit().await.unwrap();
        };
        tokio::join!(deleting_content, deleting_uploader);
        assert_eq!(count(&app, sql!("SELECT count(*) FROM contents")).await, 0);
        assert_eq!(count(&app, sql!("SELECT count(*) FROM negative_labels")).await, 0);
    }
}

/// A content that the first of two people uploaded, and a moderation that has found both in it.
async fn insert_moderated_content(
    tx: &mut WriteTx,
    account: AccountId,
    content: ContentId,
    people: [ProfileId; 2],
) {
    let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
    let moderation = uuid(8);
    let content_row = sql!(
        "INSERT INTO contents (id, account_id, url, type, uploader_id, archived, created_at)
         VALUES ($1, $2, 'https://media.example.com/1.mp4', 'VIDEO', $3, FALSE, $4)",
        content,
        account,
        people[0],
        now,
    );
    let moderation_row = sql!(
        "INSERT INTO moderations (id, account_id, content_id, content_type, url, wanted, destinations, state, job_id,
                                  position, created_at)
         VALUES ($1, $2, $3, 'VIDEO', 'https://media.example.com/1.mp4', $4, $5, 'DONE', $1, 0.0, $6)",
        moderation,
        account,
        content,
        serde_json::json!({}),
        Vec::<u8>::new(),
        now,
    );
    for query in [content_row, moderation_row] {
        tx.execute(query).await.unwrap();
    }
    for (track, person) in people.into_iter().enumerate() {
        tx.execute(sql!(
            "INSERT INTO findings (id, account_id, moderation_id, track, frame_time, profile_id, is_banned, age_group,
                                   face_top, face_right, face_bottom, face_left, observed_at)
             VALUES ($1, $2, $3, $4, 0.0, $5, FALSE, 'adult', 0, 1, 1, 0, $6)",
            uuid(20 + track as u128),
            account,
            moderation,
            track as i64,
            person,
            now,
        ))
        .await
        .unwrap();
    }
}

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// What dismisses a face that a model has embedded.
fn dismissal<'a>(
    profile: ProfileId,
    (embedding, model): (&'a [f32], &'a str),
    notification: NotificationId,
    content: ContentId,
) -> DismissedFace<'a> {
    DismissedFace { profile, embedding, model, notification, content, user: uuid(3) }
}

/// A transaction that is committed.
async fn write(app: &TestApp, change: impl AsyncFnOnce(&mut WriteTx)) {
    let mut tx = app.api.db.write().await.unwrap();
    change(&mut tx).await;
    tx.commit().await.unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn an_index_that_fell_behind_is_repaired_when_it_is_opened() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let (ada, bob) = (embedding(&app, 0).await, embedding(&app, 1).await);
    let id = enrol(&app, &node.faces, account, 0).await;
    assert_eq!(node.finds(account, &ada).await, [id]);
    drop(node.faces);
    let stale = tempfile::tempdir().unwrap();
    copy(node.folder.path(), stale.path());

    // Meanwhile one profile is added and one removed, and the index misses the removal.
    let elsewhere = Node::of(&app);
    delete(&app, &elsewhere.faces, account, id).await;
    let other = enrol(&app, &elsewhere.faces, account, 1).await;
    app.execute(sql!("DELETE FROM face_removals")).await;
    let again = open(&app, stale.path(), |_| {});
    let found = again
        .find_candidates(account, &[ada.clone(), bob.clone()], &CandidateQuery::nearest(5))
        .await
        .unwrap();
    assert!(found[0].is_empty());
    assert_eq!(found[1][0].profile, other);
    drop(again);

    // Whatever file is there instead, a node finds what the database says; so does a second process in the same folder.
    for path in files(stale.path()) {
        std::fs::write(path, b"no index at all").unwrap();
    }
    let (first, second) = (open(&app, stale.path(), |_| {}), open(&app, stale.path(), |_| {}));
    for node in [&first, &second] {
        let found = node
            .find_candidates(account, &[ada.clone(), bob.clone()], &CandidateQuery::nearest(5))
            .await
            .unwrap();
        assert_eq!((found[0].len(), found[1][0].profile), (0, other));
    }
    assert_eq!(files(stale.path()).len(), 4, "each process has an index and a file of codes of its own");
}

/// How a file of an index is damaged.
type Damage = fn(&mut Vec<u8>);

/// Flips every bit of one byte in so many.
fn flip_each(bytes: &mut [u8], one_in: usize, first: usize) {
    bytes.iter_mut().skip(first).step_by(one_in).for_each(|byte| *byte = !*byte);
}

/// The index of an account, opened without the database: what its files hold by themselves.
async fn open_file(app: &TestApp, account: AccountId, folder: &Path) -> search::FaceIndex {
    struct Length32;
    impl KeyType for Length32 {
        fn len(&self) -> usize {
            32
        }
    }
    let space = app.api.image_analyser.run(|vision| {
        let space = vision.embedding_space().unwrap();
        search::IndexSpace { model: space.sha256, dimension: space.dimension }
    });
    let space = space.await.unwrap();
    let mut key = [0; 32];
    let salt = Salt::new(HKDF_SHA256, b"assay/faces/1").extract(&[7; 32]);
    salt.expand(&[Uuid::from(account).as_bytes()], Length32).and_then(|okm| okm.fill(&mut key)).unwrap();
    let path = files(folder).into_iter().find(|path| path.extension().is_some_and(|end| end == "idx"));
    search::FaceIndex::open(&path.unwrap(), &space, &Secret::new(key)).unwrap()
}

#[tokio::test]
async fn an_index_whose_files_are_damaged_is_whole_again_after_the_next_search() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let people = [embedding(&app, 0).await, embedding(&app, 1).await];
    let profiles = [enrol(&app, &node.faces, account, 0).await, enrol(&app, &node.faces, account, 1).await];
    assert_eq!(node.finds(account, &people[0]).await, [profiles[0]]);
    drop(node.faces);

    let damages: [(&str, Damage); 7] = [
        ("a byte of each part", |bytes| flip_each(bytes, 97, 11)),
        ("its first bytes", |bytes| flip_each(&mut bytes[..16], 1, 0)),
        ("all after its beginning", |bytes| flip_each(bytes, 1, 512)),
        ("the last byte", |bytes| *bytes.last_mut().unwrap() ^= 0xff),
        ("cut in the middle", |bytes| bytes.truncate(bytes.len() / 2)),
        ("longer", |bytes| bytes.extend([0x5a; 3000])),
        ("nothing", Vec::clear),
    ];
    for (damage, apply) in damages {
        for endings in [&["idx"][..], &["codes"], &["idx", "codes"]] {
            for is_open in [false, true] {
                let what = format!("{damage} in {endings:?}, open: {is_open}");
                let folder = tempfile::tempdir().unwrap();
                copy(node.folder.path(), folder.path());
                let service = open(&app, folder.path(), |_| {});
                if is_open {
                    service.find_candidates(account, &people, &CandidateQuery::nearest(5)).await.unwrap();
                }
                for path in files(folder.path()) {
                    if endings.iter().any(|ending| path.extension().is_some_and(|end| end == *ending)) {
                        let mut bytes = std::fs::read(&path).unwrap();
                        apply(&mut bytes);
                        std::fs::write(path, bytes).unwrap();
                    }
                }
                let found = service.find_candidates(account, &people, &CandidateQuery::nearest(5)).await;
                let found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
                let found: Vec<Vec<_>> =
                    found.iter().map(|found| found.iter().map(|it| it.profile).collect()).collect();
                assert_eq!(found, profiles.map(|profile| vec![profile]), "{what}");
                if is_open {
                    // What no search had to read may still be damaged; the next process to open it reads all of it.
                    drop(service);
                    let again = open(&app, folder.path(), |_| {});
                    again.find_candidates(account, &people, &CandidateQuery::nearest(5)).await.unwrap();
                } else {
                    drop(service);
                }

                let index = open_file(&app, account, folder.path()).await;
                assert_eq!((index.len(), index.dropped(), index.verify().unwrap()), (2, 0, 0), "{what}");
                for (person, profile) in people.iter().zip(profiles) {
                    let ask = search::SearchQuery {
                        top_k: 1,
                        max_distance: None,
                        prefilter: false,
                        person_filter: None,
                    };
                    let nearest = index.search(person, &ask).unwrap();
                    assert_eq!(nearest[0].person, Uuid::from(profile), "{what}");
                }
            }
        }
    }
}

#[tokio::test]
async fn an_index_holds_no_face_in_clear() {
    #[derive(db::FromRow)]
    struct Row {
        embedding: Vec<u8>,
    }

    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let id = enrol(&app, &node.faces, account, 0).await;
    let ada = embedding(&app, 0).await;
    assert!(files(node.folder.path()).is_empty(), "an index is made when somebody searches it");
    assert_eq!(node.finds(account, &ada).await, [id]);
    let looked_for: Vec<u8> = ada[..4].iter().flat_map(|number| number.to_le_bytes()).collect();
    let files = files(node.folder.path());
    assert_eq!(files.len(), 2, "an index and its codes");
    for file in files {
        let bytes = std::fs::read(file).unwrap();
        assert!(!bytes.windows(16).any(|window| window == looked_for));
    }
    let mut view = app.api.db.read().await.unwrap();
    let row: Row = view.fetch_optional(sql!("SELECT embedding FROM faces")).await.unwrap().unwrap();
    assert!(!row.embedding.windows(16).any(|window| window == looked_for));
}

#[tokio::test]
async fn leftovers_of_a_crash_are_swept() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let ada = embedding(&app, 0).await;
    // Killed between storing the picture and the row.
    let face = prepare(&node.faces, account, 0).await;
    // Killed between the commit and deleting the picture.
    let id = enrol(&app, &node.faces, account, 1).await;
    delete(&app, &node.faces, account, id).await;
    assert_eq!(pictures(&app, account).await, 2);
    node.faces.sweep_tombstones().await.unwrap();
    assert_eq!(pictures(&app, account).await, 1, "an enrolment may still go on");
    app.environment.advance(SignedDuration::from_mins(11));
    node.faces.sweep_tombstones().await.unwrap();
    assert_eq!(pictures(&app, account).await, 0);
    let mut tx = app.api.db.write().await.unwrap();
    let late = node
        .faces
        .create_profile(&mut tx, account, ProfileType::Searchable, &consenting(), Some(&face))
        .await;
    assert!(matches!(late, Err(FaceIndexError::Busy(_))), "a face without its picture is not enrolled");
    drop(tx);
    assert!(node.finds(account, &ada).await.is_empty());
    app.environment.advance(SignedDuration::from_hours(8 * 24));
    node.faces.sweep_tombstones().await.unwrap();
    assert_eq!(count(&app, sql!("SELECT count(*) FROM face_removals")).await, 0);
    let id = enrol(&app, &node.faces, account, 0).await;
    assert_eq!(node.finds(account, &ada).await, [id]);
}

/// A file lies where the folder of one account's indexes should be.
#[tokio::test]
async fn an_account_that_cannot_be_swept_holds_up_no_other_and_no_ban() {
    let app = TestApp::start().await;
    let node = Node::of(&app);
    let accounts = [app.open_account().await, app.open_account().await];
    let banned = enrol(&app, &node.faces, accounts[0], 0).await;
    let mut tx = app.api.db.write().await.unwrap();
    let until = Some(app.environment.now() + SignedDuration::from_hours(1));
    let request = BanRequest { reason: None, until };
    node.faces.ban(&mut tx, (accounts[0], Uuid::nil()), banned, request).await.unwrap();
    tx.commit().await.unwrap();
    app.environment.advance(SignedDuration::from_hours(2));
    for account in accounts {
        let id = commit(&app, &node.faces, account, 1).await;
        delete(&app, &node.faces, account, id).await;
    }
    let stuck = accounts.into_iter().min().unwrap();
    let other = accounts.into_iter().max().unwrap();
    let fresh = Node::of(&app);
    let in_the_way = fresh.folder.path().join(stuck.to_string());
    std::fs::write(&in_the_way, "").unwrap();

    fresh.faces.sweep_tombstones().await.unwrap();
    let left = async |account| {
        count(&app, sql!("SELECT count(*) FROM face_leavings WHERE account_id = $1", account)).await
    };
    assert_eq!([left(stuck).await, left(other).await], [1, 0]);
    let mut view = app.api.db.read().await.unwrap();
    assert!(!fresh.faces.profile(&mut view, accounts[0], banned).await.unwrap().banned);
    drop(view);

    std::fs::remove_file(&in_the_way).unwrap();
    fresh.faces.sweep_tombstones().await.unwrap();
    assert_eq!(left(stuck).await, 0);
}

#[tokio::test]
async fn a_search_that_is_given_up_while_the_index_opens_leaves_no_second_index() {
    let app = TestApp::start().await;
    let account = app.open_account().await;
    let ada = embedding(&app, 0).await;
    for moment in 0..50 {
        let node = Node::of(&app);
        let wait = std::time::Duration::from_micros(100 * moment);
        let _gave_up = tokio::time::timeout(wait, node.finds(account, &ada)).await;
        assert!(node.finds(account, &ada).await.is_empty());
        let files = std::fs::read_dir(node.folder.path().join(account.to_string())).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names.len(), 2, "an index and its codes: {names:?}");
    }
}

#[tokio::test]
async fn another_model_embeds_the_stored_pictures_again() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let (ada, bob) = (embedding(&app, 0).await, embedding(&app, 1).await);
    let frugal = Node::with(&app, |settings| settings.keep_images = false);
    let id = enrol(&app, &node.faces, account, 0).await;
    let lost = enrol(&app, &frugal.faces, account, 1).await;
    assert_eq!(pictures(&app, account).await, 1, "pictures are kept only where that is set");
    assert_eq!(node.faces.queue_reembedding().await.unwrap(), 0, "all are of this model");

    // As if they had been enrolled with another model, which has an embedding space of its own.
    app.execute(sql!("UPDATE faces SET model = $1, embedding = $1", vec![1_u8; 32])).await;
    let fresh = Node::of(&app);
    assert!(fresh.finds(account, &ada).await.is_empty(), "spaces are not mixed");
    let standing = fresh.faces.index_statuses().await.unwrap().remove(0);
    assert_eq!(
        (standing.faces, standing.other_model, standing.can_be_renewed, standing.lost_profiles),
        (2, 2, 1, 1)
    );
    assert_eq!(fresh.faces.queue_reembedding().await.unwrap(), 1);
    assert_eq!(fresh.faces.queue_reembedding().await.unwrap(), 0, "once for each account");
    app.run_due_jobs().await;
    assert_eq!(fresh.finds(account, &ada).await, [id]);
    assert!(fresh.finds(account, &bob).await.is_empty());
    let mut view = app.api.db.read().await.unwrap();
    assert!(fresh.faces.profile(&mut view, account, lost).await.unwrap().active);
}

/// The installation's key opens no picture: whoever has a copy of the bucket needs the key of the profile, which goes with it.
#[tokio::test]
async fn pictures_have_keys_of_their_own_and_old_ones_get_them() {
    let app = TestApp::start().await;
    let (node, account) = (Node::of(&app), app.open_account().await);
    let ada = embedding(&app, 0).await;
    let id = enrol(&app, &node.faces, account, 0).await;
    let blobs: Vec<_> = app.api.blobs.list(&BlobPrefix::tenant(account)).try_collect().await.unwrap();
    let name = &blobs[0].key;
    let is_open = async || match app.api.blobs.get(name).await {
        Ok(_) => true,
        Err(BlobError::Damaged) => false,
        Err(error) => panic!("{error}"),
    };
    let reembed = async || {
        app.execute(sql!("UPDATE faces SET model = $1", vec![1_u8; 32])).await;
        assert_eq!(node.faces.queue_reembedding().await.unwrap(), 1);
        app.run_due_jobs().await;
        Node::of(&app).finds(account, &ada).await
    };
    assert!(!is_open().await);
    assert_eq!(reembed().await, [id]);

    // As older builds have left it.
    app.execute(sql!("UPDATE faces SET picture_key = NULL, picture_key_used = FALSE")).await;
    app.api.blobs.put(name, &jpeg(0)).await.unwrap();
    assert_eq!(reembed().await, [id], "it is read before it is sealed again");
    node.faces.sweep_tombstones().await.unwrap();
    assert!(!is_open().await);
    assert_eq!(reembed().await, [id]);
    assert_eq!(count(&app, sql!("SELECT count(*) FROM faces WHERE picture_key_used")).await, 1);

    // Interrupted after the key was stored, and before the picture was sealed with it.
    app.execute(sql!("UPDATE faces SET picture_key_used = FALSE")).await;
    app.api.blobs.put(name, &jpeg(0)).await.unwrap();
    assert_eq!(reembed().await, [id]);
    node.faces.sweep_tombstones().await.unwrap();
    assert!(!is_open().await);
    // And after it was sealed, before the row said so.
    app.execute(sql!("UPDATE faces SET picture_key_used = FALSE")).await;
    node.faces.sweep_tombstones().await.unwrap();
    assert_eq!(reembed().await, [id]);
    assert_eq!(count(&app, sql!("SELECT count(*) FROM faces WHERE NOT picture_key_used")).await, 0);

    // A copy of the bucket is of no use once the profile is gone.
    delete(&app, &node.faces, account, id).await;
    for table in [
        sql!("SELECT count(*) FROM faces WHERE profile_id = $1", id),
        sql!("SELECT count(*) FROM erasure_keys WHERE owner_id = $1", id),
    ] {
        assert_eq!(count(&app, table).await, 0);
    }
    assert!(!is_open().await);
}

#[tokio::test]
async fn an_account_is_deleted_with_all_its_faces() {
    let app = TestApp::start().await;
    let (key, account) = (app.api_key(&[]).await, app.open_account().await);
    let node = app.api.faces.clone();
    let id = enrol(&app, &node, account, 0).await;
    let mut tx = app.api.db.write().await.unwrap();
    let group = node.create_group(&mut tx, account, "Staff").await.unwrap();
    node.add_to_group(&mut tx, account, group, id).await.unwrap();
    let (bob, model) = (embedding(&app, 1).await, node.model_digest().await.unwrap());
    let dismissed = dismissal(id, (&bob, &model), uuid(1).into(), uuid(7).into());
    node.dismiss(&mut tx, account, dismissed).await.unwrap();
    tx.commit().await.unwrap();
    let members = node.group_members(&mut app.api.db.read().await.unwrap(), account, &[group]).await.unwrap();
    assert_eq!(members, [id]);
    node.find_candidates(account, &[embedding(&app, 0).await], &CandidateQuery::nearest(1)).await.unwrap();
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap(), []);

    let closed = app.call_moderation("DELETE", &format!("/accounts/{account}"), &key, None).await;
    assert_eq!(closed.status_and_code(), "204", "{}", closed.json());
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap(), []);
    assert_eq!(pictures(&app, account).await, 0);
    assert_eq!(node.erase_indexes(account).await.unwrap(), 0, "its indexes are gone already");
    let receipt =
        app.call_moderation("GET", &format!("/accounts/{account}/deletion-receipt"), &key, None).await.json();
    let what = receipt["receipt"]["what"].to_string();
    for kind in ["profiles", "faces", "negative_labels", "group_profiles", "face_indexes", "blobs"] {
        assert!(what.contains(&format!("\"{kind}\"")), "{kind}: {receipt}");
    }
    // A node that was not running when the account was deleted.
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(account.to_string())).unwrap();
    assert_eq!(open(&app, folder.path(), |_| {}).maintain_indexes().await.unwrap(), 1);
    assert!(files(folder.path()).is_empty());
}

#[tokio::test]
async fn few_indexes_stay_open() {
    let app = TestApp::start().await;
    let node = Node::with(&app, |settings| settings.open_indexes = 1);
    let ada = embedding(&app, 0).await;
    let mut accounts = Vec::new();
    for name in ["one", "two", "three"] {
        let mut tx = app.api.db.write().await.unwrap();
        let account =
            domain::accounts::create(&mut tx, &*app.api.environment, app.app, name, 100).await.unwrap();
        tx.commit().await.unwrap();
        accounts.push((account, enrol(&app, &node.faces, account, 0).await));
    }
    for _ in 0..2 {
        for (account, id) in &accounts {
            assert_eq!(node.finds(*account, &ada).await, [*id]);
        }
    }
    assert_eq!(files(node.folder.path()).len(), 6, "no second index was opened beside the first");
}

/// Files that a process left behind, whichever number they have, do not keep faces that were removed since.
#[tokio::test]
async fn files_of_ended_processes_do_not_keep_removed_faces() {
    let app = TestApp::start().await;
    let account = app.open_account().await;
    let ada = embedding(&app, 0).await;
    let folder = tempfile::tempdir().unwrap();
    // A process that is being replaced has the first file, its successor the second.
    let (old, new) = (open(&app, folder.path(), |_| {}), open(&app, folder.path(), |_| {}));
    let id = enrol(&app, &old, account, 0).await;
    for node in [&old, &new] {
        let found = node
            .find_candidates(account, std::slice::from_ref(&ada), &CandidateQuery::nearest(1))
            .await
            .unwrap();
        assert_eq!(found[0][0].profile, id);
    }
    let index_files = || -> Vec<_> {
        let mut paths = files(&folder.path().join(account.to_string()));
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "idx"));
        paths
    };
    assert_eq!(index_files().len(), 2);
    drop((old, new));

    // The face is deleted on another machine: nobody here has the files open.
    let elsewhere = Node::of(&app);
    let mut tx = app.api.db.write().await.unwrap();
    elsewhere.faces.delete_profile(&mut tx, account, id).await.unwrap();
    tx.commit().await.unwrap();
    elsewhere.faces.apply_committed_changes(account).await;
    let next = open(&app, folder.path(), |_| {});
    let leftovers = domain::accounts::deletion::ExternalAccountData::leftovers(&next).await.unwrap();
    assert_eq!(leftovers, [(account, 2)], "the audit sees into both files");
    for path in index_files() {
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let before = app.api.environment.now() - SignedDuration::from_hours(1);
        file.set_modified(before.into()).unwrap();
    }
    next.maintain_indexes().await.unwrap();
    assert_eq!(index_files(), Vec::<std::path::PathBuf>::new());
    assert_eq!(domain::accounts::deletion::ExternalAccountData::leftovers(&next).await.unwrap(), []);
}
