//! Live faces: whether they are, how they come nearer, and whose they are.

use super::super::{
    Identities,
    read::Unread,
    report::{Detail, Recommendation, Report, SubCheck},
    store::Held,
    words::CheckAdvice,
};
use base::{MediaId, Picture};
use serde::Serialize;
use vision::{AgeEstimate, Face, Vision, VisionError, challenge::Pose, distance};

/// Shares of strangers that may be taken for the holder: surely, and perhaps.
const SURE: f64 = 1e-3;
const PERHAPS: f64 = 1e-2;
/// Mean luma over the face between which it can be judged, 0 to 255.
const LIGHT: (f32, f32) = (40.0, 215.0);
/// How much larger the face of the last frame of a zoom is than that of the first, at least.
const NEARER: f32 = 1.2;
/// How much of its size a face that comes nearer may lose from one frame to the next.
const DIP: f32 = 0.92;
/// Degrees that it may turn to a side meanwhile.
const ASIDE: f32 = 18.0;
/// Frames of a zoom with one face, at least.
const FRAMES: usize = 3;

/// What was seen of a face.
pub(super) struct Live {
    frames: Vec<Frame>,
    space: String,
    /// The distances at which [`SURE`] and [`PERHAPS`] lie.
    limits: Option<(f32, f32)>,
    thresholds: (f32, f32),
}

/// Where a face and its points are in each frame of a zoom.
#[derive(Serialize)]
pub(super) struct FaceMap {
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

/// One picture.
struct Frame {
    faces: usize,
    seen: Option<Seen>,
}

/// The one face of a picture.
struct Seen {
    face: Face,
    width: u32,
    height: u32,
    luma: f32,
    real: f32,
    embedding: Vec<f32>,
    age: AgeEstimate,
}

impl Identities {
    /// Looks at pictures of one face.
    pub(super) async fn look_at(&self, held: &Held, media: Vec<MediaId>) -> Result<Live, Unread> {
        let _place = self.place().await;
        let mut pictures = Vec::new();
        for id in media {
            match self.picture(self.get(held, id).await?).await {
                Ok(picture) => pictures.push(Some(picture)),
                Err(Unread::File(_)) => pictures.push(None),
                Err(error) => return Err(error),
            }
        }
        self.with_models(move |vision| {
            let frames = pictures
                .iter()
                .map(|picture| match picture {
                    Some(picture) => look(vision, picture),
                    None => Ok(Frame { faces: 0, seen: None }),
                })
                .collect::<Result<Vec<_>, VisionError>>()?;
            let space = vision.space();
            let limits = space.distance_at(SURE).zip(space.distance_at(PERHAPS));
            let thresholds = vision.liveness_thresholds();
            Ok::<_, VisionError>(Live {
                frames,
                space: space.digest(),
                limits,
                thresholds: (thresholds.low, thresholds.medium),
            })
        })
        .await?
        .map_err(|error| Unread::Server(error.to_string()))
    }
}

fn look(vision: &mut Vision, picture: &Picture) -> Result<Frame, VisionError> {
    let faces = vision.detect(picture)?;
    let sure = faces.iter().filter(|face| vision.counts(face)).count();
    let Some(face) = faces.into_iter().next().filter(|_| sure <= 1) else {
        return Ok(Frame { faces: sure, seen: None });
    };
    let seen = Seen {
        luma: vision::face_luma(picture, &face),
        real: vision.score_liveness(picture, &face)?.real,
        embedding: vision.embed(picture, &face)?,
        age: vision.age(picture, &face)?,
        width: picture.width(),
        height: picture.height(),
        face,
    };
    Ok(Frame { faces: 1, seen: Some(seen) })
}

impl Live {
    fn seen(&self) -> impl Iterator<Item = &Seen> {
        self.frames.iter().filter_map(|frame| frame.seen.as_ref())
    }

    /// The picture to compare with: the largest face, which says most.
    pub(super) fn best(&self) -> Option<(&[f32], &str)> {
        let best = self.seen().max_by(|a, b| a.face.width().total_cmp(&b.face.width()))?;
        Some((&best.embedding, &self.space))
    }

    /// How old it looks.
    pub(super) fn age(&self) -> Option<AgeEstimate> {
        self.seen().max_by(|a, b| a.face.width().total_cmp(&b.face.width())).map(|seen| seen.age)
    }

    /// Where the face and its points are in each frame, as parts of its size: what a zoom says of a face's shape.
    pub(super) fn map(&self) -> Option<FaceMap> {
        let frames: Vec<_> = self
            .seen()
            .map(|seen| {
                let scale = |[x, y]: [f32; 2]| [x / seen.width as f32, y / seen.height as f32];
                let Face { left, top, right, bottom, points, .. } = seen.face;
                let (from, to) = (scale([left, top]), scale([right, bottom]));
                FaceInFrame { face: [from[0], from[1], to[0], to[1]], points: points.map(scale) }
            })
            .collect();
        (frames.len() >= FRAMES).then_some(FaceMap { frames, version: 1 })
    }

