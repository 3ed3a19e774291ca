//! `GET /healthz`: the process answers.

/// Alive. Says nothing of models or database; `/readyz` does.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}
