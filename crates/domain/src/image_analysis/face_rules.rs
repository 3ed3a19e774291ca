//! Limits on the face of a picture: size, position, light.

use base::{LimitViolation, PictureSize};
use vision::{CaptureQuality, Face};

/// Limits on the face; the section `[face]`. Relaxed mode halves those on size and position, and checks neither light nor
/// what covers the face.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct FaceRules {
    /// The shorter side of the face box, pixels, at least.
    pub min_box: f32,
    /// Area of the face box as a share of the image, 0 to 1, at least.
    pub min_ratio: f32,
    /// Area of the face box as a share of the image, 0 to 1, at most.
    pub max_ratio: f32,
    /// Distance between the face box and the nearest edge of the image, as a share of the box's longer side, at least.
    pub min_margin: f32,
    /// Mean luma over the face, 0 to 255, at least. `None`: not checked.
    pub min_luma: Option<f32>,
    /// Mean luma over the face, 0 to 255, at most. `None`: not checked.
    pub max_luma: Option<f32>,
    /// Probability that something is before the mouth or the nose, 0 to 1, at most. `None`: not checked.
    pub max_covered: Option<f32>,
}

impl Default for FaceRules {
    fn default() -> Self {
        Self {
            min_box: 80.0,
            min_ratio: 0.02,
            max_ratio: 0.9,
            min_margin: 0.05,
            min_luma: Some(40.0),
            max_luma: Some(215.0),
            max_covered: Some(0.5),
        }
    }
}

/// Which limit a face breaks; the interfaces map it to their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceErrorCode {
    /// No face was found.
    NotFound,
    /// More than one face was found.
    Multiple,
    /// The face box has too few pixels.
    BoxTooSmall,
    /// The face fills too little of the image.
    RatioTooLow,
    /// The face fills too much of the image.
    RatioTooHigh,
    /// The face is too close to the edge of the image.
    MarginTooSmall,
    /// Too much light on the face.
    TooBright,
    /// Too little light on the face.
    TooDark,
    /// Something is before the mouth or the nose.
    Covered,
}

/// Why a face is refused, with what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceError {
    pub code: FaceErrorCode,
    pub measured: LimitViolation,
}

impl FaceRules {
    /// These rules with every limit on size and position halved, and without the others.
    #[must_use]
    pub fn relaxed(&self) -> Self {
        Self {
            min_box: self.min_box / 2.0,
            min_ratio: self.min_ratio / 2.0,
            // The upper limit keeps a part of the image free; relaxed, half that part.
            max_ratio: 1.0 - (1.0 - self.max_ratio) / 2.0,
            min_margin: self.min_margin / 2.0,
            min_luma: None,
            max_luma: None,
            max_covered: None,
        }
    }

    /// Checks size, position and light of the face, in the order of the codes in the interface's error table. `luma` is
    /// the mean over the face, 0 to 255.
    pub fn check(&self, face: &Face, image: PictureSize, luma: f32) -> Result<(), FaceError> {
        let refuse = |code, measured: f32, limit: String, hint| {
            Err(FaceError { code, measured: LimitViolation::new(measured, limit, hint) })
        };
        let side = face.width().min(face.height());
        if side < self.min_box {
            let limit = format!("at least {} pixels on the shorter side of the face", self.min_box);
            return refuse(
                FaceErrorCode::BoxTooSmall,
                side,
                limit,
                "move closer to the camera or use a larger picture",
            );
        }
        let (width, height) = (image.width as f32, image.height as f32);
        let inside = (face.right.min(width) - face.left.max(0.0)).max(0.0)
            * (face.bottom.min(height) - face.top.max(0.0)).max(0.0);
        let ratio = inside / (width * height);
        if ratio < self.min_ratio {
            let limit = format!("the face fills at least {} of the image", self.min_ratio);
            return refuse(FaceErrorCode::RatioTooLow, ratio, limit, "move closer to the camera");
        }
        if ratio > self.max_ratio {
            let limit = format!("the face fills at most {} of the image", self.max_ratio);
            return refuse(FaceErrorCode::RatioTooHigh, ratio, limit, "move away from the camera");
        }
        let room = face.left.min(face.top).min(width - face.right).min(height - face.bottom);
        let margin = room / face.width().max(face.height());
        if margin < self.min_margin {
            let limit =
                format!("at least {} of the face's longer side free around the face", self.min_margin);
            return refuse(
                FaceErrorCode::MarginTooSmall,
                margin,
                limit,
                "centre the face and leave room around it",
            );
        }
        self.check_light(luma)
    }

