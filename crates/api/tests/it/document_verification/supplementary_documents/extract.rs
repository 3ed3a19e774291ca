//! `PUT /idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/text-extraction`

use crate::document_verification::{BASE, DocumentSessionFixture, SANDBOX, run_without_models};
use domain::{
    document_verification::DocumentVerificationSettings,
    image_analysis::{AnalysisRules, ImageAnalyser},
};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::json;
use std::{fmt::Write as _, time::Duration};
use testkit::TestApp;
use vision::{InferencePool, QueueLimits};

/// With the fields that the sandbox reads.
#[tokio::test]
async fn the_text_of_a_supplementary_document_is_extracted() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_tasks": [{ "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let worker = app.spawn_worker();
    let document = session.add_supplementary_document(&app).await;
    session.upload(&app, "PUT", &format!("{document}/file"), b"%PDF-1.7").await;
    let path = format!("{document}/text-extraction");
    assert_response_snapshot!(session.end_user_call(&app, "PUT", &path, None).await);
    worker.stop().await;
}

/// A PDF file with empty pages.
fn pdf_of(pages: usize) -> Vec<u8> {
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", page + 4)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {pages} >>", kids.join(" ")),
        "<< /Length 0 >>\nstream\n\nendstream".to_owned(),
    ];
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R >>";
    objects.extend((0..pages).map(|_| page.to_owned()));
    let (mut file, mut places) = ("%PDF-1.4\n".to_owned(), String::new());
    for (at, object) in objects.iter().enumerate() {
        writeln!(places, "{:010} 00000 n ", file.len()).unwrap();
        writeln!(file, "{} 0 obj\n{object}\nendobj", at + 1).unwrap();
    }
    let (table, count) = (file.len(), objects.len() + 1);
    write!(file, "xref\n0 {count}\n0000000000 65535 f \n{places}").unwrap();
    writeln!(file, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF").unwrap();
    file.into_bytes()
}

/// How many jobs the workers of an analyser have done.
fn jobs_done(analyser: &ImageAnalyser) -> u32 {
    let recorder = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&recorder, || analyser.report_metrics());
    let text = recorder.handle().render();
    let count = text.lines().find_map(|line| line.strip_prefix("assay_inference_done_total ")?.parse().ok());
    count.unwrap_or_else(|| panic!("{text}"))
}

/// Others have their turns between the pages of a long file, and none of its pages is read twice.
#[tokio::test]
async fn each_page_of_a_file_is_a_turn_of_its_own() {
    let pool = InferencePool::start(&testkit::pack(), 1, QueueLimits::by_count(64)).unwrap();
    let analyser = ImageAnalyser::with_pool(AnalysisRules::default(), pool);
    let app = TestApp::builder().image_analyser(analyser.clone()).start().await;
    let payload = json!({ "requested_tasks": [{ "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let worker = app.spawn_worker();
    let document = session.add_supplementary_document(&app).await;
    let put = session.upload(&app, "PUT", &format!("{document}/file"), &pdf_of(3)).await;
    assert_eq!(put.status_and_code(), "200", "{}", put.json());
    let task = session.end_user_call(&app, "PUT", &format!("{document}/text-extraction"), None).await.json();
    assert_eq!(task["state"], "DONE", "{task}");
    assert_eq!(jobs_done(&analyser), 4, "three pages, and what they say together");
    worker.stop().await;
}

/// Otherwise it would be told as an error of the server, after half a minute.
#[tokio::test]
async fn a_document_waits_for_models() {
    let analyser = ImageAnalyser::new(AnalysisRules::default());
    let at_once = |settings| DocumentVerificationSettings { task_wait_timeout: Duration::ZERO, ..settings };
    let app =
        TestApp::builder().image_analyser(analyser.clone()).document_verification(at_once).start().await;
    let payload = json!({ "requested_tasks": [{ "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let document = session.add_supplementary_document(&app).await;
    let put = session.upload(&app, "PUT", &format!("{document}/file"), &pdf_of(1)).await;
    assert_eq!(put.status_and_code(), "200", "{}", put.json());
    let task = async || {
        session.end_user_call(&app, "PUT", &format!("{document}/text-extraction"), None).await.json()
    };
    assert_eq!(task().await["state"], "PENDING");
    run_without_models(&app, "read-document").await;
    assert_eq!(task().await["state"], "PENDING");
    analyser.load(&testkit::model_settings()).unwrap();
    app.run_due_jobs().await;
    assert_eq!(task().await["state"], "DONE");
}
