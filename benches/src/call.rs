//! A whole `/ai/v1/age-antispoofing` call over HTTP, beside the bare sum of decode and model time.

use crate::{
    bare::{Bare, Parts},
    client::Connection,
    clock,
    photo::Photo,
    report::{Figure, Goal, Report, share},
    server::{Place, Server},
};
use anyhow::ensure;
use domain::estimate::{Ask, Assurance, Estimator, Models, Rules};
use std::time::Instant;

pub(crate) const PATH: &str = "/ai/v1/age-antispoofing";
const CALLS: usize = 20;

/// One signed call; milliseconds from the first byte sent to the last one read.
pub(crate) async fn once(server: &Server, connection: &mut Connection, photo: &Photo) -> anyhow::Result<f64> {
    send(server, connection, &photo.body, 200).await
}

async fn send(server: &Server, connection: &mut Connection, body: &[u8], status: u16) -> anyhow::Result<f64> {
    let head = server.caller.sign(PATH, body);
    let started = Instant::now();
    let answer = connection.ask(&head, body).await?;
    let took = clock::milliseconds(started.elapsed());
    ensure!(answer.status == status, "{} {}", answer.status, String::from_utf8_lossy(&answer.body));
    Ok(took)
}

/// Calls and bare runs take turns, so that whatever else runs disturbs both.
pub(crate) async fn measure(
    report: &mut Report,
    place: &Place,
    server: &Server,
    photo: &Photo,
    bare: &mut Bare,
    rounds: usize,
) -> anyhow::Result<()> {
    let mut connection = server.connect().await?;
    let no_photo = base64_simd::STANDARD.encode_to_string(vec![0; photo.jpeg.len()]);
    let no_photo = format!("{{\"img\":\"{no_photo}\"}}").into_bytes();
    let (mut refusals, mut inner) = (Vec::new(), Vec::new());
    let estimator = Estimator::new(Rules::default());
    estimator.load(&Models { folder: place.pack.clone(), workers: 1, queue: 1 })?;
    for _ in 0..10 {
        once(server, &mut connection, photo).await?;
        bare.run()?;
    }
    let (mut calls, mut bares): (Vec<f64>, Vec<Parts>) = (Vec::new(), Vec::new());
    let (mut call_cores, mut bare_cores) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let before = clock::of_process(server.id())?;
        for _ in 0..CALLS {
            calls.push(once(server, &mut connection, photo).await?);
        }
        // What is left of a call after its answer, a log line or a write to the disk, counts too.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        call_cores.push((clock::of_process(server.id())? - before) / CALLS as f64);
        for _ in 0..CALLS {
            let ask = Ask {
                image: photo.jpeg.clone(),
                relaxed: false,
                age: true,
                liveness: Some(Assurance::Medium),
            };
            let started = Instant::now();
            estimator.answer(ask).await?;
            inner.push(clock::milliseconds(started.elapsed()));
        }
        for _ in 0..CALLS {
            refusals.push(send(server, &mut connection, &no_photo, 400).await?);
        }
        let before = clock::of_this_thread()?;
        for _ in 0..CALLS {
            bares.push(bare.run()?);
        }
        bare_cores.push((clock::of_this_thread()? - before) / CALLS as f64);
    }
    let of = |part: fn(&Parts) -> f64| Figure::times(&bares.iter().map(part).collect::<Vec<_>>());
    for (name, part) in [
        ("bare: decode (image crate)", of(|parts| parts.decode)),
        ("bare: face net", of(|parts| parts.detect)),
        ("bare: age net, two crops", of(|parts| parts.age)),
        ("bare: liveness", of(|parts| parts.liveness)),
    ] {
        report.add(name, part, None, None, None);
    }
    let name = "the call's image without HTTP and guard, wall clock";
    report.add(name, Figure::times(&inner), None, None, None);
    let name = "a call as large whose image is none, wall clock";
    report.add(name, Figure::times(&refusals), None, None, None);
    let goal = Some(Goal::RatioAtMost(1.15));
    let sum = of(Parts::sum);
    report.add("whole call, wall clock", Figure::times(&calls), Some(("bare sum", sum)), None, goal);
    // Round by round: what a round had to share with other processes is the same for both.
    let ratios: Vec<f64> = call_cores.iter().zip(&bare_cores).map(|(ours, bare)| ours / bare).collect();
    report.add(
        "whole call, time on a core",
        Figure::times(&call_cores),
        Some(("bare sum", Figure::times(&bare_cores))),
        Some(share(&ratios, 0.5)),
        goal,
    );
    Ok(())
}
