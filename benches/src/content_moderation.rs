//! Content moderation: stored video, a queue of images while others call, and long lists of notifications.

use crate::report::{BenchReport, Goal, MeasuredFigure};
use anyhow::Context as _;
use base::{NotificationId, Uuid};
use db::sql;
use measure::percentile;
use serde_json::{Value, json};
use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};
use testkit::{
    TestApp,
    media_fixtures::{FileServer, png},
    stub_server,
};

/// Length of the clip.
const CLIP_SECONDS: f64 = 60.0;
/// Images in the queue.
const QUEUED_IMAGES: usize = 1000;
/// Calls per second while the queue is worked off.
const CALLS_PER_SECOND: u64 = 200;
/// Notifications in the long list.
const LONG_LIST_LENGTH: i64 = 1_000_000;

/// A server that fetches from loopback, and moderates as many contents at once as it does by default.
pub(crate) async fn start_app() -> TestApp {
    TestApp::builder().egress(&stub_server::egress_policy()).default_moderation_runs().start().await
}

struct ModerationBench {
    app: TestApp,
    key: String,
    account: String,
    files: FileServer,
}

impl ModerationBench {
    async fn open() -> Self {
        let app = start_app().await;
        let (account, key) = (app.open_account().await.to_string(), app.api_key(&[]).await);
        Self { app, key, account, files: FileServer::start().await }
    }

    async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let path = format!("/accounts/{}{path}", self.account);
        let answer = self.app.call_moderation(method, &path, &self.key, body).await;
        anyhow::ensure!(answer.status.is_success(), "{path}: {} {}", answer.status, answer.json());
        Ok(answer.json())
    }

    /// Starts the moderation of a file; returns its id.
    async fn start(&self, url: &str, content_type: &str) -> anyhow::Result<String> {
        let content =
            self.ask("POST", "/contents", Some(json!({ "url": url, "type": content_type }))).await?;
        let wishes = json!({ "content_id": content["id"], "unknown_faces": true, "age_estimation": 18 });
        let made = self.ask("POST", "/moderations", Some(wishes)).await?;
        Ok(made["id"].as_str().context("an id")?.to_owned())
    }

    /// How many moderations have not ended; the clock stands still, so the one that was queued last need not be the last.
    async fn unfinished(&self) -> anyhow::Result<i64> {
        let query = sql!("SELECT count(*) FROM moderations WHERE state <> 'DONE'");
        Ok(self.app.api.db.read().await?.count(query).await?)
    }

    async fn state(&self, id: &str) -> anyhow::Result<Value> {
        Ok(self.ask("GET", &format!("/moderations/{id}/details"), None).await?["contents"].clone())
    }
}

pub(crate) fn measure(report: &mut BenchReport, folder: &Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        Box::pin(video(report, folder)).await?;
        queue(report).await?;
        Box::pin(lists(report)).await
    })
}

/// A minute of 1080p video with one face that moves over a noisy background; how many times faster than real time it is
/// moderated.
async fn video(report: &mut BenchReport, folder: &Path) -> anyhow::Result<()> {
    let (face, film) = (folder.join("face.png"), folder.join("film.mp4"));
    std::fs::write(&face, png(&testkit::face_pictures()[0]))?;
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-f", "lavfi", "-i", "gradients=s=1920x1080:r=30:speed=0.02:seed=7"])
        .arg("-i")
        .arg(&face)
        .args(["-filter_complex", "[0:v]noise=alls=12:allf=t[b];[1:v]scale=620:-2[f];[b][f]overlay=x='650+500*sin(t/4)':y=200:eof_action=repeat"])
        .args(["-t", &CLIP_SECONDS.to_string(), "-c:v", "libx264", "-preset", "veryfast", "-b:v", "4M"])
        .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart"])
        .arg(&film)
        .stdin(Stdio::null())
        .status()?;
    anyhow::ensure!(made.success(), "ffmpeg makes no clip");

    let mut plain = Vec::new();
    for _ in 0..3 {
        let began = Instant::now();
        let decoded = Command::new("ffmpeg")
            .args(["-v", "error", "-threads", "2", "-i"])
            .arg(&film)
            .args(["-vf", "fps=2", "-f", "null", "-"])
            .stdin(Stdio::null())
            .status()?;
        anyhow::ensure!(decoded.success(), "ffmpeg reads no clip");
        plain.push(CLIP_SECONDS / began.elapsed().as_secs_f64());
    }
    let stage = ModerationBench::open().await;
    let url = stage.files.put("film.mp4", std::fs::read(&film)?);
    let mut rates = Vec::new();
    for _ in 0..3 {
        let id = stage.start(&url, "VIDEO").await?;
        let began = Instant::now();
        stage.app.run_due_jobs().await;
        rates.push(CLIP_SECONDS / began.elapsed().as_secs_f64());
        let state = stage.state(&id).await?;
        anyhow::ensure!(state["state"] == "DONE", "{state}");
    }
    report.add(
        "stored 1080p video, 2 pictures a second, one face: times real time",
        MeasuredFigure::rates(&rates),
        Some(("ffmpeg alone, decoding and dropping to 2 pictures a second", MeasuredFigure::rates(&plain))),
        None,
        Some(Goal::AtLeast(20.0)),
    );
    Ok(())
}

