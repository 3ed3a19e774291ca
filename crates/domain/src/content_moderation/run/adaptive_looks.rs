//! Which pictures of a stored video the detector looks at, and which faces are embedded anew. Between two looks, known faces
//! are found again by their pixels, and everything else must look as it did.
//!
//! A look is due where something may be new, and never later than [`MAX_SECONDS_BETWEEN_LOOKS`] after the last, so that
//! whoever is visible for that long is looked at, whatever the rules below miss.

use super::frame_faces::keep_first;
use base::Picture;
use vision::{
    Face, FaceTemplate, LumaChange, LumaGrid, PictureBox, VideoTileScheduler, VisionError, VisionModels,
    track::FrameFace,
};

/// How many faces of one picture are followed, at most; of a crowd, those with the highest scores.
pub(super) const MAX_FACES_PER_FRAME: usize = 50;

/// The longest time between two looks, seconds.
const MAX_SECONDS_BETWEEN_LOOKS: f64 = 1.0;

/// Times of samples are rounded to frames.
const TIME_ROUNDING_SECONDS: f64 = 0.02;

/// The correlation from which on the same place shows the same face; docs/ACCURACY.md, "Stored video", has how alike two
/// pictures of one person and of two people are.
const MIN_SAME_FACE_SIMILARITY: f32 = 0.92;

/// The changed blocks from which on a picture shows something new.
const MIN_CHANGED_BLOCKS: usize = 2;

/// Looks after one that showed something new: small faces are searched for in one tile of a picture at a time.
const LOOKS_AFTER_CHANGE: usize = 3;

/// A face this much clearer than when it was last embedded, as a factor of its quality, is embedded again.
const CLEARER_QUALITY_FACTOR: f32 = 1.1;

/// A face that was seen in the last picture.
struct KnownFace {
    template: FaceTemplate,
    face: Face,
    embedding: Vec<f32>,
    /// Quality, 0 to 1, in the picture in which it was embedded.
    embedded_quality: f32,
}

/// What is known of the pictures so far.
pub(super) struct AdaptiveLooks {
    scheduler: VideoTileScheduler,
    /// Side of the blocks whose changes are noticed, pixels.
    block_pixels: u32,
    /// The grid and the time, in seconds, of the last picture that was looked at.
    last_look: Option<(LumaGrid, f64)>,
    known: Vec<KnownFace>,
    /// How many of the next pictures are looked at in any case.
    looks_due: usize,
    unjudged_faces: u32,
}

impl AdaptiveLooks {
    /// For faces of at least `min_face_pixels` (longer side).
    pub(super) fn new(min_face_pixels: f32) -> Self {
        Self {
            scheduler: VideoTileScheduler::new(min_face_pixels),
            block_pixels: (min_face_pixels / 2.0) as u32,
            last_look: None,
            known: Vec::new(),
            looks_due: 0,
            unjudged_faces: 0,
        }
    }

    /// How many faces of the last picture that was looked at are left out, because it shows so many.
    pub(super) fn unjudged_faces(&self) -> u32 {
        self.unjudged_faces
    }

    /// The faces of the next picture, at `time` seconds, and whether it was looked at. It is if `wanted`.
    pub(super) fn next(
        &mut self,
        vision: &mut VisionModels,
        picture: &Picture,
        time: f64,
        wanted: bool,
    ) -> Result<(Vec<FrameFace>, bool), VisionError> {
        let grid = LumaGrid::of(picture, self.block_pixels);
        let change = self.change_since_last_look(&grid);
        if !(wanted || is_new(change) || self.is_look_due(time))
            && let Some(faces) = self.find_known_again(picture)
        {
            return Ok((faces, false));
        }
        if change == LumaChange::Everything {
            // After a cut, somebody in the same place is somebody else.
            self.known.clear();
        }
        let faces = self.look(vision, picture, wanted || is_new(change))?;
        self.last_look = Some((grid, time));
        let further = match change {
            // A new scene: until each of its tiles has been searched.
            LumaChange::Everything => self.scheduler.tile_count(),
            LumaChange::Blocks(_) if is_new(change) => LOOKS_AFTER_CHANGE,
            // A face without contrast would not be found again.
            LumaChange::Blocks(_) => usize::from(self.known.len() < faces.len()),
        };
        self.looks_due = self.looks_due.saturating_sub(1).max(further);
        Ok((faces, true))
    }

