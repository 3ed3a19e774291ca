//! `age_estimation`: a photo, or frames with the moves that were asked for; liveness by level; the age with how sure it is.

use super::{Ask, At, CAPTURE, HeadMovement, InputProblem, Next, Step, TurnInput};
use crate::{
    ages::{
        Ages, NotDone, judge,
        session::Verdict,
        words::{AgeFailureReason, InputProblemCode, LivenessLevel},
    },
    estimate::{Ask as Question, Assurance, FaceCode, Prediction, Refusal},
};
use media::gate;
use serde_json::{Value, json};
use vision::{
    challenge::{Challenge, Kind, MOST_FRAMES, Move, Observation},
    distance,
};

/// The age that a sandbox sees in every photo, years.
const SANDBOX_AGE: i64 = 30;
/// Bytes of a photo, and of a frame.
const MOST_BYTES: usize = 4 << 20;
const MOST_FRAME_BYTES: usize = 512 << 10;
/// Frames that are looked at: eight seconds, three a second.
const FRAMES: usize = if MOST_FRAMES < 24 { MOST_FRAMES } else { 24 };
/// Milliseconds between frames, where the page does not say when it took them.
const BETWEEN_MS: f64 = 300.0;
/// The share of strangers who may pass for the person that began.
const SAME_FMR: f64 = 1e-3;

/// What a photo came to.
enum Looked {
    /// This age.
    Age(vision::AgeEstimate),
    /// No live face.
    Spoof,
    /// Something that another photo may mend.
    Again(InputProblemCode),
}

impl Ages {
    pub(super) fn open_estimation(&self, at: At<'_>) -> Next {
        let challenge =
            (at.block.level == LivenessLevel::Active).then(|| Challenge::choose(&*self.0.world, Kind::Turn));
        Next::Ask(ask(at, challenge))
    }

