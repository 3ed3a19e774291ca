//! Webhook deliveries: one process that queues and sends them, on SQLite, and a fast receiver in another process on the
//! same cores.

use crate::report::{BenchReport, Goal, MeasuredFigure};
use anyhow::Context as _;
use base::{AppId, Environment, SystemEnvironment};
use db::{Db, sql};
use domain::{
    delivery::{
        self, DeliveryDispatcher, DeliveryFilter, DeliverySettings, Outbox, SuccessCriterion, WebhookMessage,
        WebhookMethod,
    },
    keyring::Keyring,
    tenancy::applications::{self, NewApplication},
    vault::Vault,
};
use measure::{clock, percentile};
use media::fetch::{EgressPolicy, FetchRequest, Fetcher, TrustedRoot};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use testkit::stub_server::{self, StubReply, StubServer};
use tokio::sync::watch;

/// Messages per run.
const MESSAGES_PER_RUN: usize = 5000;
/// Messages per second that are queued while latency is measured.
const OFFERED_PER_SECOND: usize = 1000;
/// Messages per transaction, as when an interface is busy.
const MESSAGES_PER_TRANSACTION: usize = 10;

/// The receiver's process: prints its address, and answers until its parent has ended.
#[expect(clippy::print_stdout, reason = "how the parent learns where it is")]
pub(crate) async fn receive() {
    let receiver = StubServer::start_unrecorded(|_| StubReply::status(204)).await;
    println!("{}", receiver.url("/hook"));
    println!("{}", stub_server::certificate().replace('\n', "|"));
    let _flushed = std::io::stdout().flush();
    let _gone = tokio::task::spawn_blocking(|| std::io::stdin().lines().count()).await;
}

struct ReceiverProcess(Child);

impl Drop for ReceiverProcess {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

struct DeliveryBench {
    db: Db,
    environment: Arc<dyn Environment>,
    outbox: Outbox,
    fetcher: Fetcher,
    app: AppId,
    message: WebhookMessage,
    _peer: ReceiverProcess,
}

pub(crate) fn measure(report: &mut BenchReport, folder: &Path, rounds: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let post = DeliveryBench::open(folder).await?;
        let (mut rates, mut cores, mut bare_cores) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let before = clock::own_cpu_milliseconds();
            post.bare().await?;
            let between = clock::own_cpu_milliseconds();
            let (rate, _) = post.run(None).await?;
            rates.push(rate);
            cores.push((clock::own_cpu_milliseconds() - between) / MESSAGES_PER_RUN as f64);
            bare_cores.push((between - before) / MESSAGES_PER_RUN as f64);
        }
        report.add(
            "deliveries, as fast as they go",
            MeasuredFigure::rates(&rates),
            None,
            None,
            Some(Goal::AtLeast(2000.0)),
        );
        // Not the rates: ours waits half of the time, for the disk and for threads to wake, so its rate says as much about
        // the machine.
        report.add(
            "a delivery, time on a core",
            MeasuredFigure::times(&cores),
            Some((
                "the same client and receiver without queue, signature and record",
                MeasuredFigure::times(&bare_cores),
            )),
            None,
            None,
        );
        let (rate, lags) = post.run(Some(OFFERED_PER_SECOND)).await?;
        report.add("deliveries offered at 1,000 a second", MeasuredFigure::rates(&[rate]), None, None, None);
        report.add(
            "from commit to first attempt: p50",
            MeasuredFigure::time(percentile(&lags, 0.5)),
            None,
            None,
            None,
        );
        report.add(
            "from commit to first attempt: p95",
            MeasuredFigure::time(percentile(&lags, 0.95)),
            None,
            None,
            Some(Goal::AtMost(100.0)),
        );
        anyhow::Ok(())
    })
}

