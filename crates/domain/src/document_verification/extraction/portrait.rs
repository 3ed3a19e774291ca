//! Cuts the portrait out of a document's page.

use base::Picture;
use pixels::PictureRegion;
use vision::Face;

/// Room on each side of the face, as a part of the larger of its width and height.
const MARGIN_RATIO: f32 = 0.35;

/// The face with some room around it; `None` if nothing of it lies on the page.
pub(super) fn crop_portrait(page: &Picture, face: &Face) -> Option<Picture> {
    let margin = face.width().max(face.height()) * MARGIN_RATIO;
    let clamp = |value: f32, most: u32| value.clamp(0.0, most as f32) as u32;
    let (left, top) = (clamp(face.left - margin, page.width()), clamp(face.top - margin, page.height()));
    let (right, bottom) =
        (clamp(face.right + margin, page.width()), clamp(face.bottom + margin, page.height()));
    if right <= left || bottom <= top {
        return None;
    }
    pixels::crop(page, PictureRegion { left, top, width: right - left, height: bottom - top })
}
