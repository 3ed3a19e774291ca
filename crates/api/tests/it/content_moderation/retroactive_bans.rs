//! Whoever is banned after they were seen is told where that was.

use crate::content_moderation::{AccountFixture, another_photo, two_people};
use axum::{
    Router,
    body::Bytes,
    extract::DefaultBodyLimit,
    http::{Uri, header},
};
use base::{AccountId, Environment as _, Picture, ProfileId, Secret, SignedDuration};
use db::sql;
use domain::faces::SweepFindingsOfBan;
use media::blobs::BlobBackend;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{
    TestApp, edits,
    media_fixtures::png,
    proof_settings,
    stub_server::{self, StubReply, StubServer},
};
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
};

impl AccountFixture {
    async fn ban(&self, profile: &str, action: &str) {
        let answer = self.call("POST", &format!("/profiles/{profile}/{action}"), None).await;
        assert_eq!(answer.status_and_code(), "204");
    }

    /// A content with a picture, and a moderation of it that has ended.
    async fn moderated(&self, name: &str, picture: &Picture, options: Value) -> (String, String) {
        let content = self.content(&self.files.put(name, png(picture)), "IMAGE").await;
        let moderation = self.start_moderation(&content, options).await;
        self.app.run_due_jobs().await;
        (content, moderation)
    }

    async fn waiting_sweeps(&self) -> i64 {
        self.count(sql!("SELECT count(*) FROM jobs WHERE kind = 'sweep-findings-of-ban'")).await
    }
}

#[tokio::test]
async fn somebody_who_is_banned_after_they_were_seen_is_told() {
    let fixture = AccountFixture::start_with_media().await;
    let server = StubServer::start(|_| StubReply::status(204)).await;
    let (member, _) = fixture.add_member("ada@example.com", false, &[]).await;
    let (ada, bob) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    let options = json!({ "notifications": {
        "member_id": member, "web_destinations": [server.url("/web")], "slack_destinations": [server.url("/slack")],
    } });
    let (_, seen) = fixture.moderated("ada.png", &another_photo(ada, 1), options).await;
    let (_, of_bob) = fixture.moderated("bob.png", bob, json!({})).await;
    assert!(fixture.face_notifications(&seen).await.is_empty());
    fixture.deliver(&server, 2).await;
    let seen_at = fixture.app.environment.now().as_microsecond() as f64 / 1e6;

    fixture.app.environment.advance(SignedDuration::from_hours(24 * 3));
    fixture.ban(&profile, "ban").await;
    fixture.app.run_due_jobs().await;
    let told = fixture.face_notifications(&seen).await;
    assert_eq!(told.len(), 1, "{told:?}");
    let data = &told[0]["data"];
    assert_eq!((&data["reasons"], &data["retroactive"]), (&json!(["BANNED_PROFILE"]), &json!(true)));
    assert_eq!(data["profile_id"], profile.as_str());
    let finding = fixture.report(&seen).await["face_check_results"][0].clone();
    assert_eq!(data["finding_id"], finding["id"]);
    assert_eq!(finding["is_banned"], false, "a report says what was known when it was made");
    assert!(data["observed_at"].as_f64().unwrap() <= seen_at, "it was seen three days ago");
    let created: base::Timestamp = told[0]["created_at"].as_str().unwrap().parse().unwrap();
    assert!(created.as_second() as f64 > seen_at + 3.0 * 86_400.0, "and it is told now");
    let inbox = fixture.get(&format!("/members/{member}/inbox")).await;
    assert_eq!(inbox["notifications"][0]["id"], told[0]["id"]);
    assert!(fixture.face_notifications(&of_bob).await.is_empty(), "Bob is nobody that was banned");
    let sent = fixture.deliver(&server, 4).await;
    let bodies: Vec<Value> =
        sent.iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect();
    assert!(bodies.iter().any(|body| body["data"]["retroactive"] == true), "{bodies:?}");
    assert!(
        bodies.iter().any(|body| body["text"] == "Somebody who is banned now had been seen before"),
        "{bodies:?}"
    );

    // Once for each face, however often they are banned.
    fixture.ban(&profile, "unban").await;
    fixture.ban(&profile, "ban").await;
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.face_notifications(&seen).await.len(), 1);

    // What is seen from now on is no news of the past.
    let (_, again) = fixture.moderated("ada2.png", &another_photo(ada, 2), json!({})).await;
    let told = fixture.face_notifications(&again).await;
    assert_eq!((told.len(), told[0]["data"].get("retroactive")), (1, None), "{told:?}");
}