/// Moderates a queue of images while others call.
async fn queue(report: &mut BenchReport) -> anyhow::Result<()> {
    let stage = Arc::new(ModerationBench::open().await);
    let url = stage.files.put("face.png", png(&testkit::face_pictures()[0]));
    for _ in 0..QUEUED_IMAGES {
        stage.start(&url, "IMAGE").await?;
    }
    let quiet = calls(&stage, Duration::from_secs(5)).await?;
    let began = Instant::now();
    let working = stage.app.spawn_worker();
    let mut busy = Vec::new();
    while stage.unfinished().await? > 0 {
        busy.extend(calls(&stage, Duration::from_secs(2)).await?);
    }
    let rate = QUEUED_IMAGES as f64 / began.elapsed().as_secs_f64();
    working.stop().await;
    report.add(
        "images moderated beside 200 calls a second, per second",
        MeasuredFigure::rates(&[rate]),
        None,
        None,
        None,
    );
    report.add(
        "a call beside that queue: p95",
        MeasuredFigure::time(percentile(&busy, 0.95)),
        Some(("the same calls without a queue", MeasuredFigure::time(percentile(&quiet, 0.95)))),
        None,
        Some(Goal::AtMost(50.0)),
    );
    Ok(())
}

/// Calls at a steady rate for a while; returns how long each took from the moment it was due, milliseconds.
async fn calls(stage: &Arc<ModerationBench>, during: Duration) -> anyhow::Result<Vec<f64>> {
    let many = during.as_secs() * CALLS_PER_SECOND;
    let began = tokio::time::Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for number in 0..many {
        let due = began + Duration::from_secs_f64(number as f64 / CALLS_PER_SECOND as f64);
        tokio::time::sleep_until(due).await;
        let stage = stage.clone();
        running.spawn(async move {
            let path = ["/contents", "/moderations", "/notifications", "/profiles"][number as usize % 4];
            stage.ask("GET", path, None).await?;
            anyhow::Ok(due.elapsed().as_secs_f64() * 1000.0)
        });
    }
    running.join_all().await.into_iter().collect()
}

/// A list of a million notifications: reading pages at its start, middle and end, compared with `LIMIT` and `OFFSET`.
async fn lists(report: &mut BenchReport) -> anyhow::Result<()> {
    let stage = ModerationBench::open().await;
    let url = stage.files.put("face.png", png(&testkit::face_pictures()[0]));
    let moderation = stage.start(&url, "IMAGE").await?;
    fill(&stage, moderation.parse()?).await?;
    let account: Uuid = stage.account.parse()?;
    let mut first = 0.0;
    for (name, page) in [
        ("the first page", 1),
        ("the page in the middle", LONG_LIST_LENGTH / 40),
        ("the last page", LONG_LIST_LENGTH / 20),
    ] {
        let ours = times(async || {
            let list = stage.ask("GET", &format!("/notifications?page={page}"), None).await?;
            anyhow::ensure!(list["meta"]["total_count"] == LONG_LIST_LENGTH, "the whole list");
            Ok(())
        })
        .await?;
        if page == 1 {
            first = ours;
        }
        let counted = times(async || {
            let mut view = stage.app.api.db.read().await?;
            let rows = view
                .count(sql!(
                    "SELECT count(*) FROM (SELECT place FROM notification_places WHERE list_id = $1
                                            ORDER BY created_at DESC, place DESC LIMIT 20 OFFSET $2) AS page",
                    account,
                    (page - 1) * 20,
                ))
                .await?;
            anyhow::ensure!(rows == 20, "a page");
            Ok(())
        })
        .await?;
        report.add(
            &format!("of 1,000,000 notifications, {name}"),
            MeasuredFigure::time(ours),
            Some(("LIMIT and OFFSET, ids alone, without HTTP", MeasuredFigure::time(counted))),
            None,
            (page > 1).then_some(Goal::AtMost(first * 2.0 + 1.0)),
        );
    }
    Ok(())
}

/// The median of several runs, milliseconds.
async fn times(run: impl AsyncFn() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let mut times = Vec::new();
    for _ in 0..15 {
        let began = Instant::now();
        run().await?;
        times.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(percentile(&times, 0.5))
}

/// Writes the long list as the server does.
async fn fill(stage: &ModerationBench, moderation: base::ModerationId) -> anyhow::Result<()> {
    let account: base::AccountId = stage.account.parse()?;
    let environment = &*stage.app.environment;
    let (list, content) = (Uuid::from(account), Uuid::nil());
    let begun = base::Environment::now(environment);
    let mut tx = stage.app.api.db.write().await?;
    for place in 1..=LONG_LIST_LENGTH {
        let id = <NotificationId as base::Id>::new(environment);
        let at = begun + base::SignedDuration::from_millis(place);
        tx.execute(sql!(
            "INSERT INTO notifications (id, account_id, moderation_id, subject, type, reason, content_id, content_type,
                                        url, frame_time, observed_at, face_top, face_right, face_bottom, face_left,
                                        age_group, created_at)
             VALUES ($1, $2, $3, $4, 'FACE', 'UNKNOWN_FACE', $5, 'IMAGE', 'https://media.example/1.jpg', 0, 0, 1, 2, 3,
                     4, 'adult', $6)",
            id,
            account,
            moderation,
            place.to_string(),
            content,
            at,
        ))
        .await?;
        tx.execute(sql!(
            "INSERT INTO notification_places (list_id, place, notification_id, account_id, created_at)
             VALUES ($1, $2, $3, $4, $5)",
            list,
            place,
            id,
            account,
            at,
        ))
        .await?;
    }
    tx.execute(sql!(
        "INSERT INTO notification_lists (list_id, account_id, length, last_at) VALUES ($1, $2, $3, $4)",
        list,
        account,
        LONG_LIST_LENGTH,
        begun + base::SignedDuration::from_millis(LONG_LIST_LENGTH),
    ))
    .await?;
    Ok(tx.commit().await?)
}
