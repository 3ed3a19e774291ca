//! The tiles of a picture on which the net runs by itself, so that small faces are large enough in its input.

use crate::crop::is_right_angle;
use pixels::PictureRegion;

/// Smallest size of a face in pixels of the net's input. Of the faces in group photos the net finds all at 16 pixels,
/// and nine of ten at 12; of snapshots, turned away and badly lit, seven of ten at 24 (`docs/ACCURACY.md`).
const MIN_FACE_INPUT_PIXELS: f32 = 24.0;

/// The same in a video, which shows a face more than once.
const MIN_VIDEO_FACE_INPUT_PIXELS: f32 = 20.0;

/// Overlap of neighbouring tiles in pixels of the input: a face of up to that size lies completely in one of them, and
/// a larger one is found in the next coarser tiles.
const TILE_OVERLAP_INPUT_PIXELS: f32 = 64.0;

/// Sides of a tile's input are multiples of this, so that there are few sizes of inputs; each takes a session of its own.
const TILE_SIDE_STEP_PIXELS: u32 = 64;

/// The smallest side of an input that is smaller than the usual one.
pub(crate) const MIN_TILE_SIDE_PIXELS: u32 = 128;

/// Ratio between the scale of tiles and that of the next coarser ones.
const TILE_SCALE_STEP: f32 = 3.0;

/// Most tiles of a picture, counted in squares of the usual size: a larger tile counts as several. Where it would take
/// more, the size of the smallest face is raised.
const MAX_TILES: u64 = 400;

/// A part of the picture on which the net runs by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PictureTile {
    pub(crate) region: PictureRegion,
    /// Pixels of the input for one of the picture.
    pub(crate) scale: f32,
    /// Width and height of the input, pixels.
    pub(crate) input_size: [u32; 2],
}

/// What tiles look like in a net's input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileLayout {
    /// Side of the square for a picture as a whole, pixels.
    usual_side: u32,
    /// The greatest side that a tile may have, pixels.
    max_side: u32,
    /// Size of the smallest face that is searched for, pixels.
    min_face: f32,
}

impl TileLayout {
    /// For the frames of a video: squares of the usual size, so that each frame costs the same.
    pub(crate) fn of_video(usual_side: u32) -> Self {
        Self { usual_side, max_side: usual_side, min_face: MIN_VIDEO_FACE_INPUT_PIXELS }
    }

    /// For a picture that is rotated by `turn` (radians), where the net takes inputs up to `greatest_side`.
    pub(crate) fn of_photo(usual_side: u32, greatest_side: u32, turn: f32) -> Self {
        let max_side = if is_right_angle(turn) { greatest_side } else { usual_side };
        Self { usual_side, max_side, min_face: MIN_FACE_INPUT_PIXELS }
    }
}

/// The tiles in which every face of at least `smallest` pixels is as large as the layout wants it, fine ones first;
/// none where one run on the whole picture suffices.
pub(crate) fn tiles(width: u32, height: u32, smallest: f32, layout: TileLayout) -> Vec<PictureTile> {
    let longer = width.max(height) as f32;
    let whole = layout.usual_side as f32 / longer;
    // Enlarging more than four times shows no further detail.
    let mut finest = (layout.min_face / smallest.max(1.0)).min(4.0);
    let max_area = MAX_TILES * u64::from(layout.usual_side).pow(2);
    let area = |tiles: &[PictureTile]| -> u64 {
        tiles.iter().map(|tile| tile.input_size.into_iter().map(u64::from).product::<u64>()).sum()
    };
    loop {
        let mut tiles = Vec::new();
        let mut scale = finest;
        while scale > whole * 1.1 && area(&tiles) <= max_area {
            lay_tiles([width, height], scale, layout, &mut tiles);
            scale /= TILE_SCALE_STEP;
        }
        if area(&tiles) <= max_area {
            return tiles;
        }
        finest /= 1.25;
    }
}

/// Covers the picture with evenly spaced tiles of one size at one scale.
fn lay_tiles([width, height]: [u32; 2], scale: f32, layout: TileLayout, tiles: &mut Vec<PictureTile>) {
    let [(input_width, columns), (input_height, rows)] =
        [width, height].map(|length| divide(length, scale, layout));
    for &(top, height) in &rows {
        for &(left, width) in &columns {
            let region = PictureRegion { left, top, width, height };
            tiles.push(PictureTile { region, scale, input_size: [input_width, input_height] });
        }
    }
}

