//! A head that turns and comes nearer, made of one photo of a face; and the same photo as a sheet of paper, flat, bent or
//! folded, that somebody moves before the lens. What a camera sees of either, in perspective.
//!
//! Lengths are in widths of the face's box, about 14 centimetres. The head is an ellipsoid with a nose and the hollows of
//! the eyes, after the measures of an average adult; it has no expression, no hair that moves and no shadow.

use base::Picture;

/// What the photo is wrapped around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A head.
    Head,
    /// A sheet of paper, rolled by `bend` radians for each face width (0: flat) around an axis in it that leans by `lean`
    /// radians from the vertical.
    Sheet {
        /// Radians for each face width.
        bend: f32,
        /// Radians, clockwise.
        lean: f32,
    },
    /// A sheet with a fold along the nose; both halves go back by this many radians.
    Folded(f32),
}

/// How it is held before the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Radians around the vertical; positive to the person's own left, which is to the right of the picture.
    pub yaw: f32,
    /// Radians; positive looks up.
    pub pitch: f32,
    /// Radians, clockwise in the picture.
    pub roll: f32,
    /// From the lens to the middle of it, face widths.
    pub distance: f32,
    /// How far it is moved to the right and down, face widths.
    pub shift: [f32; 2],
}

/// A way through these stances, slowing down at each, in `frames` frames from one to the next; the first is held as long.
pub fn path(stops: &[Stance], frames: usize) -> Vec<Stance> {
    let mut path: Vec<Stance> = stops.first().map_or_else(Vec::new, |first| vec![*first; frames]);
    for two in stops.windows(2) {
        let [from, to] = two else { continue };
        for frame in 1..=frames {
            let share = (1.0 - (std::f32::consts::PI * frame as f32 / frames as f32).cos()) / 2.0;
            let mix = |of: fn(&Stance) -> f32| of(from) + (of(to) - of(from)) * share;
            path.push(Stance {
                yaw: mix(|stance| stance.yaw),
                pitch: mix(|stance| stance.pitch),
                roll: mix(|stance| stance.roll),
                distance: mix(|stance| stance.distance),
                shift: [mix(|stance| stance.shift[0]), mix(|stance| stance.shift[1])],
            });
        }
    }
    path
}

impl Default for Stance {
    /// Straight ahead, half a metre away.
    fn default() -> Self {
        Self { yaw: 0.0, pitch: 0.0, roll: 0.0, distance: 4.0, shift: [0.0; 2] }
    }
}

/// A photo of a face, and the form that it was given.
#[derive(Clone, Debug)]
pub struct Model {
    photo: Picture,
    /// The box's middle and width in the photo.
    middle: [f32; 2],
    width: f32,
    form: Form,
}

/// Half of the head's width, height and depth, and how far its middle is above the box's.
const HEAD: [f32; 3] = [0.62, 0.95, 0.85];
const ABOVE: f32 = 0.1;

/// Half of the sheet's width and height.
const SHEET: [f32; 2] = [1.0, 1.25];

/// Cells of the surface across and down.
const CELLS: [usize; 2] = [72, 96];

/// The part of the frame's height that a face width takes at a distance of one.
const FOCUS: f32 = 0.9;

impl Model {
    /// Gives the face in a box (left, top, right, bottom) of a photo a form.
    pub fn new(photo: &Picture, [left, top, right, bottom]: [f32; 4], form: Form) -> Self {
        let middle = [f32::midpoint(left, right), f32::midpoint(top, bottom)];
        Self { photo: photo.clone(), middle, width: right - left, form }
    }

