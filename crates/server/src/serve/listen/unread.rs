//! The body of a request: whether it is waited for, and what is left of it when the answer is ready.
//!
//! Over HTTP/1.1 the answer goes out, says that the connection ends, and the connection lingers. Over HTTP/2 the stream
//! would be reset, and clients that still write would drop the answer: so what arrives is thrown away first, up to a
//! bound.

use super::{connection_tracker::RunningCall, lingering::LingerLimits};
use axum::{
    body::{Body, Bytes, HttpBody},
    http::{HeaderValue, Request, Response, Version, header},
};
use http_body::{Frame, SizeHint};
use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll},
};

/// A body that can be read on by another when its reader has gone. It notes when its reader waits for the peer.
pub(super) struct SharedBody<B> {
    state: Arc<Mutex<BodyState<B>>>,
    /// Weak, because a request is over once its answer was sent, whoever still has its body.
    call: Weak<RunningCall>,
}

struct BodyState<B> {
    body: B,
    has_ended: bool,
}

impl<B> SharedBody<B> {
    /// The request with such a body, and the body.
    pub(super) fn of(request: Request<B>, call: &Arc<RunningCall>) -> (Request<Self>, Self) {
        let (parts, body) = request.into_parts();
        let state = Arc::new(Mutex::new(BodyState { body, has_ended: false }));
        let [read, unread] = [state.clone(), state].map(|state| Self { state, call: Arc::downgrade(call) });
        (Request::from_parts(parts, read), unread)
    }

    fn lock(&self) -> MutexGuard<'_, BodyState<B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B> Drop for SharedBody<B> {
    fn drop(&mut self) {
        if let Some(call) = self.call.upgrade() {
            call.note_read();
        }
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> SharedBody<B> {
    /// Makes sure that the sender gets to read the answer although their body was not read.
    pub(super) async fn settle(
        mut self,
        version: Version,
        limits: LingerLimits,
        mut answer: Response<Body>,
    ) -> Response<Body> {
        if self.is_end_stream() {
            return answer;
        }
        if version == Version::HTTP_2 {
            let _out_of_time = tokio::time::timeout(limits.whole, self.discard(limits.bytes)).await;
        } else {
            answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        answer
    }

    async fn discard(&mut self, bytes: u64) {
        let mut left = bytes;
        while left > 0 {
            match poll_fn(|cx| Pin::new(&mut *self).poll_frame(cx)).await {
                Some(Ok(frame)) => left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len) as u64),
                Some(Err(_)) | None => return,
            }
        }
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for SharedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let mut state = self.lock();
        let frame = Pin::new(&mut state.body).poll_frame(cx);
        state.has_ended |= matches!(frame, Poll::Ready(None | Some(Err(_))));
        drop(state);
        if let Some(call) = self.call.upgrade() {
            match &frame {
                Poll::Pending => call.note_receiving(),
                Poll::Ready(Some(Ok(frame))) => call.note_received(frame.data_ref().map_or(0, Bytes::len)),
                Poll::Ready(_) => call.note_read(),
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        let state = self.lock();
        state.has_ended || state.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().body.size_hint()
    }
}
