//! Motion gating: how well the position and size of a face fit a track.

use crate::{Face, box_overlap::intersection_over_union};

/// From this nearness on a face belongs to a track although its embedding leaves doubt.
pub(super) const CERTAIN_NEARNESS: f32 = 0.35;

/// From this nearness on a face may belong to a track unless its embedding says otherwise.
pub(super) const POSSIBLE_NEARNESS: f32 = 0.15;

/// Fastest motion that is followed, in face sizes per second.
const MAX_FACE_SIZES_PER_SECOND: f32 = 3.0;

/// How near a face is to the position of a track expected `since` seconds after its last frame, 0 (elsewhere, or of
/// another size) to 1 (exactly there): the greater intersection over union with the last box and with the box moved by
/// the velocity, or, where they do not overlap, up to 0.5 for being within the distance that a head can move in that
/// time. Reduced by the difference in size.
pub(super) fn nearness(last: &Face, velocity: [f32; 2], since: f32, face: &Face) -> f32 {
    let (one, other) = (last.height().max(last.width()), face.height().max(face.width()));
    let ratio = one.min(other) / one.max(other);
    // Nobody gets twice as large between two frames.
    if ratio.is_nan() || ratio < 0.5 {
        return 0.0;
    }
    let moved = shifted(last, velocity.map(|speed| speed * since));
    let overlap = intersection_over_union(last, face).max(intersection_over_union(&moved, face));
    let [x, y] = centre(&moved);
    let [to_x, to_y] = centre(face);
    let distance = (to_x - x).hypot(to_y - y) / one.max(other);
    let reach = 1.0 + MAX_FACE_SIZES_PER_SECOND * since.clamp(0.0, 1.0);
    // At most 0.5: being within reach counts less than overlapping.
    let within = (1.0 - distance / reach).max(0.0) * 0.5;
    overlap.max(within) * ratio.sqrt()
}

/// Velocity of the box's centre, pixels per second; 0 where no time has passed.
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
