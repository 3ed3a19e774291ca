//! Videos from their address to decoded frames, with the installed ffmpeg, against correct and incorrect servers on
//! this machine.

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

/// A server whose name may be called, and a loader that decodes what it serves.
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

    /// All samples of a stored video, and how decoding ended.
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

    /// All samples of a video that must decode without error.
    async fn all(&self, path: &str, ask: &SamplingRequest) -> Vec<SampledFrame> {
        let (samples, ended) = self.samples(path, ask).await;
        ended.unwrap_or_else(|error| panic!("{path}: {error}"));
        samples
    }

    /// The error for a video that must yield no frame.
    async fn refused(&self, path: &str) -> VideoError {
        let (samples, ended) = self.samples(path, &SamplingRequest::default()).await;
        assert!(samples.is_empty(), "{path}: {} samples", samples.len());
        ended.expect_err(path)
    }
}

/// Errors are shown to whoever supplied the address, and logged: none may contain the token.
fn told(error: VideoError) -> VideoError {
    assert!(!format!("{error} {error:?}").contains(SECRET), "{error:?}");
    error
}

fn at_rate(rate: f64) -> SamplingRequest {
    SamplingRequest { frames_per_second: rate, ..SamplingRequest::default() }
}