#[tokio::test]
async fn a_sweep_ends_with_the_ban_and_with_the_profile() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, _) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    let (_, seen) = fixture.moderated("ada.png", &another_photo(ada, 1), json!({})).await;

    fixture.ban(&profile, "ban").await;
    fixture.ban(&profile, "ban").await;
    assert_eq!(fixture.waiting_sweeps().await, 1);
    fixture.ban(&profile, "unban").await;
    assert_eq!(fixture.waiting_sweeps().await, 0);
    fixture.app.run_due_jobs().await;
    assert!(fixture.face_notifications(&seen).await.is_empty());

    // Of a run that began before, nothing counts: here one whose job the ban's end did not find.
    let job = SweepFindingsOfBan {
        account: fixture.account,
        profile: profile.parse::<ProfileId>().unwrap(),
        after: None,
        examined: 0,
    };
    queue(&fixture, &job).await;
    fixture.app.run_due_jobs().await;
    assert!(fixture.face_notifications(&seen).await.is_empty(), "nobody is banned");

    fixture.ban(&profile, "ban").await;
    assert_eq!(fixture.call("DELETE", &format!("/profiles/{profile}"), None).await.status, 204);
    assert_eq!(fixture.waiting_sweeps().await, 0);

    let until = fixture.app.environment.now() + SignedDuration::from_secs(60);
    let bob = fixture.enrol("Bob", two_people().1).await;
    let body = json!({ "until": until.to_string() });
    let banned = fixture.call("POST", &format!("/profiles/{bob}/ban"), Some(body)).await;
    assert_eq!(banned.status, 204, "{:?}", banned.body);
    fixture.app.environment.advance(SignedDuration::from_secs(120));
    fixture.app.api.faces.sweep_tombstones().await.unwrap();
    assert_eq!(fixture.waiting_sweeps().await, 0, "a ban that is over is swept no more");
}

/// A bucket that takes the pictures of findings only once it is opened, and other files at once. It gives none back.
struct SlowBucket {
    backend: BlobBackend,
    /// Has something for each picture that has arrived.
    arrivals: mpsc::UnboundedReceiver<()>,
    open: watch::Sender<bool>,
}

