//! The faces in the pictures of a video, picture by picture and in order: of a live video by looking at every picture, of a
//! stored one by looking at those that show something new.

use super::{
    adaptive_looks::{AdaptiveLooks, MAX_FACES_PER_FRAME},
    shown_pictures::{ShownPicture, ShownPictures},
};
use crate::{
    content_moderation::{ContentModerationSettings, VideoLooks},
    image_analysis::{AnalysisError, ImageAnalyser},
};
use base::Picture;
use futures_util::{Stream, StreamExt as _, stream};
use media::video::{FrameStream, VideoError};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use vision::{Face, VideoTileScheduler, VisionError, VisionModels, track::FrameFace};

/// A picture of a video, and the faces in it.
pub(super) struct FrameFaces {
    /// The position in the content, in seconds.
    pub(super) time: f64,
    pub(super) picture: Arc<Picture>,
    pub(super) faces: Vec<FrameFace>,
    /// How many further faces were found, and are left out.
    pub(super) unjudged_faces: u32,
    /// Whether the detector looked at the picture. Otherwise its faces are those of an earlier picture, found again.
    pub(super) is_looked_at: bool,
}

/// Why the faces of a picture are not known.
#[derive(Debug, thiserror::Error)]
pub enum FrameFacesError {
    /// The content cannot be fetched or decoded.
    #[error(transparent)]
    Video(#[from] VideoError),
    /// The models are not ready, or all workers are busy.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// A model gave no usable output.
    #[error(transparent)]
    Vision(#[from] VisionError),
}

/// Whether a face of the last picture needs further looks; told by whoever follows the faces, read before the next picture.
#[derive(Clone, Debug, Default)]
pub(super) struct LooksWanted(Arc<AtomicBool>);

impl LooksWanted {
    pub(super) fn set(&self, wanted: bool) {
        self.0.store(wanted, Ordering::Relaxed);
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The faces of each picture that a decoder gives, in order.
pub(super) fn frame_faces<'a>(
    analyser: &'a ImageAnalyser,
    settings: &ContentModerationSettings,
    frames: FrameStream,
    is_live: bool,
    wanted: LooksWanted,
) -> stream::BoxStream<'a, Result<FrameFaces, FrameFacesError>> {
    let min_face_pixels = settings.min_face_pixels;
    let frames = ShownPictures::of(frames, (!is_live).then_some(settings.frames_per_second));
    if is_live || settings.looks == VideoLooks::Full {
        every_frame(analyser, frames, min_face_pixels, settings.parallel_frames.max(1)).boxed()
    } else {
        changed_frames(analyser, frames, min_face_pixels, wanted).boxed()
    }
}

/// Looks at every picture, at several in parallel.
fn every_frame(
    analyser: &ImageAnalyser,
    frames: ShownPictures,
    min_face_pixels: f32,
    parallel: usize,
) -> impl Stream<Item = Result<FrameFaces, FrameFacesError>> + Send {
    // Pictures that are processed in parallel have tile schedulers of their own, so that none waits for another.
    let schedulers: Vec<_> =
        (0..parallel).map(|_| Arc::new(Mutex::new(VideoTileScheduler::new(min_face_pixels)))).collect();
    let pictures = stream::unfold(frames, |mut frames| async move {
        let next = frames.next().await.transpose()?;
        Some((next, frames))
    });
    let detections = pictures
        .zip(stream::iter(schedulers.into_iter().cycle()))
        .map(move |(frame, scheduler)| async move { detect_faces(analyser, scheduler, frame?).await });
    detections.buffered(parallel)
}

/// Looks at the pictures that show something new. One after another, because what is new depends on the picture before; the
/// decoder works on the next ones meanwhile.
fn changed_frames(
    analyser: &ImageAnalyser,
    frames: ShownPictures,
    min_face_pixels: f32,
    wanted: LooksWanted,
) -> impl Stream<Item = Result<FrameFaces, FrameFacesError>> + Send {
    let looks = AdaptiveLooks::new(min_face_pixels);
    stream::try_unfold((frames, looks, wanted), move |(mut frames, mut looks, wanted)| async move {
        let Some((time, picture)) = frames.next().await? else { return Ok(None) };
        let (analysed, is_wanted) = (picture.clone(), wanted.get());
        let analysis = analyser.run_in_background(move |vision: &mut VisionModels| {
            let faces = looks.next(vision, &analysed, time, is_wanted);
            (faces, looks)
        });
        let (faces, looks) = analysis.await?;
        let (faces, is_looked_at) = faces?;
        let unjudged_faces = looks.unjudged_faces();
        let faces = FrameFaces { time, picture, faces, unjudged_faces, is_looked_at };
        Ok(Some((faces, (frames, looks, wanted))))
    })
}

/// Detects the faces in a picture of a video. `scheduler` remembers which tiles of earlier pictures were searched.
async fn detect_faces(
    analyser: &ImageAnalyser,
    scheduler: Arc<Mutex<VideoTileScheduler>>,
    (time, picture): ShownPicture,
) -> Result<FrameFaces, FrameFacesError> {
    let analysed = picture.clone();
    let analysis = analyser.run_in_background(move |vision: &mut VisionModels| {
        let mut scheduler = scheduler.lock().unwrap_or_else(PoisonError::into_inner);
        let mut faces = vision.detect_in_video(&analysed, &mut scheduler)?;
        drop(scheduler);
        let unjudged_faces = keep_first(&mut faces, MAX_FACES_PER_FRAME);
        let analyse = |face: Face| -> Result<FrameFace, VisionError> {
            let quality = VisionModels::assess_quality(&analysed, &face).score;
            Ok(FrameFace { embedding: Some(vision.embed(&analysed, &face)?), face, quality })
        };
        let faces = faces.into_iter().map(analyse).collect::<Result<Vec<_>, VisionError>>()?;
        Ok::<_, VisionError>((faces, unjudged_faces))
    });
    let (faces, unjudged_faces) = analysis.await??;
    Ok(FrameFaces { time, picture, faces, unjudged_faces, is_looked_at: true })
}

/// Keeps the first `limit` of the faces that a detector found, which have the highest scores. Returns how many it left out.
pub(super) fn keep_first(faces: &mut Vec<Face>, limit: usize) -> u32 {
    let left_out = faces.len().saturating_sub(limit);
    faces.truncate(limit);
    left_out as u32
}