    /// Whether a picture at `time` seconds is looked at, whatever it shows.
    fn is_look_due(&self, time: f64) -> bool {
        let is_late = |at: f64| time - at >= MAX_SECONDS_BETWEEN_LOOKS - TIME_ROUNDING_SECONDS;
        self.looks_due > 0 || self.last_look.as_ref().is_none_or(|(_, at)| is_late(*at))
    }

    /// What changed, apart from the known people, who are found again one by one.
    fn change_since_last_look(&self, grid: &LumaGrid) -> LumaChange {
        let Some((earlier, _)) = &self.last_look else { return LumaChange::Everything };
        let people = self.known.iter().map(|known| PictureBox::of_person(&known.face, grid.size()));
        grid.change_since(earlier, &people.collect::<Vec<_>>())
    }

    /// The known faces where they are now; `None` unless each is found.
    fn find_known_again(&mut self, picture: &Picture) -> Option<Vec<FrameFace>> {
        let found: Vec<Face> =
            self.known.iter().map(|known| known.find_again(picture)).collect::<Option<_>>()?;
        let faces = self.known.iter_mut().zip(found).map(|(known, face)| {
            known.face = face;
            known.found_again()
        });
        Some(faces.collect())
    }

    /// Detects the faces of a picture. Where nothing is `new`, a known face that looks as it did is not measured again.
    fn look(
        &mut self,
        vision: &mut VisionModels,
        picture: &Picture,
        new: bool,
    ) -> Result<Vec<FrameFace>, VisionError> {
        let mut still: Vec<KnownFace> = Vec::new();
        for mut known in std::mem::take(&mut self.known) {
            if let Some(face) = known.find_again(picture) {
                known.face = face;
                still.push(known);
            }
        }
        if !new {
            self.scheduler.trust(still.iter().map(|known| known.face).collect());
        }
        let mut faces = vision.detect_in_video(picture, &mut self.scheduler)?;
        self.unjudged_faces = keep_first(&mut faces, MAX_FACES_PER_FRAME);
        let mut seen = Vec::new();
        for face in faces {
            let same = still.iter().position(|known| known.is_at(&face)).map(|at| still.swap_remove(at));
            match same {
                Some(known) if !new => {
                    seen.push(known.found_again());
                    self.known.push(known);
                }
                same => seen.push(self.measure(vision, picture, face, same)?),
            }
        }
        Ok(seen)
    }

    /// Measures a detected face, and embeds it unless it is one that was `known` as clearly.
    fn measure(
        &mut self,
        vision: &mut VisionModels,
        picture: &Picture,
        face: Face,
        known: Option<KnownFace>,
    ) -> Result<FrameFace, VisionError> {
        let quality = VisionModels::assess_quality(picture, &face).score;
        let known = known.filter(|known| quality <= known.embedded_quality * CLEARER_QUALITY_FACTOR);
        if let Some(known) = known {
            let embedding = Some(known.embedding.clone());
            self.known.push(known);
            return Ok(FrameFace { face, embedding, quality });
        }
        let embedding = vision.embed(picture, &face)?;
        if let Some(template) = FaceTemplate::of(picture, &face) {
            let embedding = embedding.clone();
            self.known.push(KnownFace { template, face, embedding, embedded_quality: quality });
        }
        Ok(FrameFace { face, embedding: Some(embedding), quality })
    }
}

/// Whether so much changed that somebody may have appeared.
fn is_new(change: LumaChange) -> bool {
    match change {
        LumaChange::Blocks(blocks) => blocks >= MIN_CHANGED_BLOCKS,
        LumaChange::Everything => true,
    }
}

impl KnownFace {
    /// Where the face is in the next picture, if it looks there as it did when it was embedded.
    fn find_again(&self, picture: &Picture) -> Option<Face> {
        let found = self.template.find(picture, &self.face)?;
        (found.similarity >= MIN_SAME_FACE_SIMILARITY).then_some(found.face)
    }

