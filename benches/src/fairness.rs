//! A quiet tenant beside one that floods the server with calls over its limit, with images to moderate, with messages to a
//! receiver that is slow, and with photos to analyse: what the quiet one waits, with and without the flood, in turns.

use crate::{
    content_moderation::start_app,
    report::{BenchReport, Goal, MeasuredFigure},
};
use anyhow::Context as _;
use base::AppId;
use db::sql;
use domain::{
    content_moderation::ModerationInput,
    delivery::{SuccessCriterion, WebhookMessage, WebhookMethod},
    image_analysis::{AnalysisRequest, LivenessAssurance},
    tenancy::limits::{self, LimitKind},
};
use measure::percentile;
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use testkit::{
    TestApp,
    media_fixtures::{FileServer, png},
    stub_server::{StubReply, StubServer},
};
use tokio::{sync::watch, task::JoinSet};

/// Times with and without the flood.
const ROUNDS: usize = 5;
/// The quiet tenant's calls in a round, and the time between two.
const QUIET_CALLS: usize = 60;
const QUIET_CALL_INTERVAL: Duration = Duration::from_millis(20);
/// The quiet tenant's moderations in a round, one after another.
const QUIET_MODERATIONS: usize = 8;
/// Calls of the flood in a second, and how many a minute it may make.
const FLOOD_CALLS_PER_SECOND: u64 = 300;
const FLOOD_CALL_LIMIT: i64 = 600;
/// Moderations of the flood that may wait; it tries to start as many more in a second.
const FLOOD_WAITING_JOBS: i64 = 50;
const FLOOD_MODERATIONS_PER_SECOND: u64 = 20;
/// Messages of the flood that wait for its receiver, and how long the receiver takes for one.
const FLOOD_MESSAGES: usize = 2_000;
const SLOW_ANSWER: Duration = Duration::from_secs(3);

/// The quiet tenant's photos in a round, one after another, and how many of the flood's are analysed or wait meanwhile.
const QUIET_ANALYSES: usize = 20;
const FLOOD_ANALYSES: usize = 12;

struct Tenant {
    app: AppId,
    account: String,
    key: String,
    content: String,
}

struct FairnessBench {
    app: TestApp,
    quiet: Tenant,
    flood: Tenant,
    _files: FileServer,
    slow: StubServer,
    flooding: AtomicBool,
    /// Calls of the flood, and how many of them were refused.
    sent: AtomicUsize,
    refused: AtomicUsize,
}

pub(crate) fn measure(report: &mut BenchReport, _folder: &Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let bench = Arc::new(FairnessBench::open().await?);
        let working = bench.app.spawn_worker();
        let (stop, stopped) = watch::channel(false);
        let delivering = tokio::spawn(bench.app.api.delivery_dispatcher().run(stopped));
        let mut flood = JoinSet::new();
        flood.spawn(bench.clone().flood_with_calls());
        flood.spawn(bench.clone().flood_with_moderations());
        // What is built at the first use is no part of what is compared.
        bench.moderations().await?;
        let (mut calls, mut moderations) = ([vec![], vec![]], [vec![], vec![]]);
        for _ in 0..ROUNDS {
            for (index, flooding) in [false, true].into_iter().enumerate() {
                bench.set_flooding(flooding).await?;
                calls[index].extend(bench.calls().await?);
                moderations[index].extend(bench.moderations().await?);
            }
        }
        flood.shutdown().await;
        bench.set_flooding(false).await?;
        stop.send(true)?;
        delivering.await?;
        working.stop().await;
        let mut analyses = [vec![], vec![]];
        bench.analyses(false).await?;
        for _ in 0..ROUNDS {
            for (index, flooding) in [false, true].into_iter().enumerate() {
                analyses[index].extend(bench.analyses(flooding).await?);
            }
        }
        let refused = 100.0 * bench.refused.load(Relaxed) as f64 / bench.sent.load(Relaxed).max(1) as f64;
        let measured = [
            ("a call", calls),
            ("a moderation of one image", moderations),
            ("the age and liveness of one photo", analyses),
        ];
        for (what, [alone, flooded]) in measured {
            report.add(
                &format!("{what} of a quiet tenant beside a flood: p95 of {}", flooded.len()),
                MeasuredFigure::time(percentile(&flooded, 0.95)),
                Some(("the same without the flood", MeasuredFigure::time(percentile(&alone, 0.95)))),
                None,
                Some(Goal::RatioAtMost(2.0)),
            );
        }
        anyhow::ensure!(refused > 50.0, "{refused:.0} % of the flood's calls were refused: it was none");
        anyhow::Ok(())
    })
}