impl SlowBucket {
    async fn serve() -> Self {
        let (arrived, arrivals) = mpsc::unbounded_channel();
        let (open, is_open) = watch::channel(false);
        let put = move |uri: Uri, _file: Bytes| {
            let (arrived, mut is_open) = (arrived.clone(), is_open.clone());
            async move {
                if uri.path().contains("/finding/") {
                    arrived.send(()).unwrap();
                    is_open.wait_for(|open| *open).await.unwrap();
                }
                [(header::ETAG, "\"1\"")]
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(put).layer(DefaultBodyLimit::disable());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let backend = BlobBackend::S3 {
            endpoint: Some(endpoint),
            bucket: "files".to_owned(),
            region: "eu-test-1".to_owned(),
            access_key: "AKIDEXAMPLE".to_owned(),
            secret_key: Secret::new("very secret".to_owned()),
            prefix: String::new(),
            allow_http: true,
        };
        Self { backend, arrivals, open }
    }
}

/// A server whose files are in this bucket.
async fn start_with_bucket(backend: BlobBackend) -> AccountFixture {
    let app = TestApp::builder()
        .egress(&stub_server::egress_policy())
        .proof_of_age(proof_settings())
        .blobs(backend)
        .start()
        .await;
    AccountFixture::of(app).await
}

/// A ban's sweep waits for what moderations were about to write, but pictures may take longer to be stored.
#[tokio::test]
async fn somebody_who_is_banned_while_pictures_of_others_are_stored_is_told() {
    let SlowBucket { backend, mut arrivals, open } = SlowBucket::serve().await;
    let fixture = start_with_bucket(backend).await;
    let (ada, bob) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    let url = fixture.files.put("both.png", png(&edits::tiled(&[ada.clone(), bob.clone()], 2)));
    let content = fixture.content(&url, "IMAGE").await;
    let moderation = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let working = fixture.app.spawn_worker();
    // Ada is known by now, and a picture of Bob waits.
    arrivals.recv().await.unwrap();

    fixture.ban(&profile, "ban").await;
    fixture.app.environment.advance(SignedDuration::from_secs(11));
    let swept = async {
        while fixture.waiting_sweeps().await > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), swept).await.expect("the ban is swept meanwhile");
    open.send(true).unwrap();
    fixture.app.run_due_jobs().await;
    working.stop().await;

    let told = fixture.face_notifications(&moderation).await;
    let of_ban: Vec<&Value> =
        told.iter().map(|told| &told["data"]).filter(|data| data["reasons"][0] == "BANNED_PROFILE").collect();
    assert_eq!(of_ban.len(), 1, "{told:?}");
    assert_eq!((&of_ban[0]["profile_id"], &of_ban[0]["retroactive"]), (&json!(profile), &json!(true)));
    assert_eq!(told.len(), 2, "and of Bob, who is unknown: {told:?}");
}

/// Then nothing is kept of them but that their face was somebody's.
#[tokio::test]
async fn somebody_who_is_deleted_while_their_picture_is_stored_was_not_unknown() {
    let SlowBucket { backend, mut arrivals, open } = SlowBucket::serve().await;
    let fixture = start_with_bucket(backend).await;
    let (ada, _) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    fixture.ban(&profile, "ban").await;
    let content = fixture.content(&fixture.files.put("ada.png", png(&another_photo(ada, 1))), "IMAGE").await;
    let moderation = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
    let working = fixture.app.spawn_worker();
    arrivals.recv().await.unwrap();

    let deleted = fixture.call("DELETE", &format!("/profiles/{profile}"), None).await;
    assert_eq!(deleted.status_and_code(), "204", "{}", deleted.json());
    open.send(true).unwrap();
    fixture.app.run_due_jobs().await;
    working.stop().await;

    let report = fixture.report(&moderation).await;
    assert_eq!(report["total_count"], 1, "{report}");
    assert_eq!((&report["banned_faces"], &report["unknown_faces"]), (&json!(false), &json!(false)));
}

/// Deletes something while the sweep that is due waits for the account's list of notifications, and lets both go on.
async fn delete_during_sweep(fixture: &AccountFixture, path: &str) {
    let mut tx = fixture.app.api.db.write().await.unwrap();
    let lock = sql!("UPDATE notification_lists SET gaps = gaps WHERE list_id = $1", fixture.account);
    tx.execute(lock).await.unwrap();
    let working = fixture.app.spawn_worker();
    fixture.app.wait_until_blocked(1).await;
    let (deleted, ()) = tokio::join!(fixture.call("DELETE", path, None), async {
        fixture.app.wait_until_blocked(2).await;
        tx.commit().await.unwrap();
    });
    working.stop().await;
    assert_eq!(deleted.status_and_code(), "204", "{}", deleted.json());
}

/// On PostgreSQL, where the deletion would otherwise look for messages before the sweep has written its own.
#[tokio::test]
async fn what_is_deleted_while_somebody_is_looked_for_in_it_is_sent_to_nobody() {
    let fixture = AccountFixture::start_with_media().await;
    let server = StubServer::start(|_| StubReply::status(204)).await;
    let (ada, _) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    let options = json!({ "notifications": { "web_destinations": [server.url("/web")] } });
    let (content, _) = fixture.moderated("ada.png", &another_photo(ada, 1), options.clone()).await;
    fixture.start_moderation(&content, options).await;
    fixture.app.run_due_jobs().await;
    fixture.ban(&profile, "ban").await;
    fixture.app.environment.advance(SignedDuration::from_secs(20));
    delete_during_sweep(&fixture, &format!("/contents/{content}")).await;
    let waiting = sql!("SELECT count(*) FROM deliveries WHERE state = 'WAITING'");
    assert_eq!(fixture.count(waiting).await, 0);
    assert_eq!(fixture.app.api.account_deletion.find_orphans().await.unwrap(), []);
}

/// On PostgreSQL, where the deletion would otherwise look for notifications before the sweep has written its own.
#[tokio::test]
async fn somebody_who_is_deleted_while_they_are_looked_for_is_named_by_no_notification() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, _) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    fixture.moderated("ada.png", &another_photo(ada, 1), json!({})).await;
    fixture.ban(&profile, "ban").await;
    fixture.app.environment.advance(SignedDuration::from_secs(20));
    delete_during_sweep(&fixture, &format!("/profiles/{profile}")).await;
    assert_eq!(fixture.waiting_sweeps().await, 0);
    assert_eq!(fixture.app.api.account_deletion.find_orphans().await.unwrap(), []);
}