    /// What the camera sees, before a background of the frame's size.
    pub fn render(&self, stance: Stance, background: &Picture) -> Picture {
        let (width, height) = (background.width() as usize, background.height() as usize);
        let mut frame =
            Frame { width, rgb: background.rgb().to_vec(), depth: vec![f32::INFINITY; width * height] };
        let half = match self.form {
            Form::Head => [HEAD[0], HEAD[1]],
            Form::Sheet { .. } | Form::Folded(_) => SHEET,
        };
        // Of each corner of a cell: where it is in the frame, how deep, and where in the photo.
        let corner = |column: usize, row: usize| -> Option<Corner> {
            let u = half[0] * (2.0 * column as f32 / CELLS[0] as f32 - 1.0);
            let v = half[1] * (2.0 * row as f32 / CELLS[1] as f32 - 1.0)
                - if self.form == Form::Head { ABOVE } else { 0.0 };
            let at = [self.middle[0] + u * self.width, self.middle[1] + v * self.width];
            let inside = (0.0..self.photo.width() as f32).contains(&at[0])
                && (0.0..self.photo.height() as f32).contains(&at[1]);
            let [x, y, z] = stance.place(self.surface(u, v)?);
            let depth = stance.distance - z;
            let scale = FOCUS * height as f32 / depth;
            let seen = [width as f32 / 2.0 + x * scale, height as f32 / 2.0 + y * scale];
            (inside && depth > 0.2).then_some(Corner { seen, depth, at })
        };
        for row in 0..CELLS[1] {
            for column in 0..CELLS[0] {
                let four =
                    [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, down)| corner(column + right, row + down));
                let [Some(a), Some(b), Some(c), Some(d)] = four else { continue };
                frame.draw(&self.photo, [a, b, c]);
                frame.draw(&self.photo, [b, d, c]);
            }
        }
        Picture::new(width as u32, height as u32, frame.rgb).expect("as many bytes as before")
    }

    /// The point of space at a point of the photo; to the right, down, and towards the lens. `None` beside the head.
    fn surface(&self, u: f32, v: f32) -> Option<[f32; 3]> {
        match self.form {
            Form::Head => {
                let [a, b, c] = HEAD;
                let around = 1.0 - (u / a).powi(2) - ((v + ABOVE) / b).powi(2);
                let hill = |x: f32, y: f32, wide: f32, high: f32| {
                    (-((u - x) / wide).powi(2) - ((v - y) / high).powi(2)).exp()
                };
                let nose = 0.13 * hill(0.0, 0.06, 0.08, 0.13);
                let eyes = 0.025 * (hill(-0.22, -0.17, 0.11, 0.07) + hill(0.22, -0.17, 0.11, 0.07));
                (around >= 0.0).then(|| [u, v, c * around.sqrt() + nose - eyes])
            }
            Form::Sheet { bend, lean } => {
                let (sin, cos) = lean.sin_cos();
                let (across, along) = (u * cos + v * sin, v * cos - u * sin);
                let (bent, back) = if bend.abs() < 1e-3 {
                    (across, 0.0)
                } else {
                    ((across * bend).sin() / bend, (1.0 - (across * bend).cos()) / bend)
                };
                Some([bent * cos - along * sin, bent * sin + along * cos, -back])
            }
            Form::Folded(by) => Some([u * by.cos(), v, -u.abs() * by.sin()]),
        }
    }
}

impl Stance {
    /// Where a point of the form is.
    fn place(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        // Looking up lowers nothing but turns what is before the middle upwards.
        let (sin, cos) = self.pitch.sin_cos();
        let (y, z) = (y * cos - z * sin, y * sin + z * cos);
        let (sin, cos) = self.yaw.sin_cos();
        let (x, z) = (x * cos + z * sin, z * cos - x * sin);
        let (sin, cos) = self.roll.sin_cos();
        [x * cos - y * sin + self.shift[0], x * sin + y * cos + self.shift[1], z]
    }
}

#[derive(Clone, Copy)]
struct Corner {
    seen: [f32; 2],
    depth: f32,
    at: [f32; 2],
}

struct Frame {
    width: usize,
    rgb: Vec<u8>,
    depth: Vec<f32>,
}

impl Frame {
    /// A triangle, where nothing nearer was drawn.
    fn draw(&mut self, photo: &Picture, [a, b, c]: [Corner; 3]) {
        let height = self.depth.len() / self.width;
        let double = |p: [f32; 2], q: [f32; 2], r: [f32; 2]| {
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        };
        let whole = double(a.seen, b.seen, c.seen);
        if whole.abs() < 1e-6 {
            return;
        }
        let range = |axis: usize, most: usize| {
            let all = [a, b, c].map(|corner| corner.seen[axis]);
            let low = all.into_iter().fold(f32::INFINITY, f32::min);
            let high = all.into_iter().fold(f32::NEG_INFINITY, f32::max);
            (low.floor().clamp(0.0, most as f32) as usize)..(high.ceil().clamp(0.0, most as f32) as usize)
        };
        for y in range(1, height) {
            for x in range(0, self.width) {
                let point = [x as f32 + 0.5, y as f32 + 0.5];
                let shares = [
                    double(point, b.seen, c.seen) / whole,
                    double(a.seen, point, c.seen) / whole,
                    double(a.seen, b.seen, point) / whole,
                ];
                if shares.iter().any(|share| *share < -1e-4) {
                    continue;
                }
                let mean =
                    |of: fn(&Corner) -> f32| shares[0] * of(&a) + shares[1] * of(&b) + shares[2] * of(&c);
                let (depth, place) = (mean(|corner| corner.depth), y * self.width + x);
                if depth < self.depth[place] {
                    self.depth[place] = depth;
                    let at = [mean(|corner| corner.at[0]), mean(|corner| corner.at[1])];
                    self.rgb[place * 3..place * 3 + 3].copy_from_slice(&between(photo, at));
                }
            }
        }
    }
}