    pub(super) async fn estimate_age(
        &self,
        at: At<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<Next, NotDone> {
        let again = |code| Ok(Next::Ask(self.again(at).because(InputProblem::new(code))));
        let image = picture(input.photo.as_deref(), "img", MOST_BYTES)?;
        if at.session.sandbox {
            return Ok(Next::End(sandbox(at)));
        }
        let capture = input.secure.clone().unwrap_or_default();
        let multiframe = at.block.level == LivenessLevel::Active;
        let vouched =
            self.0.secure_capture.check(&*self.0.world, at.session.app, &capture, &image, multiframe);
        if let Err(untrusted) = vouched {
            tracing::debug!("a capture is not trusted: {untrusted}");
            return again(InputProblemCode::TryAgain);
        }
        if multiframe {
            let challenge: Option<Challenge> = serde_json::from_value(held).ok();
            let Some(challenge) = challenge else { return Err(NotDone::Stale) };
            match self.answers(&challenge, &image, input).await? {
                Some(true) => {}
                Some(false) => {
                    return Ok(Next::End(Verdict::Undecided { code: AgeFailureReason::ChallengeNotMet }));
                }
                None => return again(InputProblemCode::UnusableImage),
            }
        }
        match self.look(image, at.block.level).await? {
            Looked::Age(estimate) => {
                let verdict = judge::estimate(&at.session.wanted, at.block, &estimate, self.0.settings.sure);
                Ok(Next::End(verdict))
            }
            Looked::Spoof => Ok(Next::End(Verdict::Undecided { code: AgeFailureReason::LivenessNotProven })),
            Looked::Again(code) => again(code),
        }
    }

    /// The same step again; a challenge is chosen anew each time.
    fn again(&self, at: At<'_>) -> Ask {
        let challenge =
            (at.block.level == LivenessLevel::Active).then(|| Challenge::choose(&*self.0.world, Kind::Turn));
        ask(at, challenge)
    }

    async fn look(&self, image: Vec<u8>, level: LivenessLevel) -> Result<Looked, NotDone> {
        let liveness = (level != LivenessLevel::None).then_some(Assurance::Medium);
        match self.0.estimator.answer(Question { image, relaxed: true, age: true, liveness }).await {
            Ok(finding) => {
                let spoof = finding.liveness.is_some_and(|liveness| liveness.prediction != Prediction::Real);
                Ok(match finding.age {
                    _ if spoof => Looked::Spoof,
                    Some(age) => Looked::Age(age),
                    None => Looked::Again(InputProblemCode::TryAgain),
                })
            }
            Err(Refusal::Face(problem)) => Ok(Looked::Again(face_word(problem.code))),
            Err(Refusal::Image(_)) => Ok(Looked::Again(InputProblemCode::UnusableImage)),
            Err(refusal) => Err(NotDone::Models(refusal)),
        }
    }

    /// Whether frames show the moves that were asked for, made by whom the photo shows; nothing where they cannot be looked
    /// at.
    async fn answers(
        &self,
        challenge: &Challenge,
        photo: &[u8],
        input: &TurnInput,
    ) -> Result<Option<bool>, NotDone> {
        let frames = input.frames.as_ref().ok_or_else(|| NotDone::wrong("frames", "a list is expected"))?;
        if frames.len() > FRAMES {
            let words = format!("it has {} items, at most {FRAMES} are looked at", frames.len());
            return Err(NotDone::wrong("frames", words));
        }
        let times = input.frame_times_ms.as_deref().unwrap_or_default();
        let mut pictures = Vec::with_capacity(frames.len());
        for (number, frame) in frames.iter().enumerate() {
            let bytes = picture(Some(frame), &format!("frames[{number}]"), MOST_FRAME_BYTES)?;
            let time = times.get(number).copied();
            pictures.push((bytes, time.unwrap_or(number as f64 * BETWEEN_MS) / 1000.0));
        }
        let (challenge, photo) = (challenge.clone(), photo.to_vec());
        let now = self.0.world.now();
        let looked = self.0.estimator.run(move |vision| {
            let rules = gate::Rules::default().relaxed();
            let mut look = |bytes: &[u8], time| {
                let header = gate::inspect(bytes, &rules).ok()?;
                let picture = gate::decode(bytes, &header, &rules).ok()?;
                Observation::of(vision, &picture, time).ok()
            };
            let seen = pictures.iter().map(|(bytes, time)| look(bytes, *time)).collect::<Option<Vec<_>>>()?;
            let shown = look(&photo, 0.0)?;
            let same = vision.space().distance_at(SAME_FMR)?;
            let verdict = challenge.check(&seen, same, now);
            // The age is that of the photo, so whoever moves must be in it.
            let ahead = verdict.portrait.and_then(|at| seen.get(at)).and_then(|one| one.embedding.as_ref());
            let alike =
                ahead.zip(shown.embedding.as_ref()).is_some_and(|(ahead, own)| distance(ahead, own) <= same);
            Some(verdict.passed && alike)
        });
        looked.await.map_err(NotDone::Models)
    }
}

fn ask(at: At<'_>, challenge: Option<Challenge>) -> Ask {
    match challenge {
        Some(challenge) => {
            let movement = |turn: &Move| match turn {
                Move::Left => HeadMovement::Left,
                Move::Right => HeadMovement::Right,
                Move::Up => HeadMovement::Up,
                Move::Nearer => HeadMovement::Nearer,
                Move::Farther => HeadMovement::Farther,
            };
            let moves = challenge.moves.iter().map(movement).collect();
            Ask::new(Step::Frames { moves, capture_path: CAPTURE }, json!(challenge))
        }
        None => Ask::new(Step::Camera { level: at.block.level, capture_path: CAPTURE }, Value::Null),
    }
}

/// A sandbox needs no models: whoever is in the picture is thirty.
fn sandbox(at: At<'_>) -> Verdict {
    let today = at.session.created_at.to_zoned(jiff::tz::TimeZone::UTC).date();
    let born = today.saturating_sub(jiff::Span::new().years(SANDBOX_AGE));
    judge::finding(::methods::Known::Born(born), &at.session.wanted, at.block, today, None)
}

/// The bytes of a picture in base64.
fn picture(text: Option<&str>, path: &str, most: usize) -> Result<Vec<u8>, NotDone> {
    let text = text.ok_or_else(|| NotDone::wrong(path, "base64 of a JPEG picture is expected"))?;
    if text.len() > most / 3 * 4 + 4 {
        let words = format!("it has {} characters; a picture of at most {most} bytes is taken", text.len());
        return Err(NotDone::wrong(path, words));
    }
    base64_simd::STANDARD.decode_to_vec(text).map_err(|_| NotDone::wrong(path, "it is no base64"))
}

/// What people can do about their picture.
fn face_word(code: FaceCode) -> InputProblemCode {
    match code {
        FaceCode::NotFound => InputProblemCode::NoFace,
        FaceCode::Multiple => InputProblemCode::SeveralFaces,
        FaceCode::BoxTooSmall | FaceCode::RatioTooLow => InputProblemCode::FaceTooSmall,
        FaceCode::TooBright => InputProblemCode::TooBright,
        FaceCode::TooDark => InputProblemCode::TooDark,
        FaceCode::RatioTooHigh | FaceCode::NoRoom => InputProblemCode::NotCentred,
    }
}