    /// The face in a picture in which it was found again.
    fn found_again(&self) -> FrameFace {
        // Of quality 0: its place is known, but the picture does not replace one in which it was measured.
        FrameFace { face: self.face, embedding: Some(self.embedding.clone()), quality: 0.0 }
    }

    /// Whether a detected face is in the same place.
    fn is_at(&self, face: &Face) -> bool {
        let centre =
            |face: &Face| [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)];
        let ([x, y], [to_x, to_y]) = (centre(&self.face), centre(face));
        (x - to_x).abs().max((y - to_y).abs()) < face.width().max(face.height()) / 4.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 640;
    const HEIGHT: u32 = 360;

    /// A grey picture with a striped square of 80 pixels, which stands for a face, and a bright one of 60 pixels, if wanted.
    fn picture(face: [u32; 2], stripe_pixels: u32, other: Option<[u32; 2]>) -> Picture {
        let mut rgb = Vec::new();
        for (y, x) in (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (y, x))) {
            let within = |[left, top]: [u32; 2], side: u32| {
                (left..left + side).contains(&x) && (top..top + side).contains(&y)
            };
            let level = match other {
                _ if within(face, 80) => 60 + (x - face[0]) / stripe_pixels % 2 * 100,
                Some(other) if within(other, 60) => 200,
                _ => 110,
            };
            rgb.extend([level as u8; 3]);
        }
        Picture::new(WIDTH, HEIGHT, rgb).unwrap()
    }

    fn face([left, top]: [f32; 2]) -> Face {
        Face { left, top, right: left + 80.0, bottom: top + 80.0, score: 0.9, points: [[left, top]; 6] }
    }

    /// What is known after a look, at 10 seconds, at a face at 300, 100.
    fn after_a_look() -> AdaptiveLooks {
        let (seen, face) = (picture([300, 100], 20, None), face([300.0, 100.0]));
        let mut looks = AdaptiveLooks::new(40.0);
        let template = FaceTemplate::of(&seen, &face).unwrap();
        looks.known.push(KnownFace { template, face, embedding: vec![1.0], embedded_quality: 0.5 });
        looks.last_look = Some((LumaGrid::of(&seen, looks.block_pixels), 10.0));
        looks
    }

    fn change(looks: &AdaptiveLooks, picture: &Picture) -> LumaChange {
        looks.change_since_last_look(&LumaGrid::of(picture, looks.block_pixels))
    }

    #[test]
    fn a_look_is_due_after_a_second_and_after_something_new() {
        let mut looks = after_a_look();
        assert!(!looks.is_look_due(10.5) && looks.is_look_due(11.0));
        looks.looks_due = 1;
        assert!(looks.is_look_due(10.5));
        assert!(AdaptiveLooks::new(40.0).is_look_due(0.0), "the first picture is looked at");
    }

    #[test]
    fn a_face_that_moves_is_found_again_without_a_look() {
        let mut looks = after_a_look();
        let moved = picture([312, 108], 20, None);
        assert!(!is_new(change(&looks, &moved)), "{:?}", change(&looks, &moved));
        let found = looks.find_known_again(&moved).unwrap();
        let [found] = &found[..] else { panic!("{found:?}") };
        assert!((found.face.left - 312.0).abs() < 4.0 && (found.face.top - 108.0).abs() < 4.0, "{found:?}");
        assert_eq!((found.quality, &found.embedding), (0.0, &Some(vec![1.0])));
        assert_eq!(looks.known[0].face, found.face, "it is searched for there next");
    }

    #[test]
    fn somebody_else_in_the_same_place_is_not_the_face() {
        let other = picture([300, 100], 8, None);
        let mut looks = after_a_look();
        assert!(!is_new(change(&looks, &other)), "the person's own place does not count");
        assert!(looks.find_known_again(&other).is_none());
        let gone = picture([0, 0], 20, None);
        assert!(looks.find_known_again(&gone).is_none());
    }

    #[test]
    fn somebody_who_appears_elsewhere_is_new() {
        let looks = after_a_look();
        let beside = picture([300, 100], 20, Some([40, 200]));
        assert!(is_new(change(&looks, &beside)), "{:?}", change(&looks, &beside));
        let unknown = AdaptiveLooks::new(40.0);
        assert_eq!(change(&unknown, &beside), LumaChange::Everything);
    }
}
