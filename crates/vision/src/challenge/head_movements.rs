//! The sequences of moves that challenges consist of, and the detection of moves in a sequence of poses.

use super::{ChallengeKind, ChallengeMove};
use ChallengeMove::{Farther, Left, Nearer, Right, Up};

const TURN_MOVES: [ChallengeMove; 3] = [Left, Right, Up];

/// All sequences of a kind.
pub(super) fn sequences(kind: ChallengeKind) -> Vec<Vec<ChallengeMove>> {
    let any = [Left, Right, Up, Nearer, Farther];
    let (first, rest): (&[ChallengeMove], &[ChallengeMove]) = match kind {
        ChallengeKind::Turn => (&any, &any),
        ChallengeKind::Zoom => (&[Nearer], &TURN_MOVES),
    };
    let mut all = Vec::new();
    for &one in first {
        for &two in rest {
            for &three in rest {
                let moves = vec![one, two, three];
                if is_fair(&moves) {
                    all.push(moves);
                }
            }
        }
    }
    all
}

/// No move twice in a row, at most one step nearer or farther, and at least one turn to a side, which shows depth best.
fn is_fair(moves: &[ChallengeMove]) -> bool {
    let repeats = moves.windows(2).any(|two| two.first() == two.last());
    let steps = moves.iter().filter(|one| !TURN_MOVES.contains(one)).count();
    !repeats && steps <= 1 && moves.iter().any(|one| matches!(one, Left | Right))
}

/// Yaw relative to the opening from which the head is turned, and up to which it faces the camera again.
pub(super) const TURNED_DEGREES: f32 = 18.0;
pub(super) const AHEAD_DEGREES: f32 = 11.0;

/// The same for pitch.
pub(super) const LIFTED_DEGREES: f32 = 14.0;
pub(super) const LEVEL_DEGREES: f32 = 9.0;

/// Size relative to the opening from which the face has come nearer, and up to which it has gone farther away.
pub(super) fn nearer_scale(kind: ChallengeKind) -> f32 {
    match kind {
        ChallengeKind::Turn => 1.3,
        ChallengeKind::Zoom => 1.45,
    }
}
pub(super) const FARTHER_SCALE: f32 = 0.77;
/// Size relative to the opening within which the face is back at its distance.
const RETURNED_SCALE_RANGE: [f32; 2] = [0.87, 1.15];

/// A pose relative to the opening: degrees to the person's left, degrees up, and factor of the size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RelativePose {
    pub(super) yaw: f32,
    pub(super) pitch: f32,
    pub(super) scale: f32,
}

impl RelativePose {
    pub(super) fn is_ahead(&self) -> bool {
        self.yaw.abs() <= AHEAD_DEGREES && self.pitch.abs() <= LEVEL_DEGREES
    }

    /// The turn that the pose shows, where it is far enough.
    pub(super) fn turn(&self) -> Option<ChallengeMove> {
        match self {
            Self { yaw, .. } if *yaw >= TURNED_DEGREES => Some(Left),
            Self { yaw, .. } if *yaw <= -TURNED_DEGREES => Some(Right),
            Self { pitch, .. } if *pitch >= LIFTED_DEGREES => Some(Up),
            _ => None,
        }
    }
}

/// The moves of a sequence of poses, each with the frame in which it is detected. Thresholds have hysteresis.
pub(super) fn detect_moves(
    kind: ChallengeKind,
    poses: &[(usize, RelativePose)],
) -> Vec<(ChallengeMove, usize)> {
    let mut made = Vec::new();
    let (mut turned, mut stepped) = (None, None);
    for (frame, pose) in poses {
        // A turned face appears smaller, so its distance is not judged.
        let step = match pose.scale {
            _ if !pose.is_ahead() => stepped,
            scale if scale >= nearer_scale(kind) => Some(Nearer),
            scale if scale <= FARTHER_SCALE => Some(Farther),
            scale if (RETURNED_SCALE_RANGE[0]..=RETURNED_SCALE_RANGE[1]).contains(&scale) => None,
            _ => stepped,
        };
        if step.is_some() && step != stepped {
            made.extend(step.map(|step| (step, *frame)));
        }
        stepped = step;
        let turn = if pose.is_ahead() { None } else { pose.turn().or(turned) };
        if turn.is_some() && turn != turned {
            made.extend(turn.map(|turn| (turn, *frame)));
        }
        turned = turn;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poses(all: &[[f32; 3]]) -> Vec<(usize, RelativePose)> {
        all.iter()
            .enumerate()
            .map(|(at, &[yaw, pitch, scale])| (at, RelativePose { yaw, pitch, scale }))
            .collect()
    }

    #[test]
    fn there_are_as_many_challenges_as_the_kinds_say_and_all_are_fair() {
        for (kind, count) in [(ChallengeKind::Turn, 52), (ChallengeKind::Zoom, 6)] {
            let all = sequences(kind);
            assert_eq!(all.len(), count, "{kind:?}");
            assert!(all.iter().all(|moves| moves.len() == 3 && is_fair(moves)), "{kind:?}");
            let mut distinct = all.clone();
            distinct.dedup();
            assert_eq!(distinct.len(), all.len());
        }
    }

    #[test]
    fn moves_are_detected_in_their_order_and_once_each() {
        let sequence = poses(&[
            [0.0, 0.0, 1.0],
            [12.0, 0.0, 1.0],
            [25.0, 0.0, 1.0],
            // Wavering at the threshold is not a second turn.
            [15.0, 0.0, 1.0],
            [25.0, 3.0, 1.0],
            [2.0, 0.0, 1.1],
            [0.0, 0.0, 1.4],
            [0.0, 0.0, 1.25],
            [0.0, 0.0, 1.4],
            [0.0, 20.0, 1.4],
            [0.0, 0.0, 1.0],
            [-30.0, 20.0, 1.0],
            [30.0, 0.0, 1.0],
        ]);
        let made: Vec<ChallengeMove> =
            detect_moves(ChallengeKind::Turn, &sequence).into_iter().map(|(one, _)| one).collect();
        assert_eq!(made, [Left, Nearer, Up, Right, Left]);
    }

    #[test]
    fn less_than_the_limits_is_no_move() {
        assert_eq!(detect_moves(ChallengeKind::Turn, &poses(&[[17.0, 13.0, 1.2], [-17.0, -40.0, 0.8]])), []);
        assert_eq!(detect_moves(ChallengeKind::Zoom, &poses(&[[0.0, 0.0, 1.4]])), []);
    }
}