pub(super) async fn queue(fixture: &AccountFixture, job: &SweepFindingsOfBan) {
    let api = &fixture.app.api;
    let mut tx = api.db.write().await.unwrap();
    tx.execute(sql!(
        "INSERT INTO jobs (id, kind, lane, payload, state, attempts, run_at, created_at, account_id)
         VALUES ($1, 'sweep-findings-of-ban', 'heavy', $2, 'WAITING', 0, $3, $3, $4)",
        api.environment.uuid_v4(),
        serde_json::to_value(job).unwrap(),
        api.environment.now(),
        job.account,
    ))
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_sweep_goes_on_from_its_checkpoint_and_repeats_nothing() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, _) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    let mut seen = Vec::new();
    for number in 1..=3 {
        let picture = another_photo(ada, number);
        seen.push(fixture.moderated(&format!("{number}.png"), &picture, json!({})).await.1);
        fixture.app.environment.advance(SignedDuration::from_mins(1));
    }
    let told = async || {
        let mut told = Vec::new();
        for moderation in &seen {
            told.push(fixture.face_notifications(moderation).await.len());
        }
        told
    };
    // A process died after the newest had been looked at: only older ones are left to be.
    let newest = fixture.report(&seen[2]).await["face_check_results"][0]["id"].clone();
    let newest = newest.as_str().unwrap().parse().unwrap();
    let body = json!({ "face": crate::content_moderation::face_base64(ada) });
    let found = fixture.call("POST", "/findings/search", Some(body)).await.json();
    let at = found["findings"].as_array().unwrap().iter().find(|found| found["moderation_id"] == seen[2]);
    let at: base::Timestamp = at.unwrap()["observed_at"].as_str().unwrap().parse().unwrap();
    let (account, id): (AccountId, ProfileId) = (fixture.account, profile.parse().unwrap());
    fixture.ban(&profile, "ban").await;
    let mut tx = fixture.app.api.db.write().await.unwrap();
    tx.execute(sql!("DELETE FROM jobs")).await.unwrap();
    tx.commit().await.unwrap();
    let rest = SweepFindingsOfBan { account, profile: id, after: Some((at, newest)), examined: 1 };
    queue(&fixture, &rest).await;
    fixture.app.run_due_jobs().await;
    assert_eq!(told().await, [1, 1, 0]);

    // One that starts again from the beginning repeats nothing.
    queue(&fixture, &SweepFindingsOfBan { account, profile: id, after: None, examined: 0 }).await;
    fixture.app.run_due_jobs().await;
    assert_eq!(told().await, [1, 1, 1]);
}

