//! Videos from their address to their pictures, with ffmpeg as it is installed, against servers of this machine that
//! keep their word, or do not.

mod addresses;
mod broken;
mod host;
mod live;
mod make;
mod playlists;
mod processes;
mod samples;
mod servers;
mod stills;

use crate::{SECRET, names::Names, receiver::Authority};
use host::Host;
use media::{
    fetch::{EgressPolicy, Fetcher, TrustedRoot},
    video::{ContentLoader, SampledFrame, SamplingRequest, VideoError, VideoSettings},
};

/// A server whose name may be called, and a way to decode what it has.
struct Site {
    names: Names,
    host: Host,
    videos: ContentLoader,
}

impl Site {
    async fn open() -> Self {
        Self::with(VideoSettings::default()).await
    }

    async fn with(settings: VideoSettings) -> Self {
        let (names, authority) = (Names::serve().await, Authority::new());
        let name = "videos.example.com";
        names.says(name, &["127.0.0.1"]);
        let host = Host::listen(authority.certify(&[name])).await;
        let policy = EgressPolicy {
            name_server: Some(names.address()),
            roots: vec![TrustedRoot::Pem(authority.pem())],
            hosts: vec![name.to_owned()],
            ..EgressPolicy::default()
        };
        let videos = ContentLoader::start(Fetcher::new(&policy).unwrap(), settings).await.unwrap();
        Self { names, host, videos }
    }

    /// All samples of a stored video, and how it ended.
    async fn samples(
        &self,
        path: &str,
        ask: &SamplingRequest,
    ) -> (Vec<SampledFrame>, Result<(), VideoError>) {
        let mut frames = match self.videos.open(&self.host.at(path), ask).await {
            Ok(frames) => frames,
            Err(error) => return (Vec::new(), Err(told(error))),
        };
        let mut samples = Vec::new();
        loop {
            match frames.next().await {
                Ok(Some(frame)) => samples.push(frame),
                Ok(None) => return (samples, Ok(())),
                Err(error) => return (samples, Err(told(error))),
            }
        }
    }

    /// All samples of a video that is whole.
    async fn all(&self, path: &str, ask: &SamplingRequest) -> Vec<SampledFrame> {
        let (samples, ended) = self.samples(path, ask).await;
        ended.unwrap_or_else(|error| panic!("{path}: {error}"));
        samples
    }

    /// Why a video gives no picture.
    async fn refused(&self, path: &str) -> VideoError {
        let (samples, ended) = self.samples(path, &SamplingRequest::default()).await;
        assert!(samples.is_empty(), "{path}: {} samples", samples.len());
        ended.expect_err(path)
    }
}

/// Errors are for whoever gave the address and for logs: what it carries is in none.
fn told(error: VideoError) -> VideoError {
    assert!(!format!("{error} {error:?}").contains(SECRET), "{error:?}");
    error
}

fn at_rate(rate: f64) -> SamplingRequest {
    SamplingRequest { frames_per_second: rate, ..SamplingRequest::default() }
}
