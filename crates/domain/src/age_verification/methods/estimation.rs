//! `age_estimation`: a photo, or frames with the moves that were asked for; liveness by level; the age with how sure it is.

use super::{
    AttemptContext, AttemptStep, HeadMovement, InputProblem, SECURE_CAPTURE_PATH, StepOutcome, StepPrompt,
    TurnInput,
};
use crate::{
    age_verification::{
        AgeSessionError, AgeVerificationService, decision,
        session::AgeMethodVerdict,
        types::{AgeFailureReason, InputProblemCode, LivenessLevel},
    },
    image_analysis::{
        AnalysisError, AnalysisRequest as Question, FaceErrorCode, LivenessAssurance, LivenessPrediction,
    },
};
use media::image_validation;
use serde_json::{Value, json};
use vision::{
    challenge::{ChallengeKind, ChallengeMove, FrameObservation, LivenessChallenge, MAX_FRAMES},
    embedding_distance,
};

/// The age that a sandbox sees in every photo, years.
const SANDBOX_AGE_YEARS: i64 = 30;
/// Bytes of a photo, and of a frame.
const MAX_PHOTO_BYTES: usize = 4 << 20;
const MAX_FRAME_BYTES: usize = 512 << 10;
/// Frames that are looked at: eight seconds, three a second.
const MAX_ANALYSED_FRAMES: usize = if MAX_FRAMES < 24 { MAX_FRAMES } else { 24 };
/// Milliseconds between frames, where the page does not say when it took them.
const FRAME_INTERVAL_MS: f64 = 300.0;
/// The share of strangers who may pass for the person that began.
const SAME_PERSON_FMR: f64 = 1e-3;

/// What a photo came to.
enum PhotoFinding {
    /// This age.
    Age(vision::AgeEstimate),
    /// No live face.
    Spoof,
    /// Something that another photo may mend.
    Retry(InputProblemCode),
}

impl AgeVerificationService {
    pub(super) fn open_estimation(&self, at: AttemptContext<'_>) -> StepOutcome {
        let challenge = (at.block.level == LivenessLevel::Active)
            .then(|| LivenessChallenge::random(&*self.0.world, ChallengeKind::Turn));
        StepOutcome::Prompt(capture_prompt(at, challenge))
    }

    pub(super) async fn estimate_age(
        &self,
        at: AttemptContext<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let again =
            |code| Ok(StepOutcome::Prompt(self.retry_prompt(at).with_problem(InputProblem::new(code))));
        let image = decode_picture(input.photo.as_deref(), "img", MAX_PHOTO_BYTES)?;
        if at.session.sandbox {
            return Ok(StepOutcome::Finished(sandbox_verdict(at)));
        }
        let capture = input.secure.clone().unwrap_or_default();
        let multiframe = at.block.level == LivenessLevel::Active;
        let vouched =
            self.0.secure_capture.verify(&*self.0.world, at.session.app, &capture, &image, multiframe);
        if let Err(untrusted) = vouched {
            tracing::debug!(error = &untrusted as &dyn std::error::Error, "a capture is not trusted");
            return again(InputProblemCode::TryAgain);
        }
        if multiframe {
            let challenge: Option<LivenessChallenge> = serde_json::from_value(held).ok();
            let Some(challenge) = challenge else { return Err(AgeSessionError::StaleContinuation) };
            match self.check_head_movements(&challenge, &image, input).await? {
                Some(true) => {}
                Some(false) => {
                    return Ok(StepOutcome::Finished(AgeMethodVerdict::Undecided {
                        code: AgeFailureReason::ChallengeNotMet,
                    }));
                }
                None => return again(InputProblemCode::UnusableImage),
            }
        }
        match self.analyse_photo(image, at.block.level).await? {
            PhotoFinding::Age(estimate) => {
                let verdict = decision::decide_from_estimate(
                    &at.session.wanted,
                    at.block,
                    &estimate,
                    self.0.settings.min_confidence,
                );
                Ok(StepOutcome::Finished(verdict))
            }
            PhotoFinding::Spoof => Ok(StepOutcome::Finished(AgeMethodVerdict::Undecided {
                code: AgeFailureReason::LivenessNotProven,
            })),
            PhotoFinding::Retry(code) => again(code),
        }
    }

    /// The same step again; a challenge is chosen anew each time.
    fn retry_prompt(&self, at: AttemptContext<'_>) -> StepPrompt {
        let challenge = (at.block.level == LivenessLevel::Active)
            .then(|| LivenessChallenge::random(&*self.0.world, ChallengeKind::Turn));
        capture_prompt(at, challenge)
    }

    async fn analyse_photo(
        &self,
        image: Vec<u8>,
        level: LivenessLevel,
    ) -> Result<PhotoFinding, AgeSessionError> {
        let liveness = (level != LivenessLevel::None).then_some(LivenessAssurance::Medium);
        match self.0.estimator.analyse(Question { image, relaxed: true, age: true, liveness }).await {
            Ok(finding) => {
                let spoof =
                    finding.liveness.is_some_and(|liveness| liveness.prediction != LivenessPrediction::Real);
                Ok(match finding.age {
                    _ if spoof => PhotoFinding::Spoof,
                    Some(age) => PhotoFinding::Age(age),
                    None => PhotoFinding::Retry(InputProblemCode::TryAgain),
                })
            }
            Err(AnalysisError::Face(problem)) => Ok(PhotoFinding::Retry(face_problem_code(problem.code))),
            Err(AnalysisError::Image(_)) => Ok(PhotoFinding::Retry(InputProblemCode::UnusableImage)),
            Err(refusal) => Err(AgeSessionError::ImageAnalysis(refusal)),
        }
    }

