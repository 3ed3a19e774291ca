//! What is measured of a face in pictures: where it is, whether it is live, whose it is and how old it looks. The
//! pictures are frames of one capture.

use crate::document_verification::{
    store::{SessionMediaStore, UnsealedDocumentSession},
    vision_runner::{DocumentReadError, VisionRunner},
};
use base::{MediaId, Picture};
use serde::Serialize;
use vision::{AgeEstimate, Face, FaceRelief, VisionError, VisionModels};

/// Shares of strangers who would be taken for the holder: at most this many for a match, and for a possible match.
const MATCH_FALSE_MATCH_RATE: f64 = 1e-3;
const POSSIBLE_MATCH_FALSE_MATCH_RATE: f64 = 1e-2;
/// Frames with exactly one face that a zoom needs, at least.
pub(super) const MIN_ZOOM_FACE_FRAMES: usize = 3;

/// What was measured of a face, frame by frame.
pub(in crate::document_verification) struct FaceAnalysis {
    pub(super) frames: Vec<AnalysedFrame>,
    /// The depth of a face that comes nearer; `None` if it cannot be told, and of a single frame.
    pub(super) relief: Option<FaceRelief>,
    /// The digest of the space of the embeddings; those of different spaces cannot be compared.
    space: String,
    pub(super) distance_limits: Option<DistanceLimits>,
    pub(super) liveness_thresholds: LivenessThresholds,
}

/// Largest distances between embeddings of one person, which depend on the model.
#[derive(Clone, Copy)]
pub(super) struct DistanceLimits {
    /// At which one stranger in a thousand would be taken for the holder.
    pub(super) same: f32,
    /// At which one stranger in a hundred would.
    pub(super) possibly_same: f32,
}

/// Liveness scores of the model, 0 to 1.
#[derive(Clone, Copy)]
pub(super) struct LivenessThresholds {
    /// Below it a face is rejected.
    pub(super) reject: f32,
    /// From it on a face is approved.
    pub(super) approve: f32,
}

/// One picture.
pub(super) struct AnalysedFrame {
    /// Faces that the detector is confident of.
    pub(super) faces: usize,
    /// The one face of the picture; `None` if there is none or more than one.
    detected: Option<DetectedFace>,
}

/// The one face of a picture.
pub(super) struct DetectedFace {
    pub(super) face: Face,
    /// Size of the picture in pixels.
    pub(super) width: u32,
    height: u32,
    /// Mean luma over the face, 0 to 255.
    pub(super) luma: f32,
    /// 0 to 1; the higher, the likelier a live face.
    pub(super) liveness_score: f32,
    pub(super) embedding: Vec<f32>,
    age: AgeEstimate,
}

/// An embedding and the space that it lies in.
#[derive(Clone, Copy)]
pub(super) struct ComparableFace<'a> {
    pub(super) embedding: &'a [f32],
    /// The digest of the space.
    pub(super) space: &'a str,
}

/// Where a face and its points are in each frame of a zoom; stored as JSON.
#[derive(Serialize)]
pub(in crate::document_verification) struct LivenessFaceMap {
    frames: Vec<FaceInFrame>,
    version: u8,
}

#[derive(Serialize)]
struct FaceInFrame {
    /// Left, top, right and bottom, as parts of the frame's size.
    #[serde(rename = "box")]
    face: [f32; 4],
    /// The detector's six points, likewise.
    points: [[f32; 2]; 6],
}

/// Analyses the faces of sessions' media; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct FaceAnalyser {
    media: SessionMediaStore,
    vision: VisionRunner,
}

impl FaceAnalyser {
    pub(in crate::document_verification) fn new(media: SessionMediaStore, vision: VisionRunner) -> Self {
        Self { media, vision }
    }

