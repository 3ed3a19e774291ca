//! `GET /healthz`: the process answers.

/// The process is alive. Models and database are the concern of `/readyz`.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}