#[tokio::test]
async fn archived_contents_and_dismissed_faces_are_not_told() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, _) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    let (archived, of_archived) = fixture.moderated("1.png", &another_photo(ada, 1), json!({})).await;
    // A banned Ada is seen, and a reviewer says that it is not her; then the notification is forgotten with the ban.
    fixture.ban(&profile, "ban").await;
    let (_, dismissed) = fixture.moderated("2.png", &another_photo(ada, 2), json!({})).await;
    let notification = fixture.first_notification(&dismissed).await;
    let answer = fixture.call("POST", &format!("/notifications/{notification}/dismiss"), None).await;
    assert_eq!(answer.status, 200);
    fixture.ban(&profile, "unban").await;
    let mut tx = fixture.app.api.db.write().await.unwrap();
    tx.execute(sql!("UPDATE notifications SET subject = 'another' WHERE type = 'FACE'")).await.unwrap();
    tx.commit().await.unwrap();
    let before = fixture.face_notifications(&of_archived).await.len();

    let answer = fixture.call("POST", "/archive/contents", Some(json!({ "content_id": archived }))).await;
    assert_eq!(answer.status, 204);
    let (_, seen) = fixture.moderated("3.png", &another_photo(ada, 3), json!({})).await;
    fixture.ban(&profile, "ban").await;
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.face_notifications(&of_archived).await.len(), before);
    assert_eq!(fixture.face_notifications(&dismissed).await.len(), 1, "it was said not to be her");
    assert_eq!(fixture.face_notifications(&seen).await.len(), 1);
}

/// An account may have two profiles of one person: the numbers are those of the one that was banned.
#[tokio::test]
async fn what_is_said_of_somebody_who_is_banned_later_was_measured_against_them() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, _) = two_people();
    let both = [1, 3].map(|photo| another_photo(ada, photo));
    let [one, other] = [fixture.enrol("Ada", &both[0]).await, fixture.enrol("Ada again", &both[1]).await];
    let (_, seen) = fixture.moderated("ada.png", &both[0], json!({})).await;
    let found = fixture.report(&seen).await["face_check_results"][0].clone();
    // The one that the face was not found to be.
    let banned = if found["profile_id"] == one.as_str() { other } else { one };
    fixture.ban(&banned, "ban").await;
    fixture.app.run_due_jobs().await;
    let id = fixture.first_notification(&seen).await;
    let accepted = fixture.call("POST", &format!("/notifications/{id}/accept"), Some(json!({}))).await;
    assert_eq!(accepted.status_and_code(), "200", "{}", accepted.json());

    let stated = async || {
        let statement = fixture.get(&format!("/notifications/{id}/statement-of-reasons")).await;
        statement["facts"]["measurements"].clone()
    };
    // What a reviewer is shown.
    let shown = async || {
        let mut view = fixture.app.api.db.read().await.unwrap();
        let moderations = &fixture.app.api.content_moderation;
        let details = moderations.finding_details(&mut view, fixture.account, id.parse().unwrap()).await;
        details.unwrap().unwrap().measurements
    };
    let told = stated().await["distance"].as_f64().unwrap();
    assert!(told > found["measurements"]["distance"].as_f64().unwrap(), "{told}, and {found}");
    assert_eq!(shown().await.unwrap().distance, Some(told as f32));

    // What an older build wrote has no numbers of its own: those of the finding count as far as they are the same.
    fixture.app.execute(sql!("UPDATE notifications SET measurements = NULL")).await;
    let measured = stated().await;
    assert_eq!((measured.get("distance"), measured["years"].is_number()), (None, true), "{measured}");
    assert_eq!(shown().await.unwrap().distance, None);
    fixture
        .app
        .execute(sql!("UPDATE findings SET profile_id = $1", banned.parse::<ProfileId>().unwrap()))
        .await;
    assert_eq!(stated().await["distance"], found["measurements"]["distance"]);
    fixture.app.execute(sql!("UPDATE findings SET frame_time = 1.0")).await;
    assert_eq!(
        (stated().await, shown().await),
        (Value::Null, None),
        "it was judged by another picture since"
    );
}