    /// Whether frames show the moves that were asked for, made by whom the photo shows; nothing where they cannot be looked
    /// at.
    async fn check_head_movements(
        &self,
        challenge: &LivenessChallenge,
        photo: &[u8],
        input: &TurnInput,
    ) -> Result<Option<bool>, AgeSessionError> {
        let frames =
            input.frames.as_ref().ok_or_else(|| AgeSessionError::invalid("frames", "a list is expected"))?;
        if frames.len() > MAX_ANALYSED_FRAMES {
            let words = format!("it has {} items, at most {MAX_ANALYSED_FRAMES} are looked at", frames.len());
            return Err(AgeSessionError::invalid("frames", words));
        }
        let times = input.frame_times_ms.as_deref().unwrap_or_default();
        let mut pictures = Vec::with_capacity(frames.len());
        for (number, frame) in frames.iter().enumerate() {
            let bytes = decode_picture(Some(frame), &format!("frames[{number}]"), MAX_FRAME_BYTES)?;
            let time = times.get(number).copied();
            pictures.push((bytes, time.unwrap_or(number as f64 * FRAME_INTERVAL_MS) / 1000.0));
        }
        let (challenge, photo) = (challenge.clone(), photo.to_vec());
        let now = self.0.world.now();
        let looked = self.0.estimator.run(move |vision| {
            let rules = image_validation::ImageLimits::default().relaxed();
            let mut look = |bytes: &[u8], time| {
                let header = image_validation::inspect(bytes, &rules).ok()?;
                let picture = image_validation::decode(bytes, &header, &rules).ok()?;
                FrameObservation::of(vision, &picture, time).ok()
            };
            let seen = pictures.iter().map(|(bytes, time)| look(bytes, *time)).collect::<Option<Vec<_>>>()?;
            let shown = look(&photo, 0.0)?;
            let same = vision.embedding_space().distance_at(SAME_PERSON_FMR)?;
            let verdict = challenge.verify(&seen, same, now);
            // The age is that of the photo, so whoever moves must be in it.
            let ahead = verdict.portrait.and_then(|at| seen.get(at)).and_then(|one| one.embedding.as_ref());
            let alike = ahead
                .zip(shown.embedding.as_ref())
                .is_some_and(|(ahead, own)| embedding_distance(ahead, own) <= same);
            Some(verdict.passed && alike)
        });
        looked.await.map_err(AgeSessionError::ImageAnalysis)
    }
}

fn capture_prompt(at: AttemptContext<'_>, challenge: Option<LivenessChallenge>) -> StepPrompt {
    match challenge {
        Some(challenge) => {
            let movement = |turn: &ChallengeMove| match turn {
                ChallengeMove::Left => HeadMovement::Left,
                ChallengeMove::Right => HeadMovement::Right,
                ChallengeMove::Up => HeadMovement::Up,
                ChallengeMove::Nearer => HeadMovement::Nearer,
                ChallengeMove::Farther => HeadMovement::Farther,
            };
            let moves = challenge.moves.iter().map(movement).collect();
            StepPrompt::new(
                AttemptStep::Frames { moves, capture_path: SECURE_CAPTURE_PATH },
                json!(challenge),
            )
        }
        None => StepPrompt::new(
            AttemptStep::Camera { level: at.block.level, capture_path: SECURE_CAPTURE_PATH },
            Value::Null,
        ),
    }
}

/// A sandbox needs no models: whoever is in the picture is thirty.
fn sandbox_verdict(at: AttemptContext<'_>) -> AgeMethodVerdict {
    let today = at.session.created_at.to_zoned(jiff::tz::TimeZone::UTC).date();
    let born = today.saturating_sub(jiff::Span::new().years(SANDBOX_AGE_YEARS));
    decision::decide_from_evidence(
        age_methods::AgeAttribute::DateOfBirth(born),
        &at.session.wanted,
        at.block,
        today,
        None,
    )
}

/// The bytes of a picture in base64.
fn decode_picture(text: Option<&str>, path: &str, most: usize) -> Result<Vec<u8>, AgeSessionError> {
    let text = text.ok_or_else(|| AgeSessionError::invalid(path, "base64 of a JPEG picture is expected"))?;
    if text.len() > most / 3 * 4 + 4 {
        let words = format!("it has {} characters; a picture of at most {most} bytes is taken", text.len());
        return Err(AgeSessionError::invalid(path, words));
    }
    base64_simd::STANDARD.decode_to_vec(text).map_err(|_| AgeSessionError::invalid(path, "it is no base64"))
}

/// What people can do about their picture.
fn face_problem_code(code: FaceErrorCode) -> InputProblemCode {
    match code {
        FaceErrorCode::NotFound => InputProblemCode::NoFace,
        FaceErrorCode::Multiple => InputProblemCode::SeveralFaces,
        FaceErrorCode::BoxTooSmall | FaceErrorCode::RatioTooLow => InputProblemCode::FaceTooSmall,
        FaceErrorCode::TooBright => InputProblemCode::TooBright,
        FaceErrorCode::TooDark => InputProblemCode::TooDark,
        FaceErrorCode::RatioTooHigh | FaceErrorCode::MarginTooSmall => InputProblemCode::NotCentred,
    }
}