    /// Checks the light alone. `luma` is the mean, 0 to 255.
    pub fn check_light(&self, luma: f32) -> Result<(), FaceError> {
        if let Some(max) = self.max_luma.filter(|&max| luma > max) {
            let measured = LimitViolation::new(
                luma,
                format!("mean luma at most {max}"),
                "turn away from the light or dim it",
            );
            return Err(FaceError { code: FaceErrorCode::TooBright, measured });
        }
        if let Some(min) = self.min_luma.filter(|&min| luma < min) {
            let measured = LimitViolation::new(
                luma,
                format!("mean luma at least {min}"),
                "face the light or add more of it",
            );
            return Err(FaceError { code: FaceErrorCode::TooDark, measured });
        }
        Ok(())
    }

    /// Checks that mouth and nose are to be seen.
    pub fn check_capture(&self, capture: &CaptureQuality) -> Result<(), FaceError> {
        let covered = capture.mouth_covered.max(capture.nose_covered);
        match self.max_covered {
            Some(max) if covered > max => {
                let part =
                    if capture.nose_covered >= capture.mouth_covered { "the nose" } else { "the mouth" };
                let limit = format!("a probability of at most {max} that {part} is covered");
                let hint = "take off the mask or the scarf, and show the whole face";
                let measured = LimitViolation::new(covered, limit, hint);
                Err(FaceError { code: FaceErrorCode::Covered, measured })
            }
            _ => Ok(()),
        }
    }
}

/// The error for a picture without a face.
pub(super) fn no_face() -> FaceError {
    let measured = LimitViolation::new(0.0, "exactly 1 face", "show one face, upright, facing the camera");
    FaceError { code: FaceErrorCode::NotFound, measured }
}

/// The error for a picture with several faces.
pub(super) fn multiple_faces(faces: usize) -> FaceError {
    let measured =
        LimitViolation::new(faces as f64, "exactly 1 face", "leave only one person in the picture");
    FaceError { code: FaceErrorCode::Multiple, measured }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: PictureSize = PictureSize { width: 600, height: 800 };

    fn face(left: f32, top: f32, right: f32, bottom: f32) -> Face {
        Face { left, top, right, bottom, score: 0.9, points: [[0.0; 2]; 6] }
    }

    #[test]
    fn each_limit_has_its_code_and_reports_what_was_measured() {
        let good = face(200.0, 300.0, 400.0, 500.0);
        let rules = FaceRules::default();
        assert_eq!(rules.check(&good, IMAGE, 120.0), Ok(()));
        for (bad, luma, code, measured) in [
            (face(200.0, 300.0, 279.0, 400.0), 120.0, FaceErrorCode::BoxTooSmall, 79.0),
            (face(200.0, 300.0, 290.0, 400.0), 120.0, FaceErrorCode::RatioTooLow, 0.0188),
            (face(-5.0, -5.0, 605.0, 805.0), 120.0, FaceErrorCode::RatioTooHigh, 1.0),
            (face(5.0, 300.0, 205.0, 500.0), 120.0, FaceErrorCode::MarginTooSmall, 0.025),
            (good, 216.0, FaceErrorCode::TooBright, 216.0),
            (good, 39.0, FaceErrorCode::TooDark, 39.0),
        ] {
            let error = rules.check(&bad, IMAGE, luma).unwrap_err();
            assert_eq!((error.code, error.measured.measured), (code, measured));
        }
    }

    #[test]
    fn mouth_and_nose_must_be_seen() {
        let seen = CaptureQuality { eyes_covered: 1.0, blur: 9.0, noise: 9.0, ..CaptureQuality::default() };
        let masked = CaptureQuality { mouth_covered: 0.9, nose_covered: 0.75, ..seen };
        let rules = FaceRules::default();
        assert_eq!(rules.check_capture(&seen), Ok(()));
        let error = rules.check_capture(&masked).unwrap_err();
        assert_eq!(error.code, FaceErrorCode::Covered);
        assert!(error.measured.limit.contains("the mouth"), "{}", error.measured.limit);
        assert_eq!(rules.relaxed().check_capture(&masked), Ok(()));
    }

    #[test]
    fn relaxed_halves_the_limits_and_ignores_light() {
        let rules = FaceRules::default().relaxed();
        assert_eq!(rules.check(&face(200.0, 300.0, 270.0, 370.0), IMAGE, 10.0), Ok(()));
        assert!(rules.check(&face(200.0, 300.0, 239.0, 370.0), IMAGE, 10.0).is_err());
    }
}
