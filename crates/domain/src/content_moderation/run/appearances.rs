//! What a moderation would judge in a stored video, without judging it: for measuring what is found, and at which cost.

use super::{
    face_tracks::FaceTracks,
    frame_faces::{FrameFacesError, LooksWanted, frame_faces},
};
use crate::{content_moderation::ContentModerationSettings, image_analysis::ImageAnalyser};
use base::Environment;
use futures_util::StreamExt as _;
use media::video::{ContentLoader, SamplingRequest};
use vision::track::FaceTrack;

/// One appearance of a person.
#[derive(Clone, Debug)]
pub struct VideoAppearance {
    pub track: FaceTrack,
    /// The estimated age, years; `None` where none was estimated.
    pub years: Option<f32>,
}

/// All appearances in a stored video.
#[derive(Clone, Debug, Default)]
pub struct VideoAppearances {
    /// In the order in which they ended. Those that a moderation ignores, because they were seen once and might be no face,
    /// are left out.
    pub appearances: Vec<VideoAppearance>,
    /// Pictures of the video that were sampled.
    pub pictures: u64,
    /// Pictures that the detector looked at.
    pub looks: u64,
}

/// Follows the faces of the stored video at `url`; `age_limit` is the age that is asked about, in years.
pub async fn find_appearances(
    videos: &ContentLoader,
    analyser: &ImageAnalyser,
    environment: &dyn Environment,
    settings: &ContentModerationSettings,
    url: &str,
    age_limit: Option<u8>,
) -> Result<VideoAppearances, FrameFacesError> {
    let sampling =
        SamplingRequest { live: false, from_seconds: 0.0, frames_per_second: settings.frames_per_second };
    let frames = videos.open(url, &sampling).await?;
    let wanted = LooksWanted::default();
    let mut detections = frame_faces(analyser, settings, frames, false, wanted.clone());
    let (mut tracks, mut found) = (FaceTracks::default(), VideoAppearances::default());
    while let Some(frame) = detections.next().await {
        let frame = frame?;
        found.looks += u64::from(frame.is_looked_at);
        let step = tracks.follow(analyser, environment, frame, false).await?;
        wanted.set(tracks.need_looks(&step.tracks, age_limit));
        found.appearances.extend(of_tracks(&tracks, step.ended));
    }
    let ended = tracks.tracker.finish();
    found.appearances.extend(of_tracks(&tracks, ended));
    found.pictures = tracks.pictures;
    Ok(found)
}

/// The appearances of tracks that have ended.
fn of_tracks(tracks: &FaceTracks, ended: Vec<FaceTrack>) -> impl Iterator<Item = VideoAppearance> {
    let counted = ended.into_iter().filter(|track| tracks.counts(track));
    counted.map(|track| VideoAppearance { years: tracks.years(&track), track })
}