/// The colour between four pixels.
fn between(photo: &Picture, [x, y]: [f32; 2]) -> [u8; 3] {
    let (x, y) = (x - 0.5, y - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let (right_share, low_share) = (x - left, y - top);
    let pixel = |dx: i64, dy: i64| photo.pixel(left as i64 + dx, top as i64 + dy).map(f32::from);
    let [a, b, c, d] = [pixel(0, 0), pixel(1, 0), pixel(0, 1), pixel(1, 1)];
    let mix = |channel: usize| {
        let above = a[channel] + (b[channel] - a[channel]) * right_share;
        let below = c[channel] + (d[channel] - c[channel]) * right_share;
        (above + (below - above) * low_share).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A photo with one bright column of pixels through the middle of the face, and one through each edge of its box.
    fn striped() -> Model {
        let rgb = (0..400 * 400).flat_map(|at| {
            let x = at % 400;
            if (198..202).contains(&x) {
                [255, 0, 0]
            } else if (98..102).contains(&x) || (298..302).contains(&x) {
                [0, 0, 255]
            } else {
                [90; 3]
            }
        });
        let photo = Picture::new(400, 400, rgb.collect()).unwrap();
        Model::new(&photo, [100.0, 100.0, 300.0, 300.0], Form::Head)
    }

    /// Where a colour stands in the row of the nose.
    fn where_is(picture: &Picture, wanted: usize) -> f32 {
        let other = if wanted == 0 { 2 } else { 0 };
        let y = i64::from(picture.height()) / 2;
        let places: Vec<f32> = (0..picture.width())
            .filter(|x| {
                let pixel = picture.pixel((*x).into(), y);
                pixel[wanted] > 150 && pixel[other] < 100
            })
            .map(|x| x as f32)
            .collect();
        places.iter().sum::<f32>() / places.len() as f32
    }

    #[test]
    fn a_head_that_turns_left_moves_its_nose_to_the_right_against_its_sides_and_a_sheet_does_not() {
        let background = Picture::new(480, 640, vec![0; 480 * 640 * 3]).unwrap();
        let head = striped();
        let sheet = Model { form: Form::Sheet { bend: 0.0, lean: 0.0 }, ..head.clone() };
        // How far the nose is from the middle between both sides, pixels.
        let off = |model: &Model, yaw: f32| {
            let picture = model.render(Stance { yaw, ..Stance::default() }, &background);
            where_is(&picture, 0) - where_is(&picture, 2)
        };
        assert!(off(&head, 0.0).abs() < 1.0, "{}", off(&head, 0.0));
        assert!(off(&head, 0.4) > 20.0, "{}", off(&head, 0.4));
        assert!(off(&head, -0.4) < -20.0, "{}", off(&head, -0.4));
        assert!(off(&sheet, 0.4).abs() < 6.0, "{}", off(&sheet, 0.4));
    }

    #[test]
    fn what_is_nearer_is_larger_and_beside_it_is_the_background() {
        let background = Picture::new(480, 640, vec![7; 480 * 640 * 3]).unwrap();
        let covered = |distance: f32| {
            let picture = striped().render(Stance { distance, ..Stance::default() }, &background);
            assert_eq!(picture.pixel(0, 0), [7; 3]);
            picture.rgb().chunks_exact(3).filter(|pixel| **pixel != [7; 3]).count()
        };
        assert!(covered(3.0) as f32 > 1.5 * covered(4.0) as f32);
    }
}
