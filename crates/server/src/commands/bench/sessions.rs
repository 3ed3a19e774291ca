//! Age verification: sessions that a business creates and reads.

use super::{
    report::{Interface, SizingReport},
    stage::Stage,
};
use anyhow::{Context as _, ensure};
use measure::{clock, percentile};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SESSIONS_PATH: &str = "/api/v1/sessions";
/// Businesses at a time.
const CALLERS: usize = 16;

pub(super) async fn measure(
    stage: &Stage,
    report: &mut SizingReport,
    during: Duration,
) -> anyhow::Result<()> {
    let payload = json!({ "type": "OVER", "ttl": 900, "age_estimation": { "threshold": 25 } });
    // The first creates the keys that webhooks are signed with.
    let mut client = stage.age_client().await?;
    client.call("POST", SESSIONS_PATH, &payload).await?;
    let began = Instant::now();
    let crowd = (0..CALLERS).map(|_| async {
        let (mut client, mut times) = (stage.age_client().await?, Vec::new());
        while began.elapsed() < during {
            let started = Instant::now();
            let made = client.call("POST", SESSIONS_PATH, &payload).await?;
            times.push(clock::milliseconds(started.elapsed()));
            let id = made["id"].as_str().context("a session has an id")?;
            let read = client.call("GET", &format!("{SESSIONS_PATH}/{id}"), &Value::Null).await?;
            ensure!(read["id"] == made["id"], "another session is read");
        }
        anyhow::Ok(times)
    });
    let times = futures_util::future::try_join_all(crowd).await?.concat();
    let rate = times.len() as f64 / began.elapsed().as_secs_f64();
    let of = Interface::AgeVerification;
    report.add(of, format!("sessions created and read, {CALLERS} callers"), rate, "1/s");
    report.add(of, "  creating one, p95", percentile(&times, 0.95), "ms");
    Ok(())
}
