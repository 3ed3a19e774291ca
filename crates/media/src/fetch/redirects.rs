//! Redirects, each checked like an address that a user supplied.

use super::{FetchError, FetchRequest, FetchTarget, FetchTargetError, Fetcher, StreamingResponse};
use http::header;
use tokio::time::Instant;

const MAX_REDIRECTS: usize = 5;

impl Fetcher {
    /// Resolves a reference against the address where it was found, such as a playlist's `part1.ts` or a redirect's
    /// `../next`.
    pub fn join(&self, base: &FetchTarget, reference: &str) -> Result<FetchTarget, FetchTargetError> {
        base.join(reference, &self.0.rules)
    }

    /// Calls an address and follows up to five redirects; the call's timeout covers all of them. Returns the final
    /// address, and the response as [`Fetcher::open`] does. Method and body are kept; the headers `Authorization` and
    /// `Cookie` are dropped at the first redirect.
    pub async fn open_with_redirects(
        &self,
        address: &str,
        mut call: FetchRequest,
    ) -> Result<(FetchTarget, StreamingResponse), FetchError> {
        let (start, within) = (Instant::now(), call.timeout);
        let mut target = self.parse_target(address)?;
        for _ in 0..=MAX_REDIRECTS {
            call.timeout = within.saturating_sub(start.elapsed());
            let answering = self.open(target.as_str(), call.clone()).await?;
            let Some(location) = location(&answering) else { return Ok((target, answering)) };
            let location = location.to_str().map_err(|_| FetchTargetError::Characters)?;
            target = self.join(&target, location)?;
            for name in [header::AUTHORIZATION, header::COOKIE] {
                call.headers.remove(name);
            }
        }
        Err(FetchError::TooManyRedirects { limit: MAX_REDIRECTS })
    }
}

fn location(answering: &StreamingResponse) -> Option<&header::HeaderValue> {
    let redirects = matches!(answering.status(), 301 | 302 | 303 | 307 | 308);
    answering.headers().get(header::LOCATION).filter(|_| redirects)
}
