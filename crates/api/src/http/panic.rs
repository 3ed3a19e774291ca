//! Turns a panic in a handler into an answer and a log line, instead of a dropped connection. The line does not have the panic's
//! message, which may quote what the handler was reading; the binary logs where it happened.

use super::error::{ApiError, ErrorTable};
use axum::response::{IntoResponse as _, Response};
use std::any::Any;
use tower_http::catch_panic::CatchPanicLayer;

/// Turns a panic into an answer.
pub(crate) type PanicHandler = fn(Box<dyn Any + Send>) -> Response;

/// Answers panics with the internal error of an interface.
pub(crate) fn catch_panics<T: ErrorTable>() -> CatchPanicLayer<PanicHandler> {
    CatchPanicLayer::custom(respond::<T> as PanicHandler)
}

fn respond<T: ErrorTable>(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a handler panicked");
    metrics::counter!("assay_panics_total").increment(1);
    ApiError::<T>::internal_error().into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image_analysis::ImageAnalysisErrorCode;
    use axum::http::StatusCode;
    use std::{
        io::{Read as _, Seek as _},
        sync::Arc,
    };

    #[test]
    fn the_message_of_a_panic_is_not_logged() {
        let file = Arc::new(tempfile::tempfile().unwrap());
        let lines = tracing_subscriber::fmt().with_writer(file.clone()).finish();
        let answer = tracing::subscriber::with_default(lines, || {
            respond::<ImageAnalysisErrorCode>(Box::new("the name is Ada".to_owned()))
        });
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let (mut log, mut logged) = (&*file, String::new());
        log.rewind().unwrap();
        log.read_to_string(&mut logged).unwrap();
        assert!(logged.contains("a handler panicked") && !logged.contains("Ada"), "{logged}");
    }
}