impl DeliveryBench {
    async fn open(folder: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--receive")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the receiver cannot be started")?;
        let mut lines = BufReader::new(child.stdout.take().context("it is piped")?).lines();
        let mut line = || anyhow::Ok(lines.next().context("the receiver says nothing")??);
        let (url, pem) = (line()?, line()?.replace('|', "\n"));
        let policy =
            EgressPolicy { roots: vec![TrustedRoot::Pem(pem)], ..EgressPolicy::default() }.with_loopback();
        let fetcher = Fetcher::new(&policy)?;
        let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
        let db = Db::open(&format!("sqlite:{}", folder.join("deliveries.db").display()), 4)?;
        db.migrate().await?;
        let keyring = Keyring::parse(&"01".repeat(32)).context("64 digits")?;
        let outbox = Outbox::new(fetcher.clone(), Vault::new(&keyring));
        let mut tx = db.write().await?;
        let new = NewApplication { name: "bench", organisation: None, billing_source: None, features: &[] };
        let app = applications::create(&mut tx, &*environment, &new).await?;
        tx.commit().await?;
        let message = WebhookMessage {
            url,
            verb: WebhookMethod::Post,
            headers: Vec::new(),
            body: format!("{{\"status\":\"SUCCESS\",\"padding\":\"{}\"}}", "x".repeat(400)),
            verify_tls: true,
            success: SuccessCriterion::Any2xx,
        };
        Ok(Self { db, environment, outbox, fetcher, app, message, _peer: ReceiverProcess(child) })
    }

    /// As many calls by the client alone, 64 at a time.
    async fn bare(&self) -> anyhow::Result<()> {
        let next = Arc::new(AtomicUsize::new(0));
        let callers: Vec<_> = (0..64)
            .map(|_| {
                let (fetcher, message, next) = (self.fetcher.clone(), self.message.clone(), next.clone());
                tokio::spawn(async move {
                    while next.fetch_add(1, Ordering::Relaxed) < MESSAGES_PER_RUN {
                        fetcher.call(&message.url, FetchRequest::post(message.body.clone())).await?;
                    }
                    anyhow::Ok(())
                })
            })
            .collect();
        for caller in callers {
            caller.await??;
        }
        Ok(())
    }

    /// Queues messages, at a given rate or as fast as possible, while a dispatcher sends them. Returns messages per
    /// second until the last was delivered, and the milliseconds from each message's commit to its first attempt.
    async fn run(&self, offered: Option<usize>) -> anyhow::Result<(f64, Vec<f64>)> {
        let mut tx = self.db.write().await?;
        tx.execute(sql!("DELETE FROM deliveries")).await?;
        tx.commit().await?;
        let (stop, stopped) = watch::channel(false);
        let sender = DeliveryDispatcher::new(
            self.db.clone(),
            self.environment.clone(),
            self.outbox.clone(),
            DeliverySettings::default(),
        );
        let working = tokio::spawn(sender.run(stopped));
        let began = Instant::now();
        for batch in 0..MESSAGES_PER_RUN / MESSAGES_PER_TRANSACTION {
            if let Some(offered) = offered {
                let due = began
                    + Duration::from_secs_f64((batch * MESSAGES_PER_TRANSACTION) as f64 / offered as f64);
                tokio::time::sleep_until(due.into()).await;
            }
            let mut tx = self.db.write().await?;
            for _ in 0..MESSAGES_PER_TRANSACTION {
                self.outbox.enqueue(&mut tx, &*self.environment, self.app, "bench", &self.message).await?;
            }
            tx.commit().await?;
        }
        while self.delivered().await? < MESSAGES_PER_RUN as i64 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let rate = MESSAGES_PER_RUN as f64 / began.elapsed().as_secs_f64();
        stop.send(true)?;
        working.await?;
        // The newest 200 represent the rest: they were queued when the queue was busiest.
        let records =
            delivery::list(&mut self.db.read().await?, DeliveryFilter::default(), None, 200).await?;
        let lag = |record: &delivery::DeliveryRecord| {
            record
                .attempts
                .first()
                .map(|attempt| attempt.at.duration_since(record.created_at).as_secs_f64() * 1000.0)
        };
        Ok((rate, records.iter().filter_map(lag).collect()))
    }

    async fn delivered(&self) -> anyhow::Result<i64> {
        let mut view = self.db.read().await?;
        Ok(view.count(sql!("SELECT count(*) FROM deliveries WHERE state = 'DELIVERED'")).await?)
    }
}
