//! Where a face may be next.

use crate::{Face, box_overlap::intersection_over_union};

/// From this nearness on a face is where a track must be now.
pub(super) const CERTAIN_NEARNESS: f32 = 0.35;

/// From this nearness on a face may belong to a track when nothing else speaks against it.
pub(super) const POSSIBLE_NEARNESS: f32 = 0.15;

/// Face sizes that a head may move in a second without being lost.
const MAX_FACE_SIZES_PER_SECOND: f32 = 3.0;

/// How near a face lies to where a track is expected `since` seconds after it was last seen, 0 (elsewhere, or of another
/// size) to 1 (right there): the larger of the overlaps with where it was and with where its motion leads, or, without
/// any, what is left of the way that a head can make in that time.
pub(super) fn nearness(last: &Face, velocity: [f32; 2], since: f32, face: &Face) -> f32 {
    let (one, other) = (last.height().max(last.width()), face.height().max(face.width()));
    let ratio = one.min(other) / one.max(other);
    // Nobody comes twice as near between two frames.
    if ratio.is_nan() || ratio < 0.5 {
        return 0.0;
    }
    let moved = shifted(last, velocity.map(|speed| speed * since));
    let together = intersection_over_union(last, face).max(intersection_over_union(&moved, face));
    let [x, y] = centre(&moved);
    let [to_x, to_y] = centre(face);
    let away = (to_x - x).hypot(to_y - y) / one.max(other);
    let reach = 1.0 + MAX_FACE_SIZES_PER_SECOND * since.clamp(0.0, 1.0);
    // Up to half: being there is more than being in reach.
    let within = (1.0 - away / reach).max(0.0) * 0.5;
    together.max(within) * ratio.sqrt()
}

/// Pixels a second between two places.
pub(super) fn velocity(from: &Face, to: &Face, seconds: f32) -> [f32; 2] {
    let ([x, y], [to_x, to_y]) = (centre(from), centre(to));
    if seconds > 0.0 { [(to_x - x) / seconds, (to_y - y) / seconds] } else { [0.0; 2] }
}

fn centre(face: &Face) -> [f32; 2] {
    [f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)]
}

fn shifted(face: &Face, [x, y]: [f32; 2]) -> Face {
    Face { left: face.left + x, right: face.right + x, top: face.top + y, bottom: face.bottom + y, ..*face }
}
