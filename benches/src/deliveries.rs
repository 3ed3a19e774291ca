//! Deliveries: one process that queues and sends, on SQLite, and a fast receiver in a process of its own on the same
//! cores.

use crate::report::{Figure, Goal, Report, share};
use anyhow::Context as _;
use base::{AppId, SystemWorld, World};
use db::{Db, sql};
use domain::{
    delivery::{self, Filter, Message, Outbox, Sender, Settings, Success, Verb},
    keyring::Keyring,
    tenancy::applications::{self, NewApplication},
    vault::Vault,
};
use media::fetch::{Call, Fetcher, Policy, Root};
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
use testkit::receiver::{self, Receiver, Reply};
use tokio::sync::watch;

/// Messages in a run.
const MANY: usize = 10_000;
/// Messages a second that are offered when their latency is measured.
const OFFERED: usize = 1000;
/// Messages that share a transaction, as a busy interface's would.
const TOGETHER: usize = 10;

/// The receiver's process: says where it is, and answers until its parent is gone.
#[expect(clippy::print_stdout, reason = "how the parent learns where it is")]
pub(crate) async fn receive() {
    let receiver = Receiver::quiet(|_| Reply::status(204)).await;
    println!("{}", receiver.url("/hook"));
    println!("{}", receiver::certificate().replace('\n', "|"));
    let _flushed = std::io::stdout().flush();
    let _gone = tokio::task::spawn_blocking(|| std::io::stdin().lines().count()).await;
}

struct Peer(Child);

impl Drop for Peer {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

struct Post {
    db: Db,
    world: Arc<dyn World>,
    outbox: Outbox,
    fetcher: Fetcher,
    app: AppId,
    message: Message,
    _peer: Peer,
}

pub(crate) fn measure(report: &mut Report, folder: &Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let post = Post::open(folder).await?;
        let bare = post.bare().await?;
        let (rate, _) = post.run(None).await?;
        let peer = Some((
            "the same client and receiver without queue, signature and record",
            Figure::rates(&[bare]),
        ));
        report.add(
            "deliveries, as fast as they go",
            Figure::rates(&[rate]),
            peer,
            None,
            Some(Goal::AtLeast(2000.0)),
        );
        let (rate, lags) = post.run(Some(OFFERED)).await?;
        report.add("deliveries offered at 1,000 a second", Figure::rates(&[rate]), None, None, None);
        report.add("from commit to first attempt: p50", Figure::time(share(&lags, 0.5)), None, None, None);
        report.add(
            "from commit to first attempt: p95",
            Figure::time(share(&lags, 0.95)),
            None,
            None,
            Some(Goal::AtMost(100.0)),
        );
        anyhow::Ok(())
    })
}

impl Post {
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
        let policy = Policy { roots: vec![Root::Pem(pem)], ..Policy::default() }.with_this_machine();
        let fetcher = Fetcher::new(&policy)?;
        let world: Arc<dyn World> = Arc::new(SystemWorld);
        let db = Db::open(&format!("sqlite:{}", folder.join("deliveries.db").display()), 4)?;
        db.migrate().await?;
        let keyring = Keyring::parse(&"01".repeat(32)).context("64 digits")?;
        let outbox = Outbox::new(fetcher.clone(), Vault::new(&keyring));
        let mut tx = db.write().await?;
        let new = NewApplication { name: "bench", organisation: None, billing_source: None, features: &[] };
        let app = applications::create(&mut tx, &*world, &new).await?;
        tx.commit().await?;
        let message = Message {
            url,
            verb: Verb::Post,
            headers: Vec::new(),
            body: format!("{{\"status\":\"SUCCESS\",\"padding\":\"{}\"}}", "x".repeat(400)),
            verify_tls: true,
            success: Success::Any2xx,
        };
        Ok(Self { db, world, outbox, fetcher, app, message, _peer: Peer(child) })
    }

    /// Calls a second of the client alone, 64 at once.
    async fn bare(&self) -> anyhow::Result<f64> {
        let next = Arc::new(AtomicUsize::new(0));
        let began = Instant::now();
        let callers: Vec<_> = (0..64)
            .map(|_| {
                let (fetcher, message, next) = (self.fetcher.clone(), self.message.clone(), next.clone());
                tokio::spawn(async move {
                    while next.fetch_add(1, Ordering::Relaxed) < MANY {
                        fetcher.call(&message.url, Call::post(message.body.clone())).await?;
                    }
                    anyhow::Ok(())
                })
            })
            .collect();
        for caller in callers {
            caller.await??;
        }
        Ok(MANY as f64 / began.elapsed().as_secs_f64())
    }

    /// Queues messages, at so many a second or at once, while a sender works. Messages a second until the last was
    /// delivered, and the milliseconds from each one's commit to its first attempt.
    async fn run(&self, offered: Option<usize>) -> anyhow::Result<(f64, Vec<f64>)> {
        let mut tx = self.db.write().await?;
        tx.execute(sql!("DELETE FROM deliveries")).await?;
        tx.commit().await?;
        let (stop, stopped) = watch::channel(false);
        let sender =
            Sender::new(self.db.clone(), self.world.clone(), self.outbox.clone(), Settings::default());
        let working = tokio::spawn(sender.work(stopped));
        let began = Instant::now();
        for batch in 0..MANY / TOGETHER {
            if let Some(offered) = offered {
                let due = began + Duration::from_secs_f64((batch * TOGETHER) as f64 / offered as f64);
                tokio::time::sleep_until(due.into()).await;
            }
            let mut tx = self.db.write().await?;
            for _ in 0..TOGETHER {
                self.outbox.post(&mut tx, &*self.world, self.app, "bench", &self.message).await?;
            }
            tx.commit().await?;
        }
        while self.delivered().await? < MANY as i64 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let rate = MANY as f64 / began.elapsed().as_secs_f64();
        stop.send(true)?;
        working.await?;
        // The newest 200 tell as much as all: they came when the queue was as busy as it gets.
        let records = delivery::list(&mut self.db.read().await?, Filter::default()).await?;
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
