//! `age_estimation`: the age is estimated from a photo, together with its uncertainty. The level decides whether the
//! photo, or also frames of requested head movements, must show a live person.

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, HeadMovement, InputProblem, SECURE_CAPTURE_PATH,
    StepFuture, StepOutcome, StepPrompt, TurnInput, ready, undecided,
};
use crate::{
    age_verification::{
        AgeSessionError,
        attempt_budgets::AttemptBudgets,
        decision::decide_from_estimate,
        session::EstimatedAge,
        types::{AgeFailureReason, InputProblemCode, LivenessLevel},
    },
    image_analysis::{
        AnalysisError, AnalysisRequest, FaceErrorCode, ImageAnalyser, LivenessAssurance, LivenessPrediction,
    },
    secure_capture::{CaptureScope, SecureCapture},
};
use base::{AppId, Environment};
use media::image_validation;
use serde_json::{Value, json};
use std::sync::Arc;
use vision::{
    AgeEstimate,
    challenge::{ChallengeKind, ChallengeMove, FrameObservation, LivenessChallenge, MAX_FRAMES},
    embedding_distance,
};

/// The estimate of every photo in the sandbox, which uses no models.
const SANDBOX_ESTIMATE: AgeEstimate =
    AgeEstimate { years: 30.0, st_dev: 1.0, low80: 28.72, high80: 31.28, spread: 0.0 };
/// The maximum size of a photo.
const MAX_PHOTO_BYTES: usize = 4 << 20;
/// The maximum size of a frame.
const MAX_FRAME_BYTES: usize = 512 << 10;
/// Frames that are analysed: eight seconds at three a second.
const MAX_ANALYSED_FRAMES: usize = if MAX_FRAMES < 24 { MAX_FRAMES } else { 24 };
/// Milliseconds between frames, if the page does not say when it took them.
const FRAME_INTERVAL_MS: f64 = 300.0;
/// False match rate at which the photo and the frames must show the same person.
const SAME_PERSON_FMR: f64 = 1e-3;

#[derive(Debug)]
pub(in crate::age_verification) struct EstimationMethod {
    environment: Arc<dyn Environment>,
    secure_capture: SecureCapture,
    analyser: ImageAnalyser,
    budgets: Arc<AttemptBudgets>,
}

/// What a photo shows.
enum PhotoFinding {
    Age(AgeEstimate),
    /// The face is not live.
    Spoof,
    /// Another photo may do.
    Retry(InputProblemCode),
}

impl AgeMethodHandler for EstimationMethod {
    /// It needs no provider.
    fn is_available(&self) -> bool {
        true
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        ready(StepOutcome::Prompt(self.prompt(context)))
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(self.estimate_age(context, continuation, input))
    }
}

impl EstimationMethod {
    pub(in crate::age_verification) fn new(
        environment: Arc<dyn Environment>,
        secure_capture: SecureCapture,
        analyser: ImageAnalyser,
        budgets: Arc<AttemptBudgets>,
    ) -> Self {
        Self { environment, secure_capture, analyser, budgets }
    }

    /// Asks for a photo, at the level ACTIVE with a new random challenge.
    pub(super) fn prompt(&self, context: AttemptContext<'_>) -> StepPrompt {
        if context.config.level != LivenessLevel::Active {
            let step = AttemptStep::Camera { level: context.config.level, capture_path: SECURE_CAPTURE_PATH };
            return StepPrompt::new(step, Value::Null);
        }
        let challenge = LivenessChallenge::random(&*self.environment, ChallengeKind::Turn);
        let moves = challenge.moves.iter().copied().map(head_movement).collect();
        StepPrompt::new(AttemptStep::Frames { moves, capture_path: SECURE_CAPTURE_PATH }, json!(challenge))
    }

    pub(super) async fn estimate_age(
        &self,
        context: AttemptContext<'_>,
        continuation: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let retry =
            |code| Ok(StepOutcome::Prompt(self.prompt(context).with_problem(InputProblem::new(code))));
        let image = decode_picture(input.photo.as_deref(), "img", MAX_PHOTO_BYTES)?;
        if context.session.sandbox {
            return Ok(evaluate_estimate(context, &SANDBOX_ESTIMATE));
        }
        let capture = input.secure.clone().unwrap_or_default();
        let is_active = context.config.level == LivenessLevel::Active;
        let scope = CaptureScope {
            app: context.session.app,
            session: Some(context.session.id),
            multiframe: is_active,
        };
        let verified = match self.secure_capture.verify(&*self.environment, scope, &capture, &image) {
            Ok(verified) => verified,
            Err(untrusted) => {
                tracing::debug!(error = &untrusted as &dyn std::error::Error, "a capture is not trusted");
                return retry(InputProblemCode::TryAgain);
            }
        };
        if is_active {
            let challenge: Option<LivenessChallenge> = serde_json::from_value(continuation).ok();
            let challenge = challenge.ok_or(AgeSessionError::StaleContinuation)?;
            // A phone that slept, or a person who is slow, says nothing about an age: other movements are asked for.
            if challenge.expires_at < self.environment.now() {
                return retry(InputProblemCode::TryAgain);
            }
            match self.check_head_movements(context.session.app, &challenge, &image, input).await? {
                Some(true) => {}
                Some(false) => return Ok(undecided(AgeFailureReason::ChallengeNotMet)),
                None => return retry(InputProblemCode::UnusableImage),
            }
        }
        let finding = self.analyse_photo(context.session.app, image, context.config.level).await?;
        // Only now: a turn that failed because the server was busy may be repeated as it is.
        if !self.budgets.use_capture_token(verified.id, verified.expires_at).await? {
            tracing::debug!("a token of secure capture was used before");
            return retry(InputProblemCode::TryAgain);
        }
        match finding {
            PhotoFinding::Age(estimate) => Ok(evaluate_estimate(context, &estimate)),
            PhotoFinding::Spoof => Ok(undecided(AgeFailureReason::LivenessNotProven)),
            PhotoFinding::Retry(code) => retry(code),
        }
    }

