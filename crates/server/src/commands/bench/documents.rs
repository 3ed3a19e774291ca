//! Document verification: people who upload a page and wait until it is read.

use super::{
    report::{Interface, SizingReport},
    stage::{Stage, ask, read_json},
};
use anyhow::{Context as _, ensure};
use domain::image_analysis::sample_faces;
use measure::{clock, drawing, percentile, server_process::ServerProcess};
use serde_json::{Value, json};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

const SESSIONS_PATH: &str = "/idverify/v1/sessions";
const FORM_CONTENT_TYPE: &str = "multipart/form-data; boundary=bench";
/// A page that takes longer is not waited for.
const READING_TIMEOUT: Duration = Duration::from_mins(2);

pub(super) async fn measure(
    stage: &Stage,
    report: &mut SizingReport,
    during: Duration,
) -> anyhow::Result<()> {
    let server = stage.server()?;
    let page: Arc<[u8]> = form(&sample_faces::encode_jpeg(&drawing::document(), 88)).into();
    // The first loads the reader.
    visit(server, &page).await?;
    let mut alone = Vec::new();
    for _ in 0..3 {
        alone.push(visit(server, &page).await?);
    }
    let people = 2 * report.workers();
    let (began, before) = (Instant::now(), clock::process_cpu_milliseconds(server.id())?);
    let crowd = (0..people).map(|_| async {
        let mut waits = Vec::new();
        while began.elapsed() < during.max(Duration::from_secs(5)) {
            waits.push(visit(server, &page).await?);
        }
        anyhow::Ok(waits)
    });
    let waits = futures_util::future::try_join_all(crowd).await?.concat();
    let minutes = began.elapsed().as_secs_f64() / 60.0;
    let core = (clock::process_cpu_milliseconds(server.id())? - before) / waits.len() as f64;
    let of = Interface::DocumentVerification;
    report.add(
        of,
        format!("sessions with a page read, {people} people at a time"),
        waits.len() as f64 / minutes,
        "1/min",
    );
    report.add(of, "  from upload to fields, p95 of them", percentile(&waits, 0.95), "ms");
    report.add(of, "  one person alone, median", percentile(&alone, 0.5), "ms");
    report.add(of, "  processor time of the server for each", core, "ms");
    Ok(())
}

/// One person: a session is created, a page is uploaded and read. Returns the milliseconds from upload to fields.
async fn visit(server: &ServerProcess, page: &[u8]) -> anyhow::Result<f64> {
    let mut connection = server.connect().await?;
    let payload = json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let payload = payload.to_string().into_bytes();
    let app = format!("sdkId={}&", server.caller.key().0);
    let head = server.caller.sign_with_query(SESSIONS_PATH, &app, &payload);
    let session = read_json(&connection.ask(&head, &payload).await?)?;
    let text = |value: &Value, name: &str| {
        value[name].as_str().map(str::to_owned).with_context(|| format!("the answer has no {name}"))
    };
    let (id, token) = (text(&session, "session_id")?, text(&session, "client_session_token")?);
    let headers = [("x-svc-auth-token", token.as_str())];
    let documents = format!("{SESSIONS_PATH}/{id}/resources/id-documents");
    let kind = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" }).to_string().into_bytes();
    let document = ask(&mut connection, "POST", &documents, &headers, "application/json", kind).await?;
    let document = format!("{documents}/{}", text(&document, "id")?);
    let began = Instant::now();
    let path = format!("{document}/pages/1");
    ask(&mut connection, "PUT", &path, &headers, FORM_CONTENT_TYPE, page.to_vec()).await?;
    let path = format!("{document}/text-extraction");
    loop {
        let task = ask(&mut connection, "PUT", &path, &headers, "application/json", b"{}".to_vec()).await?;
        if task["state"] == "DONE" {
            return Ok(clock::milliseconds(began.elapsed()));
        }
        ensure!(
            task["state"] == "PENDING" && began.elapsed() < READING_TIMEOUT,
            "a page is not read: {task}"
        );
    }
}

fn form(file: &[u8]) -> Vec<u8> {
    let mut body =
        b"--bench\r\nContent-Disposition: form-data; name=\"binary-content\"; filename=\"p.jpg\"\r\n\
        Content-Type: image/jpeg\r\n\r\n"
            .to_vec();
    body.extend_from_slice(file);
    body.extend_from_slice(b"\r\n--bench--\r\n");
    body
}