    /// Analyses the pictures of one capture. A file that cannot be opened counts as a frame without a face.
    pub(in crate::document_verification) async fn analyse(
        &self,
        stored: &UnsealedDocumentSession,
        media: Vec<MediaId>,
    ) -> Result<FaceAnalysis, DocumentReadError> {
        let _slot = self.vision.acquire_large_media_slot(stored.session.app).await;
        let mut pictures = Vec::new();
        for id in media {
            match self.vision.decode_picture(self.media.read(stored, id).await?).await {
                Ok(picture) => pictures.push(Some(picture)),
                Err(DocumentReadError::File(_)) => pictures.push(None),
                Err(error) => return Err(error),
            }
        }
        self.vision
            .run(stored.session.app, move |vision| {
                let frames = pictures
                    .iter()
                    .map(|picture| match picture {
                        Some(picture) => analyse_frame(vision, picture),
                        None => Ok(AnalysedFrame { faces: 0, detected: None }),
                    })
                    .collect::<Result<Vec<_>, VisionError>>()?;
                let relief = approach_relief(&pictures, &frames);
                let thresholds = vision.liveness_thresholds();
                let space = vision.embedding_space()?;
                let distance_limits = space
                    .distance_at(MATCH_FALSE_MATCH_RATE)
                    .zip(space.distance_at(POSSIBLE_MATCH_FALSE_MATCH_RATE))
                    .map(|(same, possibly_same)| DistanceLimits { same, possibly_same });
                Ok::<_, VisionError>(FaceAnalysis {
                    frames,
                    relief,
                    space: space.digest(),
                    distance_limits,
                    liveness_thresholds: LivenessThresholds {
                        reject: thresholds.low,
                        approve: thresholds.medium,
                    },
                })
            })
            .await?
            .map_err(|error| DocumentReadError::Server(error.to_string()))
    }
}

/// The depth of a face in frames in which it comes nearer: the middle one of three measurements, between one of the first two
/// frames and one of the last two.
fn approach_relief(pictures: &[Option<Picture>], frames: &[AnalysedFrame]) -> Option<FaceRelief> {
    let seen: Vec<(&Picture, &Face)> = pictures
        .iter()
        .zip(frames)
        .filter_map(|(picture, frame)| Some((picture.as_ref()?, &frame.detected.as_ref()?.face)))
        .collect();
    let [first, second, .., last] = seen[..] else { return None };
    let last_but_one = *seen.get(seen.len().checked_sub(2)?)?;
    let pairs = [(first, last), (first, last_but_one), (second, last)];
    let mut measured: Vec<FaceRelief> =
        pairs.into_iter().filter_map(|(far, near)| FaceRelief::measure(far, near)).collect();
    measured.sort_by(|a, b| a.relief.total_cmp(&b.relief));
    measured.get(measured.len() / 2).copied()
}

fn analyse_frame(vision: &mut VisionModels, picture: &Picture) -> Result<AnalysedFrame, VisionError> {
    let faces = vision.detect(picture)?;
    let confident = faces.iter().filter(|face| vision.is_confident(face)).count();
    let Some(face) = faces.into_iter().next().filter(|_| confident <= 1) else {
        return Ok(AnalysedFrame { faces: confident, detected: None });
    };
    let detected = DetectedFace {
        luma: vision::face_luma(picture, &face),
        liveness_score: vision.score_liveness(picture, &face)?.real,
        embedding: vision.embed(picture, &face)?,
        age: vision.estimate_age(picture, &face)?,
        width: picture.width(),
        height: picture.height(),
        face,
    };
    Ok(AnalysedFrame { faces: 1, detected: Some(detected) })
}

impl FaceAnalysis {
    pub(super) fn detected_faces(&self) -> impl Iterator<Item = &DetectedFace> {
        self.frames.iter().filter_map(|frame| frame.detected.as_ref())
    }

    /// The largest face of all frames: it shows most.
    fn largest_face(&self) -> Option<&DetectedFace> {
        self.detected_faces().max_by(|a, b| a.face.width().total_cmp(&b.face.width()))
    }

    /// The face to compare with others.
    pub(super) fn comparable_face(&self) -> Option<ComparableFace<'_>> {
        let face = self.largest_face()?;
        Some(ComparableFace { embedding: &face.embedding, space: &self.space })
    }

    /// How old the face looks.
    pub(super) fn age(&self) -> Option<AgeEstimate> {
        self.largest_face().map(|face| face.age)
    }

    /// Where the face and its points are in each frame, as parts of its size, which shows the shape of the face; `None`
    /// if there are too few frames for a zoom.
    pub(in crate::document_verification) fn face_map(&self) -> Option<LivenessFaceMap> {
        let frames: Vec<_> = self
            .detected_faces()
            .map(|detected| {
                let scale = |[x, y]: [f32; 2]| [x / detected.width as f32, y / detected.height as f32];
                let Face { left, top, right, bottom, points, .. } = detected.face;
                let (from, to) = (scale([left, top]), scale([right, bottom]));
                FaceInFrame { face: [from[0], from[1], to[0], to[1]], points: points.map(scale) }
            })
            .collect();
        (frames.len() >= MIN_ZOOM_FACE_FRAMES).then_some(LivenessFaceMap { frames, version: 1 })
    }
}
