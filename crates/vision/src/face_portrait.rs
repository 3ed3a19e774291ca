//! Portraits: a face cut out upright and always at the same scale, for people who compare faces.

use crate::{
    Face,
    crop::{CropSquare, cut_square},
    model_manifest::CropRule,
};
use base::Picture;

/// How much larger than the face's box a portrait is, so that hair and chin are on it.
const PORTRAIT_SCALE: f32 = 1.6;

/// A square of `side` pixels around a face, with its eyes level. What lies outside of the picture is black. `None` if the
/// face's points are no numbers, or `side` is 0.
pub fn face_portrait(picture: &Picture, face: &Face, side: u32) -> Option<Picture> {
    let square = CropSquare::around(face, CropRule::EyesLevel, PORTRAIT_SCALE);
    if !square.is_sound() {
        return None;
    }
    Picture::new(side, side, cut_square(picture, square, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eyes_of_a_tilted_face_are_level_in_its_portrait() {
        // A picture with a red and a blue spot where the eyes of a face are that is tilted by 45 degrees.
        let (width, height) = (200, 200);
        let (right_eye, left_eye) = ([80.0, 80.0], [120.0, 120.0]);
        let mut rgb = vec![255; width * height * 3];
        for (spot, colour) in [(right_eye, [255, 0, 0]), (left_eye, [0, 0, 255])] {
            for y in 0..height {
                for x in 0..width {
                    if (x as f32 - spot[0]).hypot(y as f32 - spot[1]) < 6.0 {
                        rgb[(y * width + x) * 3..][..3].copy_from_slice(&colour);
                    }
                }
            }
        }
        let picture = Picture::new(width as u32, height as u32, rgb).unwrap();
        let mouth = [80.0, 120.0];
        let points = [right_eye, left_eye, [95.0, 105.0], mouth, [70.0, 70.0], [130.0, 130.0]];
        let face = Face { left: 50.0, top: 50.0, right: 150.0, bottom: 150.0, score: 1.0, points };
        let portrait = face_portrait(&picture, &face, 160).unwrap();
        let rows = |wanted: [u8; 3]| {
            let found = (0..160).flat_map(|y| (0..160).map(move |x| (x, y)));
            let rows: Vec<i64> =
                found.filter(|(x, y)| portrait.pixel(*x, *y) == wanted).map(|(_, y)| y).collect();
            rows.iter().sum::<i64>() / rows.len() as i64
        };
        assert!(
            (rows([255, 0, 0]) - rows([0, 0, 255])).abs() <= 1,
            "{} {}",
            rows([255, 0, 0]),
            rows([0, 0, 255])
        );
        assert_eq!(face_portrait(&picture, &face, 0), None);
    }
}