/// Divides a side of a picture, `length` pixels: the side of the tiles' input, and where each begins and how long it is.
fn divide(length: u32, scale: f32, layout: TileLayout) -> (u32, Vec<(u32, u32)>) {
    let seen = length as f32 * scale;
    let input_side = if layout.max_side > layout.usual_side {
        let greatest = layout.max_side as f32;
        let count =
            ((seen - TILE_OVERLAP_INPUT_PIXELS) / (greatest - TILE_OVERLAP_INPUT_PIXELS)).ceil().max(1.0);
        let needed = (seen + (count - 1.0) * TILE_OVERLAP_INPUT_PIXELS) / count;
        (needed.ceil() as u32)
            .next_multiple_of(TILE_SIDE_STEP_PIXELS)
            .clamp(MIN_TILE_SIDE_PIXELS, layout.max_side)
    } else {
        layout.usual_side
    };
    let tile = ((input_side as f32 / scale) as u32).max(1);
    if length <= tile {
        return (input_side, vec![(0, length)]);
    }
    let overlap = TILE_OVERLAP_INPUT_PIXELS / scale;
    let count = ((length as f32 - overlap) / (tile as f32 - overlap)).ceil().max(2.0) as u32;
    let start = |at: u32| (u64::from(length - tile) * u64::from(at) / u64::from(count - 1)) as u32;
    (input_side, (0..count).map(|at| (start(at), tile)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHOTO: TileLayout = TileLayout { usual_side: 256, max_side: 512, min_face: 24.0 };
    const VIDEO: TileLayout = TileLayout { usual_side: 256, max_side: 256, min_face: 20.0 };

    fn sizes(width: u32, height: u32, layout: TileLayout) -> Vec<[u32; 2]> {
        tiles(width, height, 40.0, layout).iter().map(|tile| tile.input_size).collect()
    }

    #[test]
    fn a_photo_takes_few_tiles_of_its_own_shape() {
        assert_eq!(sizes(720, 800, PHOTO), [[448, 512]]);
        assert_eq!(sizes(1280, 400, PHOTO), [[448, 256]; 2]);
        let film = sizes(1920, 1080, PHOTO);
        assert_eq!((&film[..6], &film[6..]), (&[[448, 384]; 6][..], &[[384, 256]][..]), "and a coarser one");
        assert_eq!(sizes(400, 400, PHOTO), [] as [[u32; 2]; 0], "one look shows it all");
        assert_eq!(sizes(1920, 1080, VIDEO), [[256, 256]; 17], "squares of the usual size");
    }

    #[test]
    fn tiles_cover_the_picture_and_overlap_by_a_face() {
        for layout in [PHOTO, VIDEO] {
            for (width, height) in
                [(720, 800), (1920, 1080), (4032, 3024), (5000, 300), (1, 9000), (640, 481)]
            {
                let all = tiles(width, height, 40.0, layout);
                let finest = all.first().map_or(0.0, |tile| tile.scale);
                let overlap = TILE_OVERLAP_INPUT_PIXELS / finest - 2.0;
                let finest: Vec<_> = all.iter().filter(|tile| tile.scale == finest).collect();
                for PictureTile { region, scale, input_size } in &all {
                    let seen = [region.width, region.height].map(|side| (side as f32 * scale).round() as u32);
                    assert!(
                        seen[0] <= input_size[0] && seen[1] <= input_size[1],
                        "{seen:?} in {input_size:?}"
                    );
                    assert!(
                        input_size.iter().all(|side| side.is_multiple_of(32) && *side <= layout.max_side)
                    );
                    assert!(region.left + region.width <= width && region.top + region.height <= height);
                }
                // A face anywhere, as large as the overlap, is completely in a tile.
                let face = (overlap.max(1.0) as u32).min(width).min(height);
                for at in 0..200 {
                    let (x, y) = ((width - face) * (at % 20) / 19, (height - face) * (at / 20) / 9);
                    let shows = |tile: &&PictureTile| {
                        let PictureRegion { left, top, width, height } = tile.region;
                        left <= x && top <= y && x + face <= left + width && y + face <= top + height
                    };
                    assert!(
                        finest.is_empty() || finest.iter().any(shows),
                        "{face} pixels at {x}, {y} of {width} x {height}"
                    );
                }
            }
        }
    }
}
