//! The server under test: another process with its own data folder.

use crate::{
    client::{Connection, SigningCaller},
    clock,
};
use anyhow::{Context as _, bail};
use std::{
    fs::File,
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A running server; dropping it kills it.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    pub address: SocketAddr,
    pub caller: SigningCaller,
}

const START_TIMEOUT: Duration = Duration::from_mins(1);

impl ServerProcess {
    /// Starts a server with default settings except for `settings` (`ASSAY__SECTION__NAME` and value); returns it and
    /// the milliseconds until it was ready.
    pub async fn start(
        binary: &Path,
        folder: &Path,
        settings: &[(&str, &str)],
    ) -> anyhow::Result<(Self, f64)> {
        let address = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log = folder.with_extension("log");
        let inherited = std::env::vars_os().map(|(name, _)| name);
        let assays = inherited.filter(|name| name.to_string_lossy().starts_with("ASSAY"));
        let mut command = Command::new(binary);
        for name in assays {
            command.env_remove(name);
        }
        command
            .args(["serve", "--dev", "--data-dir"])
            .arg(folder)
            .args(["--listen", &address.to_string()])
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log)?);
        let started = Instant::now();
        let child = command.spawn().with_context(|| format!("{} cannot be started", binary.display()))?;
        let mut running = StartingServer(Some(child));
        while !is_ready(address).await {
            if running.ended()? || started.elapsed() > START_TIMEOUT {
                bail!("the server did not become ready:\n{}", std::fs::read_to_string(&log)?);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let took = clock::milliseconds(started.elapsed());
        let caller = loop {
            match SigningCaller::of(folder) {
                Ok(caller) => break caller,
                Err(error) if started.elapsed() > START_TIMEOUT => return Err(error),
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        let child = running.0.take().context("the server is running")?;
        Ok((Self { child, address, caller }, took))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub async fn connect(&self) -> anyhow::Result<Connection> {
        Connection::open(self.address).await
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// A child process that is killed if starting fails.
struct StartingServer(Option<Child>);

impl StartingServer {
    fn ended(&mut self) -> anyhow::Result<bool> {
        Ok(match &mut self.0 {
            Some(child) => child.try_wait()?.is_some(),
            None => true,
        })
    }
}

impl Drop for StartingServer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            end(child);
        }
    }
}

fn end(child: &mut Child) {
    let _ended_already = child.kill();
    let _ended = child.wait();
}

async fn is_ready(address: SocketAddr) -> bool {
    let Ok(mut connection) = Connection::open(address).await else { return false };
    connection.get("/readyz").await.is_ok_and(|answer| answer.status == 200)
}
