//! What is measured on: a folder, a database and a server that are there for this measurement only.

use crate::config::Config;
use anyhow::{Context as _, ensure};
use db::{Db, ScratchSchema};
use measure::{
    client::{self, Connection, HttpAnswer},
    file_server::{FileServer, LoopbackCertificate},
    server_process::ServerProcess,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Connections to the database, as many as a server opens unless it is told otherwise.
const DATABASE_CONNECTIONS: u32 = 8;

pub(super) struct Stage {
    folder: TempDir,
    certificate: LoopbackCertificate,
    schema: Option<ScratchSchema>,
    /// The settings of the server, TOML.
    settings: String,
    models_folder: PathBuf,
    server: Option<ServerProcess>,
    files: Option<FileServer>,
}

impl Stage {
    /// A stage without a server; of the settings in force it takes those of the models.
    pub(super) async fn new(config: &Config, postgres: Option<&str>) -> anyhow::Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("assay-bench-").tempdir().context("no temporary folder")?;
        let certificate = LoopbackCertificate::generate()?;
        let root = folder.path().join("root.pem");
        std::fs::write(&root, &certificate.certificate)?;
        let schema = match postgres {
            Some(url) => Some(
                ScratchSchema::create(url, "assay_bench")
                    .await
                    .context("no schema can be created on the PostgreSQL server")?,
            ),
            None => None,
        };
        let models = config.model_settings();
        // The server runs in a folder of its own.
        let models_folder = std::path::absolute(&models.folder)?;
        let mut settings = format!(
            "[models]\nfolder = {}\nworkers = {}\nqueue = {}\nmax_wait_ms = {}\npreload = true\n\
             [egress]\nroots = [{}]\n",
            quote(&models_folder.display().to_string()),
            models.workers,
            models.queue.max_queued,
            models.queue.max_wait.as_millis(),
            quote(&root.display().to_string()),
        );
        if let Some(schema) = &schema {
            settings.extend(["[database]\nurl = ", &quote(&schema.url()), "\n"]);
        }
        Ok(Self { folder, certificate, schema, settings, models_folder, server: None, files: None })
    }

    pub(super) async fn start_server(&mut self) -> anyhow::Result<()> {
        use std::os::unix::fs::OpenOptionsExt as _;
        let file = self.folder.path().join("settings.toml");
        // It may hold the password of a database.
        let mut options = std::fs::OpenOptions::new();
        let mut out = options.write(true).create_new(true).mode(0o600).open(&file)?;
        std::io::Write::write_all(&mut out, self.settings.as_bytes())?;
        let binary = std::env::current_exe().context("the program does not know where it is")?;
        let config = file.display().to_string();
        let settings = [("ASSAY_CONFIG", config.as_str())];
        let data = self.folder.path().join("data");
        self.server = Some(ServerProcess::start(&binary, &data, &settings).await?.0);
        self.files = Some(FileServer::start(&self.certificate).await?);
        Ok(())
    }

    /// Ends the server and deletes everything.
    pub(super) async fn close(self) -> anyhow::Result<()> {
        drop((self.server, self.files));
        if let Some(schema) = self.schema {
            schema.drop().await.context("the schema of the measurement could not be dropped")?;
        }
        self.folder.close().context("the temporary folder could not be deleted")
    }

    pub(super) fn database(&self) -> &'static str {
        if self.schema.is_some() { "PostgreSQL" } else { "SQLite" }
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn models_folder(&self) -> &Path {
        &self.models_folder
    }

    pub(super) fn server(&self) -> anyhow::Result<&ServerProcess> {
        self.server.as_ref().context("no server was started")
    }

    pub(super) fn files(&self) -> anyhow::Result<&FileServer> {
        self.files.as_ref().context("no server was started")
    }

    /// A database: with PostgreSQL that of the server, which is idle by then.
    pub(super) fn open_database(&self) -> anyhow::Result<Db> {
        let url = match &self.schema {
            Some(schema) => schema.url(),
            None => format!("sqlite:{}", self.folder.path().join("storage.db").display()),
        };
        Ok(Db::open(&url, DATABASE_CONNECTIONS)?)
    }

    /// A client of content moderation, with an API key, over one connection.
    pub(super) async fn moderation_client(&self) -> anyhow::Result<ApiClient> {
        self.client(str::to_owned).await
    }

    /// The same of age verification, which expects the key as a bearer token.
    pub(super) async fn age_client(&self) -> anyhow::Result<ApiClient> {
        self.client(|key| format!("Bearer {key}")).await
    }

    async fn client(&self, authorization: impl FnOnce(&str) -> String) -> anyhow::Result<ApiClient> {
        let server = self.server()?;
        let (app, key) = server.caller.key();
        Ok(ApiClient {
            connection: server.connect().await?,
            app: app.to_owned(),
            authorization: authorization(key),
        })
    }
}

/// A text as TOML has it; JSON's escapes are among TOML's.
fn quote(text: &str) -> String {
    json!(text).to_string()
}

/// A business that calls with its API key.
pub(super) struct ApiClient {
    connection: Connection,
    app: String,
    authorization: String,
}

impl ApiClient {
    /// Calls, and reads the answer, which must be a success.
    pub(super) async fn call(&mut self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        let headers = [("svc-sdk-id", self.app.as_str()), ("authorization", self.authorization.as_str())];
        ask(&mut self.connection, method, path, &headers, "application/json", body_bytes(body)).await
    }
}

fn body_bytes(body: &Value) -> Vec<u8> {
    if body.is_null() { Vec::new() } else { body.to_string().into_bytes() }
}

/// Sends a request; the answer must be a success, and is read as JSON if there is any.
pub(super) async fn ask(
    connection: &mut Connection,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    content_type: &str,
    body: Vec<u8>,
) -> anyhow::Result<Value> {
    let headers = [headers, &[("content-type", content_type)]].concat();
    let head = client::head(method, path, &headers, &body);
    read_json(&connection.ask(&head, &body).await?)
}

/// The JSON of an answer that must be a success.
pub(super) fn read_json(answer: &HttpAnswer) -> anyhow::Result<Value> {
    ensure!(
        (200..300).contains(&answer.status),
        "the server answers {} {}",
        answer.status,
        String::from_utf8_lossy(&answer.body)
    );
    Ok(if answer.body.is_empty() { Value::Null } else { serde_json::from_slice(&answer.body)? })
}