    /// Whether it is live.
    pub(super) fn report(&self, zoom: bool) -> Report {
        let seen: Vec<&Seen> = self.seen().collect();
        if seen.is_empty() || (zoom && seen.len() < FRAMES) {
            let several = self.frames.iter().any(|frame| frame.faces > 1);
            return Report::not_available(if several { "MULTIPLE_FACES" } else { "FACE_NOT_FOUND" });
        }
        let mean = seen.iter().map(|seen| seen.luma).sum::<f32>() / seen.len() as f32;
        if mean < LIGHT.0 {
            return Report::not_available("PHOTO_TOO_DARK");
        }
        if mean > LIGHT.1 {
            return Report::not_available("PHOTO_OVEREXPOSED");
        }
        let mut scores: Vec<f32> = seen.iter().map(|seen| seen.real).collect();
        scores.sort_by(f32::total_cmp);
        // Of several frames the middle one: a single one may be unlucky.
        let score = scores[scores.len() / 2];
        let (low, medium) = self.thresholds;
        let mut told = vec![
            Detail::new("passive_score", format_args!("{score:.3}")),
            Detail::new("threshold", format_args!("{medium:.3}")),
        ];
        let mut passed = score >= medium;
        let mut surely_not = score < low;
        if zoom {
            let near = comes_nearer(&seen, &mut told);
            let same = self.is_one_person(&seen, &mut told);
            passed &= near && same;
            surely_not |= !same || !near;
        }
        let breakdown = vec![SubCheck::new("liveness_auth", passed, told)];
        let recommendation = match (passed, surely_not) {
            (true, _) => Recommendation::approve(),
            (false, true) => Recommendation::with(CheckAdvice::Reject, "LIVENESS_NOT_PROVEN"),
            (false, false) => Recommendation::with(CheckAdvice::Consider, "LIVENESS_NOT_PROVEN"),
        };
        Report { recommendation, breakdown }
    }

    fn is_one_person(&self, seen: &[&Seen], told: &mut Vec<Detail>) -> bool {
        let (Some((first, rest)), Some((_, limit))) = (seen.split_first(), self.limits) else { return false };
        let farthest =
            rest.iter().map(|other| distance(&first.embedding, &other.embedding)).fold(0.0, f32::max);
        told.push(Detail::new("frames_distance", format_args!("{farthest:.3} (at most {limit:.3})")));
        farthest <= limit
    }
}

/// Whether the face grows from frame to frame and goes on looking ahead, as of somebody who comes nearer.
fn comes_nearer(seen: &[&Seen], told: &mut Vec<Detail>) -> bool {
    let Some(poses) = seen.iter().map(|seen| Pose::of(&seen.face)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let [first, .., last] = &poses[..] else { return false };
    // Of the picture: a camera may change how many pixels it gives.
    let sizes: Vec<f32> = poses.iter().zip(seen).map(|(pose, seen)| pose.scale / seen.width as f32).collect();
    let steps = || sizes.windows(2).filter_map(|pair| Some(pair.last()? / pair.first()?));
    let (grown, steady): (f32, bool) = (steps().product(), steps().all(|step| step >= DIP));
    let aside = poses.iter().map(|pose| (pose.yaw - first.yaw).abs()).fold(0.0, f32::max);
    told.push(Detail::new("grown", format_args!("{grown:.2} (at least {NEARER})")));
    told.push(Detail::new("steady", steady));
    told.push(Detail::new("turned_aside", format_args!("{aside:.0} degrees (at most {ASIDE})")));
    // The ears of a head come closer together as it comes nearer. The points say so of flat photos as well
    // (docs/ACCURACY.md), so a reviewer is told and nothing is judged by it.
    told.push(Detail::new("parallax", format_args!("{:.3}", 1.0 - last.width / first.width)));
    grown >= NEARER && steady && aside <= ASIDE
}

/// A face that is known, with its space, against a live one.
pub(super) fn compare(known: Option<(&[f32], &str)>, live: Option<&Live>) -> Report {
    let (Some((known, space)), Some(live)) = (known, live) else {
        return Report::not_available("FACE_NOT_FOUND");
    };
    let Some((face, own)) = live.best() else { return Report::not_available("FACE_NOT_FOUND") };
    let Some((sure, perhaps)) = live.limits.filter(|_| own == space) else {
        return Report::not_available("FACE_NOT_COMPARABLE");
    };
    let apart = distance(known, face);
    // One half lies at the distance at which one stranger in a thousand is taken for the holder.
    let score = (1.0 - apart / (2.0 * sure)).clamp(0.0, 1.0);
    let told = vec![
        Detail::new("confidence_score", format_args!("{score:.2}")),
        Detail::new("distance", format_args!("{apart:.3} (at most {sure:.3})")),
    ];
    let breakdown = vec![SubCheck::new("ai_face_match", apart <= sure, told)];
    let recommendation = if apart <= sure {
        Recommendation::approve()
    } else if apart <= perhaps {
        Recommendation::with(CheckAdvice::Consider, "DIFFERENT_PERSON")
    } else {
        Recommendation::with(CheckAdvice::Reject, "DIFFERENT_PERSON")
    };
    Report { recommendation, breakdown }
}
