//! How the boxes of two faces lie to each other: intersection over union, and what counts as the same face.

use crate::Face;

/// A box that has this share of the smaller one's area in common with another is the same face.
const SAME_FACE_CONTAINMENT: f32 = 0.6;

/// Boxes whose intersection over union is greater than this are the same face.
const SAME_FACE_IOU: f32 = 0.3;

/// A face of the next frame whose box has moved by less than this many of its longer sides may be the same one.
const MAX_MOVE_IN_FACE_SIDES: f32 = 1.5;

/// Longer side of the box in pixels.
pub(crate) fn longer_side(face: &Face) -> f32 {
    face.width().max(face.height())
}

pub(crate) fn area(face: &Face) -> f32 {
    face.width() * face.height()
}

/// The area that two boxes share, in square pixels; 0 where they do not overlap.
pub(crate) fn intersection_area(a: &Face, b: &Face) -> f32 {
    let width = (a.right.min(b.right) - a.left.max(b.left)).max(0.0);
    let height = (a.bottom.min(b.bottom) - a.top.max(b.top)).max(0.0);
    width * height
}

/// Intersection over union, 0 to 1.
pub(crate) fn intersection_over_union(a: &Face, b: &Face) -> f32 {
    let both = intersection_area(a, b);
    both / (area(a) + area(b) - both).max(f32::EPSILON)
}

/// Whether two boxes of one picture are of the same face: they overlap, or one lies mostly inside the other.
pub fn is_same_face(a: &Face, b: &Face) -> bool {
    intersection_over_union(a, b) > SAME_FACE_IOU
        || intersection_area(a, b) > SAME_FACE_CONTAINMENT * area(a).min(area(b))
}

/// Whether a face of the next frame may be this one: the boxes overlap at all, or their centres are close.
pub(crate) fn may_be_same_face(a: &Face, b: &Face) -> bool {
    if intersection_over_union(a, b) > 0.0 {
        return true;
    }
    let apart = (a.left + a.right - b.left - b.right).hypot(a.top + a.bottom - b.top - b.bottom) / 2.0;
    apart < MAX_MOVE_IN_FACE_SIDES * longer_side(a).max(longer_side(b))
}