    async fn analyse_photo(
        &self,
        app: AppId,
        image: Vec<u8>,
        level: LivenessLevel,
    ) -> Result<PhotoFinding, AgeSessionError> {
        let liveness = (level != LivenessLevel::None).then_some(LivenessAssurance::Medium);
        // A relaxed image says nothing about liveness.
        let relaxed = liveness.is_none();
        match self
            .analyser
            .for_application(app)
            .analyse(AnalysisRequest { image, relaxed, age: true, liveness, sharpness: false })
            .await
        {
            Ok(finding) => {
                let is_spoof =
                    finding.liveness.is_some_and(|liveness| liveness.prediction != LivenessPrediction::Real);
                Ok(match finding.age {
                    _ if is_spoof => PhotoFinding::Spoof,
                    Some(age) => PhotoFinding::Age(age),
                    None => PhotoFinding::Retry(InputProblemCode::TryAgain),
                })
            }
            Err(AnalysisError::Face(problem)) => Ok(PhotoFinding::Retry(face_problem_code(problem.code))),
            Err(AnalysisError::Image(_)) => Ok(PhotoFinding::Retry(InputProblemCode::UnusableImage)),
            Err(error) => Err(AgeSessionError::ImageAnalysis(error)),
        }
    }

    /// Whether the frames show the requested head movements, made by the person in the photo. `None` if a picture
    /// cannot be analysed.
    async fn check_head_movements(
        &self,
        app: AppId,
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
        let mut timed_frames = Vec::with_capacity(frames.len());
        for (number, frame) in frames.iter().enumerate() {
            let bytes = decode_picture(Some(frame), &format!("frames[{number}]"), MAX_FRAME_BYTES)?;
            let time = times.get(number).copied();
            timed_frames.push((bytes, time.unwrap_or(number as f64 * FRAME_INTERVAL_MS) / 1000.0));
        }
        let (challenge, photo) = (challenge.clone(), photo.to_vec());
        let now = self.environment.now();
        let limits = self.analyser.image_limits().relaxed();
        let analyser = self.analyser.for_application(app);
        let analysis = analyser.run(move |vision| {
            let mut observe = |bytes: &[u8], seconds| {
                let header = image_validation::inspect(bytes, &limits).ok()?;
                let picture = image_validation::decode(bytes, &header, &limits).ok()?;
                FrameObservation::of(vision, &picture, seconds).ok()
            };
            let observations = timed_frames
                .iter()
                .map(|(bytes, seconds)| observe(bytes, *seconds))
                .collect::<Option<Vec<_>>>()?;
            let portrait = observe(&photo, 0.0)?;
            let max_distance = vision.embedding_space().ok()?.distance_at(SAME_PERSON_FMR)?;
            let verdict = challenge.verify(&observations, max_distance, now);
            // The age is estimated from the photo, so the frames must show the same person.
            let frontal = verdict.portrait.and_then(|at| observations.get(at));
            let is_same_person = frontal
                .and_then(|observation| observation.embedding.as_ref())
                .zip(portrait.embedding.as_ref())
                .is_some_and(|(frame, photo)| embedding_distance(frame, photo) <= max_distance);
            Some(verdict.passed && is_same_person)
        });
        analysis.await.map_err(AgeSessionError::ImageAnalysis)
    }
}

fn head_movement(movement: ChallengeMove) -> HeadMovement {
    match movement {
        ChallengeMove::Left => HeadMovement::Left,
        ChallengeMove::Right => HeadMovement::Right,
        ChallengeMove::Up => HeadMovement::Up,
        ChallengeMove::Nearer => HeadMovement::Nearer,
        ChallengeMove::Farther => HeadMovement::Farther,
    }
}

/// What follows from an estimate.
fn evaluate_estimate(context: AttemptContext<'_>, estimate: &AgeEstimate) -> StepOutcome {
    StepOutcome::Estimated {
        verdict: decide_from_estimate(&context.session.wanted, context.config, estimate),
        estimate: EstimatedAge { years: estimate.years, low: estimate.low80, high: estimate.high80 },
    }
}

/// The bytes of a picture in base64.
fn decode_picture(text: Option<&str>, path: &str, max_bytes: usize) -> Result<Vec<u8>, AgeSessionError> {
    let text = text.ok_or_else(|| AgeSessionError::invalid(path, "base64 of a JPEG picture is expected"))?;
    if text.len() > max_bytes / 3 * 4 + 4 {
        let message =
            format!("it has {} characters; a picture of at most {max_bytes} bytes is taken", text.len());
        return Err(AgeSessionError::invalid(path, message));
    }
    base64_simd::STANDARD.decode_to_vec(text).map_err(|_| AgeSessionError::invalid(path, "it is not base64"))
}

/// What the end user can correct about their photo.
fn face_problem_code(code: FaceErrorCode) -> InputProblemCode {
    match code {
        FaceErrorCode::NotFound => InputProblemCode::NoFace,
        FaceErrorCode::Multiple => InputProblemCode::SeveralFaces,
        FaceErrorCode::BoxTooSmall | FaceErrorCode::RatioTooLow => InputProblemCode::FaceTooSmall,
        FaceErrorCode::TooBright => InputProblemCode::TooBright,
        FaceErrorCode::TooDark => InputProblemCode::TooDark,
        FaceErrorCode::Covered => InputProblemCode::FaceCovered,
        FaceErrorCode::RatioTooHigh | FaceErrorCode::MarginTooSmall => InputProblemCode::NotCentred,
    }
}
