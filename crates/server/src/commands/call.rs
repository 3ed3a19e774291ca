//! `assay call`: a signed request, from the shell.

use crate::{config::Config, out, serve::DevCredentials};
use anyhow::{Context as _, bail};
use base::{Environment as _, SystemEnvironment};
use domain::tenancy::signed_request::{CanonicalRequest, HttpRequestSigner};
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};
use std::{path::PathBuf, process::ExitCode, time::Duration};

/// Sign a request, send it and print the answer.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    assay call /ai/v1/age --img face.jpg\n  \
    assay call /ai/v1/age-verify --img face.jpg --set threshold=18 --query explain=true\n  \
    assay call /ai/v1/antispoofing --img face.jpg --set level_of_assurance=high\n\n\
    Exit code: 0 for a 2xx answer, 1 for any other.")]
pub(crate) struct CallArgs {
    /// The path, relative to the base address, for example `/ai/v1/age`.
    path: String,
    /// The method.
    #[arg(long, short = 'X', default_value = "POST")]
    method: String,
    /// An image file, read into `img` as base64.
    #[arg(long, value_name = "FILE")]
    img: Option<PathBuf>,
    /// A member of the body (repeatable), `name=value`. The value is taken as JSON if it is valid JSON, as text otherwise.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    members: Vec<String>,
    /// A query parameter (repeatable), `name=value`, in addition to `nonce` and `timestamp`.
    #[arg(long = "query", value_name = "NAME=VALUE")]
    query: Vec<String>,
    /// A header (repeatable), `Name: value`.
    #[arg(long = "header", short = 'H', value_name = "HEADER")]
    headers: Vec<String>,
    /// A credentials file as `assay serve --dev` writes it. Default: `dev-credentials.json` in the data folder.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// Also print the status and headers of the answer.
    #[arg(long, short)]
    verbose: bool,
}

impl CallArgs {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let file = self.credentials.clone().unwrap_or_else(|| config.dev_credentials());
        let credentials = DevCredentials::read(&file)?;
        let key = credentials.private_key();
        let pem =
            std::fs::read_to_string(&key).with_context(|| format!("{} cannot be read", key.display()))?;
        let signer = HttpRequestSigner::from_pem(&pem)?;
        let method = self.method.to_ascii_uppercase();
        let body = self.body(&method)?;
        if !self.path.starts_with('/') {
            bail!("the path must start with a slash, for example /ai/v1/age");
        }

        let mut query = format!(
            "nonce={}&timestamp={}",
            SystemEnvironment.uuid_v7(),
            SystemEnvironment.now().as_second()
        );
        for pair in &self.query {
            query.push('&');
            query.push_str(pair);
        }
        let message =
            CanonicalRequest { method: &method, path: &self.path, query: Some(&query), body: &body };
        let digest = signer.sign(&message);
        let brand = config.brand()?;
        let mut headers = HeaderMap::new();
        headers.insert(brand.auth_id().clone(), credentials.sdk_id.to_string().parse()?);
        headers.insert(brand.auth_digest().clone(), digest.parse()?);
        headers.insert(reqwest::header::CONTENT_TYPE, "application/json".parse()?);
        for header in &self.headers {
            let (name, value) = header.split_once(':').context("a header is written as `Name: value`")?;
            headers.insert(name.trim().parse::<reqwest::header::HeaderName>()?, value.trim().parse()?);
        }

        let url = format!("{}{}?{query}", credentials.base_url, self.path);
        #[expect(
            clippy::disallowed_methods,
            reason = "the operator's own tool calls the operator's own server"
        )]
        let client = reqwest::Client::builder().timeout(Duration::from_mins(1)).no_proxy().build()?;
        let answer =
            client.request(method.parse()?, &url).headers(headers).body(body).send().await.with_context(
                || format!("{} does not answer; is `assay serve` running?", credentials.base_url),
            )?;
        let status = answer.status();
        if self.verbose || !status.is_success() {
            out::remark(format_args!("{status}"));
        }
        if self.verbose {
            for (name, value) in answer.headers() {
                out::remark(format_args!("{name}: {}", value.to_str().unwrap_or("…")));
            }
        }
        let text = answer.text().await?;
        match serde_json::from_str::<Value>(&text) {
            Ok(json) => out::json(&json)?,
            Err(_) => out::line(format_args!("{text}")),
        }
        Ok(if status.is_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn body(&self, method: &str) -> anyhow::Result<Vec<u8>> {
        let mut body = Map::new();
        if let Some(file) = &self.img {
            let bytes = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
            body.insert("img".to_owned(), Value::String(api::base64(&bytes)));
        }
        for member in &self.members {
            let (name, value) = member.split_once('=').context("a member is written as `name=value`")?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            body.insert(name.to_owned(), value);
        }
        if body.is_empty() && matches!(method, "GET" | "DELETE" | "HEAD") {
            return Ok(Vec::new());
        }
        Ok(serde_json::to_vec(&Value::Object(body))?)
    }
}