impl FairnessBench {
    async fn open() -> anyhow::Result<Self> {
        let app = start_app().await;
        let files = FileServer::start().await;
        let url = files.put("face.png", png(&testkit::face_pictures()[0]));
        let slow = StubServer::start_unrecorded(|_| StubReply::status(204).after(SLOW_ANSWER)).await;
        let quiet = Tenant::open(&app, &url).await?;
        let flood = Tenant::open(&app, &url).await?;
        let mut tx = app.api.db.write().await?;
        let limits = [
            (LimitKind::CallsPerMinute, Some(FLOOD_CALL_LIMIT)),
            (LimitKind::WaitingJobs, Some(FLOOD_WAITING_JOBS)),
        ];
        limits::set(&mut tx, flood.app, &limits).await?;
        tx.commit().await?;
        Ok(Self {
            app,
            quiet,
            flood,
            _files: files,
            slow,
            flooding: AtomicBool::new(false),
            sent: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
        })
    }

    /// Begins the flood, with a queue that is full; or ends it, with a queue that is empty.
    async fn set_flooding(&self, flooding: bool) -> anyhow::Result<()> {
        self.flooding.store(flooding, Relaxed);
        let db = &self.app.api.db;
        if flooding {
            let message = WebhookMessage {
                url: self.slow.url("/hook"),
                verb: WebhookMethod::Post,
                headers: Vec::new(),
                body: "{}".to_owned(),
                verify_tls: true,
                success: SuccessCriterion::Any2xx,
            };
            let mut tx = db.write().await?;
            for _ in 0..FLOOD_MESSAGES {
                let (outbox, environment) = (&self.app.api.outbox, &*self.app.environment);
                outbox.enqueue(&mut tx, environment, self.flood.app, "bench", &message).await?;
            }
            tx.commit().await?;
            let full = async || {
                let waiting = limits::usage(&mut db.read().await?, self.flood.app).await?;
                anyhow::Ok(waiting.is_some_and(|usage| usage.waiting_jobs >= FLOOD_WAITING_JOBS / 2))
            };
            while !full().await? {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        } else {
            let mut tx = db.write().await?;
            let app = self.flood.app;
            tx.execute(sql!("DELETE FROM jobs WHERE app_id = $1 AND state = 'WAITING'", app)).await?;
            tx.execute(sql!("DELETE FROM deliveries WHERE app_id = $1", app)).await?;
            tx.commit().await?;
            let idle = async || {
                let usage = limits::usage(&mut db.read().await?, app).await?;
                anyhow::Ok(usage.is_some_and(|usage| usage.running_jobs + usage.waiting_jobs == 0))
            };
            while !idle().await? {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        Ok(())
    }

    async fn flood_with_calls(self: Arc<Self>) {
        let mut tick = tokio::time::interval(Duration::from_secs(1) / FLOOD_CALLS_PER_SECOND as u32);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            if self.flooding.load(Relaxed) {
                let bench = self.clone();
                tokio::spawn(async move {
                    let answer = bench.flood.ask(&bench.app, "GET", "/moderations", None).await;
                    bench.sent.fetch_add(1, Relaxed);
                    bench.refused.fetch_add(usize::from(answer.0 == 429), Relaxed);
                });
            }
        }
    }

    /// Starts moderations, whatever the limit of calls says: they are written as an accepted call writes them.
    async fn flood_with_moderations(self: Arc<Self>) {
        let pause = Duration::from_secs(1) / FLOOD_MODERATIONS_PER_SECOND as u32;
        loop {
            tokio::time::sleep(pause).await;
            for _ in 0..FLOOD_WAITING_JOBS {
                if !self.flooding.load(Relaxed) || self.start_of_flood().await.is_err() {
                    break;
                }
            }
        }
    }

    async fn start_of_flood(&self) -> anyhow::Result<()> {
        let service = &self.app.api.content_moderation;
        let input = ModerationInput {
            content_id: Some(self.flood.content.parse()?),
            unknown_faces: true,
            ..ModerationInput::default()
        };
        let request = service.validate(input).map_err(|broken| anyhow::anyhow!("{broken:?}"))?;
        let prepared = service.prepare(self.flood.account.parse()?, request).await?;
        let mut tx = self.app.api.db.write().await?;
        service.start(&mut tx, prepared).await?;
        Ok(tx.commit().await?)
    }

    /// What the quiet tenant's calls take, milliseconds.
    async fn calls(&self) -> anyhow::Result<Vec<f64>> {
        let mut took = Vec::with_capacity(QUIET_CALLS);
        for _ in 0..QUIET_CALLS {
            tokio::time::sleep(QUIET_CALL_INTERVAL).await;
            let began = Instant::now();
            self.quiet.get(&self.app, "/contents").await?;
            took.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(took)
    }

    /// What the quiet tenant's moderations take, from the call that starts one to its end, milliseconds.
    async fn moderations(&self) -> anyhow::Result<Vec<f64>> {
        let mut took = Vec::with_capacity(QUIET_MODERATIONS);
        for _ in 0..QUIET_MODERATIONS {
            let began = Instant::now();
            let wishes = json!({ "content_id": self.quiet.content, "unknown_faces": true });
            let (status, made) = self.quiet.ask(&self.app, "POST", "/moderations", Some(wishes)).await;
            anyhow::ensure!(status == 201, "{status} {made}");
            let path = format!("/moderations/{}/details", made["id"].as_str().context("an id")?);
            loop {
                let state = self.quiet.get(&self.app, &path).await?["contents"]["state"].clone();
                match state.as_str() {
                    Some("DONE") => break,
                    Some("QUEUED" | "RUNNING") => tokio::time::sleep(Duration::from_millis(5)).await,
                    _ => anyhow::bail!("the moderation is {state}"),
                }
            }
            took.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(took)
    }

    /// What it takes to analyse the quiet tenant's photos, without HTTP and signature, milliseconds.
    async fn analyses(self: &Arc<Self>, flooding: bool) -> anyhow::Result<Vec<f64>> {
        let mut flood = JoinSet::new();
        self.flooding.store(flooding, Relaxed);
        for _ in 0..if flooding { FLOOD_ANALYSES } else { 0 } {
            let bench = self.clone();
            flood.spawn(async move {
                while bench.flooding.load(Relaxed) {
                    bench.analyse_photo_of(&bench.flood).await?;
                }
                anyhow::Ok(())
            });
        }
        let mut took = Vec::with_capacity(QUIET_ANALYSES);
        for _ in 0..QUIET_ANALYSES {
            tokio::time::sleep(QUIET_CALL_INTERVAL).await;
            let began = Instant::now();
            self.analyse_photo_of(&self.quiet).await?;
            took.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        self.flooding.store(false, Relaxed);
        while let Some(ended) = flood.join_next().await {
            ended??;
        }
        Ok(took)
    }

    async fn analyse_photo_of(&self, tenant: &Tenant) -> anyhow::Result<()> {
        let image = testkit::face_jpeg().to_vec();
        let liveness = Some(LivenessAssurance::Medium);
        let ask = AnalysisRequest { image, relaxed: true, age: true, liveness, sharpness: false };
        self.app.api.image_analyser.for_application(tenant.app).analyse(ask).await?;
        Ok(())
    }
}

impl Tenant {
    async fn open(app: &TestApp, url: &str) -> anyhow::Result<Self> {
        let (tenant, account, key) = app.add_tenant().await;
        let mut new = Self { app: tenant, account: account.to_string(), key, content: String::new() };
        let content = json!({ "url": url, "type": "IMAGE" });
        let (status, made) = new.ask(app, "POST", "/contents", Some(content)).await;
        anyhow::ensure!(status == 201, "{status} {made}");
        made["id"].as_str().context("an id")?.clone_into(&mut new.content);
        Ok(new)
    }

    /// Calls an operation below the account; returns the status and the answer.
    async fn ask(&self, app: &TestApp, method: &str, below: &str, body: Option<Value>) -> (u16, Value) {
        let path = format!("/accounts/{}{below}", self.account);
        let answer = app.call_moderation_as(&self.app.to_string(), method, &path, &self.key, body).await;
        (answer.status.as_u16(), answer.json())
    }

    async fn get(&self, app: &TestApp, below: &str) -> anyhow::Result<Value> {
        let (status, answer) = self.ask(app, "GET", below, None).await;
        anyhow::ensure!((200..300).contains(&status), "{below}: {status} {answer}");
        Ok(answer)
    }
}
