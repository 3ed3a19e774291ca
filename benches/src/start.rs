//! How soon a server is ready, and how much memory it holds.

use crate::{
    call, clock,
    photo::Photo,
    report::{Figure, Goal, Report},
    server::{Place, Server},
};
use std::path::Path;

const READY: Option<Goal> = Some(Goal::AtMost(3000.0));
const MEMORY: Option<Goal> = Some(Goal::AtMost(300.0));
const CALLS: usize = 200;

pub(crate) async fn measure(
    report: &mut Report,
    place: &Place,
    photo: &Photo,
    folder: &Path,
    rounds: usize,
) -> anyhow::Result<()> {
    let mut first = Vec::new();
    for number in 0..rounds {
        first.push(Server::start(&place.server, &folder.join(format!("first-{number}")), &[]).await?.1);
    }
    report.add("ready, in an empty folder", Figure::times(&first), None, None, READY);

    let known = folder.join("first-0");
    let (mut again, mut at_rest, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (server, took) = Server::start(&place.server, &known, &[]).await?;
        again.push(took);
        at_rest.push(clock::resident(server.id())?);
        if after.is_empty() {
            // Two at a time, so that every worker has had its turn.
            let (mut one, mut other) = (server.connect().await?, server.connect().await?);
            for _ in 0..CALLS / 2 {
                let pair = tokio::join!(
                    call::once(&server, &mut one, photo),
                    call::once(&server, &mut other, photo)
                );
                pair.0.and(pair.1)?;
            }
            after.push(clock::resident(server.id())?);
        }
    }
    report.add("ready, in a folder that is there", Figure::times(&again), None, None, READY);
    report.add("memory when ready", Figure::megabytes(&at_rest), None, None, MEMORY);
    report.add("memory after 200 calls", Figure::megabytes(&after), None, None, MEMORY);
    Ok(())
}
