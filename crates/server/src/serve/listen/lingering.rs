//! A stream that reads what still arrives before it is closed.
//!
//! A request may be answered before its body was read: it is too large, or its sender is unknown. If the connection were
//! closed with unread bytes, the kernel would reset it, and the sender, who still writes, would see a broken pipe and
//! never the answer. So the answer is sent, then our direction is closed, and then what arrives is read and thrown away
//! up to a bound (RFC 9112, section 9.6).

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

/// How much is read and thrown away, and for how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct LingerLimits {
    /// Bytes.
    pub(super) bytes: u64,
    /// From when the answer was sent.
    pub(super) whole: Duration,
    /// Without a byte.
    pub(super) quiet: Duration,
}

/// A stream that lingers when it is shut down.
#[derive(Debug)]
pub(super) struct LingeringStream<S> {
    stream: S,
    limits: LingerLimits,
    state: State,
}

#[derive(Debug)]
enum State {
    Open,
    /// The answer was sent; what arrives is thrown away.
    Lingering {
        left: u64,
        until: Instant,
        timer: Pin<Box<Sleep>>,
    },
    Closed,
}

impl<S> LingeringStream<S> {
    pub(super) fn new(stream: S, limits: LingerLimits) -> Self {
        Self { stream, limits, state: State::Open }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LingeringStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, to)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LingeringStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, limits, state } = self.get_mut();
        loop {
            match state {
                State::Open => {
                    ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
                    let now = Instant::now();
                    *state = State::Lingering {
                        left: limits.bytes,
                        until: now + limits.whole,
                        timer: Box::pin(tokio::time::sleep(limits.quiet.min(limits.whole))),
                    };
                }
                State::Lingering { left, until, timer } => {
                    let mut scratch = [std::mem::MaybeUninit::uninit(); 16 * 1024];
                    let mut scratch = ReadBuf::uninit(&mut scratch);
                    match Pin::new(&mut *stream).poll_read(cx, &mut scratch) {
                        Poll::Ready(Ok(())) => {
                            let read = scratch.filled().len() as u64;
                            *left = left.saturating_sub(read);
                            let now = Instant::now();
                            if read == 0 || *left == 0 || now >= *until {
                                *state = State::Closed;
                            } else {
                                timer.as_mut().reset((now + limits.quiet).min(*until));
                            }
                        }
                        Poll::Ready(Err(_)) => *state = State::Closed,
                        Poll::Pending => {
                            ready!(timer.as_mut().poll(cx));
                            *state = State::Closed;
                        }
                    }
                }
                State::Closed => return Poll::Ready(Ok(())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    const LIMITS: LingerLimits =
        LingerLimits { bytes: 1 << 20, whole: Duration::from_secs(2), quiet: Duration::from_millis(400) };

    #[tokio::test]
    async fn what_arrives_is_read_until_the_other_side_closes() {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        let mut ours = LingeringStream::new(ours, LIMITS);
        let sender = async {
            theirs.write_all(&vec![7; 500_000]).await.unwrap();
            let mut answer = String::new();
            theirs.read_to_string(&mut answer).await.unwrap();
            drop(theirs);
            answer
        };
        let began = Instant::now();
        let closing = async {
            ours.write_all(b"too large").await.unwrap();
            ours.shutdown().await.unwrap();
        };
        let (answer, ()) = tokio::join!(sender, closing);
        assert_eq!(answer, "too large");
        assert!(began.elapsed() < LIMITS.quiet, "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn it_lingers_no_longer_than_it_may() {
        let (ours, _silent) = tokio::io::duplex(1024);
        let began = Instant::now();
        LingeringStream::new(ours, LIMITS).shutdown().await.unwrap();
        assert!(LIMITS.quiet <= began.elapsed() && began.elapsed() < LIMITS.whole, "{:?}", began.elapsed());

        let (ours, mut theirs) = tokio::io::duplex(1024);
        let dripping = tokio::spawn(async move {
            while theirs.write_all(b".").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        let began = Instant::now();
        let mut ours = LingeringStream::new(ours, LIMITS);
        ours.shutdown().await.unwrap();
        assert!(began.elapsed() >= LIMITS.whole, "{:?}", began.elapsed());
        drop(ours);
        dripping.await.unwrap();

        let (ours, mut theirs) = tokio::io::duplex(1024);
        let flood = tokio::spawn(async move { while theirs.write_all(&[7; 1000]).await.is_ok() {} });
        let mut ours = LingeringStream::new(ours, LIMITS);
        let began = Instant::now();
        ours.shutdown().await.unwrap();
        assert!(began.elapsed() < LIMITS.whole, "a megabyte is enough: {:?}", began.elapsed());
        drop(ours);
        flood.await.unwrap();
    }
}
