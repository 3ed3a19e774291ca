//! A page on a desk, photographed with a phone.

use super::{
    Page, Point,
    camera::{Lie, Pose},
    canvas::Colour,
    scene::{Desk, between, halve, photocopy, slow_noise},
};
use crate::spoof::{self, dice::Dice};
use base::Picture;

/// How far a page is turned, clockwise as seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quarter {
    /// Upright.
    None,
    /// Its top edge is at the right.
    Right,
    /// Upside down.
    Half,
    /// Its top edge is at the left.
    Left,
}

impl Quarter {
    /// All four.
    pub const ALL: [Self; 4] = [Self::None, Self::Right, Self::Half, Self::Left];

    fn degrees(self) -> f32 {
        match self {
            Self::None => 0.0,
            Self::Right => 90.0,
            Self::Half => 180.0,
            Self::Left => 270.0,
        }
    }
}

/// What is wrong with a photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Damage {
    /// Nothing.
    None,
    /// Out of focus, 2.5 to 5 pixels of sigma.
    Blur,
    /// Moved, 10 to 24 pixels.
    Motion,
    /// A lamp's reflection over a tenth to a quarter of the page.
    Glare,
    /// A small sensor in the evening.
    Noise,
    /// A hand's shadow across it.
    Shadow,
    /// Three stops and more too dark.
    Dark,
    /// A stop and a half and more too bright.
    Bright,
    /// A tenth to three tenths of it outside of the frame.
    Partial,
    /// A tenth to a fifth of the frame's width.
    Small,
    /// Without colours.
    Grey,
    /// A photocopy of it.
    Photocopy,
    /// On a display.
    Screen,
    /// A quarter turn or two and a strong lean.
    Turned,
    /// JPEG of quality 12 to 25.
    Squeezed,
}

impl Damage {
    /// All of them, nothing first.
    pub const ALL: [Self; 15] = [
        Self::None,
        Self::Blur,
        Self::Motion,
        Self::Glare,
        Self::Noise,
        Self::Shadow,
        Self::Dark,
        Self::Bright,
        Self::Partial,
        Self::Small,
        Self::Grey,
        Self::Photocopy,
        Self::Screen,
        Self::Turned,
        Self::Squeezed,
    ];
}

/// How a photo is taken. [`Conditions::clean`] is a good one; change what matters.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Desk, light and noise follow from it.
    pub seed: u64,
    /// The frame's long side in pixels; the short one has three quarters. The frame stands upright for upright pages.
    pub long_side: u32,
    /// The share of the frame that the page's upright box fits into, 0 to 1.
    pub fill: f32,
    /// Quarter turns.
    pub quarter: Quarter,
    /// Degrees turned further.
    pub angle: f32,
    /// Degrees that the camera leans, about its x and y axes.
    pub tilt: [f32; 2],
    /// Sigma of the lens's blur, in pixels.
    pub blur: f32,
    /// Length of a movement while the shutter was open, in pixels.
    pub motion: f32,
    /// Share of the page under a reflection, 0 to 1.
    pub glare: f32,
    /// Sigma of noise in the middle greys, in grey values.
    pub noise: f32,
    /// How dark a shadow across the page is, 0 to 1.
    pub shadow: f32,
    /// Exposure in stops; 0 is right.
    pub exposure: f32,
    /// Share of the page outside of the frame, 0 to 1.
    pub partial: f32,
    /// Without colours.
    pub grey: bool,
    /// Not the document but a photocopy of it.
    pub photocopy: bool,
    /// Not the document but a display that shows it: pixels of the photo for each of its own.
    pub screen: Option<f32>,
    /// JPEG quality, 1 to 100.
    pub quality: u8,
}

impl Conditions {
    /// A good photo: large, sharp, a little turned.
    pub fn clean(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0xc1ea_0000);
        Self {
            seed,
            long_side: 1600,
            fill: dice.between(0.68, 0.86),
            quarter: Quarter::None,
            angle: dice.between(-5.0, 5.0),
            tilt: [dice.between(-8.0, 8.0), dice.between(-8.0, 8.0)],
            blur: dice.between(0.4, 0.8),
            motion: 0.0,
            glare: 0.0,
            noise: dice.between(1.0, 2.5),
            shadow: 0.0,
            exposure: dice.between(-0.35, 0.25),
            partial: 0.0,
            grey: false,
            photocopy: false,
            screen: None,
            quality: 88,
        }
    }

    /// A photo as it comes: any quarter turn, any of the milder damages.
    pub fn random(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0xbad_0000);
        let quarter = Quarter::ALL[(dice.word() % 4) as usize];
        let mut conditions = Self {
            quarter,
            fill: dice.between(0.45, 0.9),
            angle: dice.between(-12.0, 12.0),
            tilt: [dice.between(-16.0, 16.0), dice.between(-16.0, 16.0)],
            blur: dice.between(0.4, 1.3),
            noise: dice.between(1.0, 6.0),
            exposure: dice.between(-1.0, 0.5),
            quality: 70 + (dice.word() % 25) as u8,
            ..Self::clean(seed)
        };
        if dice.chance(0.3) {
            conditions.shadow = dice.between(0.1, 0.5);
        }
        if dice.chance(0.2) {
            conditions.glare = dice.between(0.01, 0.05);
        }
        conditions
    }

    /// A good photo but for one thing, which is bad enough to be noticed.
    pub fn damaged(damage: Damage, seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0xda4a_6e00 ^ (damage as u64) << 40);
        let mut conditions = Self::clean(seed);
        match damage {
            Damage::None => {}
            Damage::Blur => conditions.blur = dice.between(2.5, 5.0),
            Damage::Motion => conditions.motion = dice.between(10.0, 24.0),
            Damage::Glare => conditions.glare = dice.between(0.1, 0.25),
            Damage::Noise => conditions.noise = dice.between(10.0, 20.0),
            Damage::Shadow => conditions.shadow = dice.between(0.45, 0.75),
            Damage::Dark => conditions.exposure = dice.between(-5.0, -3.2),
            Damage::Bright => conditions.exposure = dice.between(1.6, 2.6),
            Damage::Partial => conditions.partial = dice.between(0.1, 0.3),
            Damage::Small => conditions.fill = dice.between(0.1, 0.2),
            Damage::Grey => conditions.grey = true,
            Damage::Photocopy => conditions.photocopy = true,
            Damage::Screen => conditions.screen = Some(dice.between(0.9, 2.4)),
            Damage::Turned => {
                conditions.quarter = Quarter::ALL[1 + (dice.word() % 3) as usize];
                conditions.angle = dice.between(-20.0, 20.0);
                conditions.tilt = [dice.between(-28.0, 28.0), dice.between(-28.0, 28.0)];
            }
            Damage::Squeezed => conditions.quality = 12 + (dice.word() % 14) as u8,
        }
        conditions
    }
}

/// A photo and what is true of it.
#[derive(Clone, Debug)]
pub struct Photo {
    /// As it comes out of the file.
    pub picture: Picture,
    /// The file.
    pub jpeg: Vec<u8>,
    /// Where the page's corners are, in pixels: its own top left, top right, bottom right, bottom left. Corners of what
    /// is partly outside are outside.
    pub corners: [Point; 4],
}

/// Lays a page on a desk and photographs it.
pub fn photograph(page: &Page, conditions: &Conditions) -> Photo {
    let mut dice = Dice::new(conditions.seed ^ 0x0f07_0000);
    let long = conditions.long_side.clamp(64, 8192) as f32;
    let short = (long * 0.75).round();
    let turned = matches!(conditions.quarter, Quarter::Right | Quarter::Left);
    let upright = (page.size[1] > page.size[0]) != turned;
    let frame = if upright { [short, long] } else { [long, short] };

    let pose = pose(page, conditions, frame, &mut dice);
    let scene = Scene::new(page, conditions, pose, frame, &mut dice);
    let mut light = scene.render(conditions);
    let (width, height) = (frame[0] as usize, frame[1] as usize);
    light.blur(conditions.blur);
    if conditions.motion > 0.0 {
        light.smear(conditions.motion, dice.between(0.0, std::f32::consts::PI));
    }
    let rgb = develop(&light, conditions, &mut dice);
    let jpeg = spoof::encode(width as u32, height as u32, &rgb, conditions.quality.clamp(1, 100));
    let jpeg = jpeg.expect("the encoder takes pictures of this size");
    let picture = spoof::decode(&jpeg).expect("what was encoded is decoded");
    Photo { picture, jpeg, corners: corners(page.size).map(|corner| pose.see(corner)) }
}

fn corners([width, height]: [f32; 2]) -> [[f32; 2]; 4] {
    let (x, y) = (width / 2.0, height / 2.0);
    [[-x, -y], [x, -y], [x, y], [-x, y]]
}

fn pose(page: &Page, conditions: &Conditions, frame: [f32; 2], dice: &mut Dice) -> Pose {
    let roll = conditions.quarter.degrees() + conditions.angle;
    let (sine, cosine) = roll.to_radians().sin_cos();
    let [w, h] = page.size;
    let extent = [(w * cosine).abs() + (h * sine).abs(), (w * sine).abs() + (h * cosine).abs()];
    let scale = conditions.fill * (frame[0] / extent[0]).min(frame[1] / extent[1]);
    let free = [frame[0] - extent[0] * scale, frame[1] - extent[1] * scale];
    let mut middle = [
        frame[0] / 2.0 + free[0].max(0.0) * dice.between(-0.3, 0.3),
        frame[1] / 2.0 + free[1].max(0.0) * dice.between(-0.3, 0.3),
    ];
    if conditions.partial > 0.0 {
        let axis = (dice.word() % 2) as usize;
        let outside = (0.5 - conditions.partial) * extent[axis] * scale;
        middle[axis] = if dice.chance(0.5) { outside } else { frame[axis] - outside };
    }
    Pose::new(&Lie { frame, scale, middle, roll, tilt: conditions.tilt })
}

/// Linear light, three floats a pixel.
struct Light {
    width: usize,
    height: usize,
    rgb: Vec<Colour>,
}

struct Scene {
    pose: Pose,
    frame: [f32; 2],
    size: [f32; 2],
    radius: f32,
    /// The page at its own size, half of it, a quarter …; the first that is not much finer than the photo is used.
    levels: Vec<Picture>,
    /// Pixels of the level for each millimetre.
    fine: f32,
    level: usize,
    desk: Desk,
    /// Millimetres that a sheet, or what a display shows around the page, goes on to each side.
    margin: Option<[f32; 4]>,
    around: Colour,
    /// Millimetres of a display's pixel.
    cell: Option<f32>,
    shadow: Shadow,
    reflection: Option<([f32; 2], [f32; 2])>,
    slope: [f32; 2],
}

struct Shadow {
    through: [f32; 2],
    direction: [f32; 2],
    soft: f32,
}

impl Scene {
    fn new(page: &Page, conditions: &Conditions, pose: Pose, frame: [f32; 2], dice: &mut Dice) -> Self {
        let desk = Desk::draw(frame, dice);
        let first = if conditions.photocopy { photocopy(&page.picture, dice) } else { page.picture.clone() };
        let [a, b, ..] = corners(page.size).map(|corner| pose.see(corner));
        let seen = (a[0] - b[0]).hypot(a[1] - b[1]) / page.size[0];
        let mut levels = vec![first];
        let mut fine = page.picture.width() as f32 / page.size[0];
        while fine > 2.0 * seen
            && let Some(halved) = levels.last().and_then(halve)
        {
            levels.push(halved);
            fine /= 2.0;
        }
        let around = |dice: &mut Dice| [0; 4].map(|_| dice.between(6.0, 40.0));
        let margin = (conditions.photocopy || conditions.screen.is_some()).then(|| around(dice));
        let direction = dice.between(0.0, std::f32::consts::TAU);
        let middle = pose.see([0.0, 0.0]);
        let reach = page.size.map(|side| side * seen);
        let off = |dice: &mut Dice, at: usize| middle[at] + reach[at] * dice.between(-0.25, 0.25);
        let reflection = (conditions.glare > 0.0).then(|| {
            // An ellipse of that share of the page's area.
            let area = conditions.glare * reach[0] * reach[1] / std::f32::consts::PI;
            let flat = dice.between(0.5, 1.0);
            ([off(dice, 0), off(dice, 1)], [(area / flat).sqrt(), (area * flat).sqrt()])
        });
        Self {
            pose,
            frame,
            size: page.size,
            radius: page.radius,
            level: levels.len() - 1,
            levels,
            fine,
            desk,
            around: if conditions.photocopy { [246.0; 3] } else { [dice.between(40.0, 250.0); 3] },
            margin,
            cell: conditions.screen.map(|pitch| pitch / seen),
            shadow: Shadow {
                through: [off(dice, 0), off(dice, 1)],
                direction: [direction.cos(), direction.sin()],
                soft: dice.between(10.0, 60.0),
            },
            reflection,
            slope: [dice.between(-0.14, 0.14), dice.between(-0.14, 0.14)],
        }
    }

    /// The page's colour, in millimetres from its middle; `None` beside it.
    fn page(&self, [x, y]: [f32; 2]) -> Option<Colour> {
        let (w, h) = (self.size[0] / 2.0, self.size[1] / 2.0);
        if x.abs() > w || y.abs() > h {
            return None;
        }
        let (cut_x, cut_y) = (x.abs() - (w - self.radius), y.abs() - (h - self.radius));
        if cut_x > 0.0 && cut_y > 0.0 && cut_x.hypot(cut_y) > self.radius && self.margin.is_none() {
            return None;
        }
        let at = [(x + w) * self.fine - 0.5, (y + h) * self.fine - 0.5];
        Some(between(&self.levels[self.level], at))
    }

    /// The page, or what is printed or shown around it, or the frame of the display.
    fn surface(&self, point: [f32; 2]) -> Option<Colour> {
        let shown = |[x, y]: [f32; 2]| {
            self.page([x, y]).or_else(|| {
                let [left, top, right, bottom] = self.margin?;
                let (w, h) = (self.size[0] / 2.0, self.size[1] / 2.0);
                let inside = x > -w - left && x < w + right && y > -h - top && y < h + bottom;
                inside.then_some(self.around)
            })
        };
        let Some(cell) = self.cell else { return shown(point) };
        let [x, y] = point.map(|value| value / cell);
        let centre = [(x.floor() + 0.5) * cell, (y.floor() + 0.5) * cell];
        let Some(colour) = shown(centre) else {
            // The bezel.
            let (w, h) = (self.size[0] / 2.0 + 55.0, self.size[1] / 2.0 + 55.0);
            return (point[0].abs() < w && point[1].abs() < h).then_some([16.0, 16.0, 18.0]);
        };
        let stripe = ((x - x.floor()) * 3.0) as usize;
        let gap = if y - y.floor() > 0.86 { 0.45 } else { 1.0 };
        let mut lit = colour;
        for (c, value) in lit.iter_mut().enumerate() {
            *value *= gap * if c == stripe { 1.28 } else { 0.8 };
        }
        lit[2] *= 1.06;
        Some(lit)
    }

    fn render(&self, conditions: &Conditions) -> Light {
        let (width, height) = (self.frame[0] as usize, self.frame[1] as usize);
        let linear: Vec<f32> = (0..=255).map(|value| (value as f32 / 255.0).powf(2.2)).collect();
        let linear = |value: f32| linear[(value.clamp(0.0, 255.0)) as usize];
        let parts = if self.cell.is_some() { 3 } else { 2 };
        let share = 1.0 / (parts * parts) as f32;
        let mut rgb = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let mut light = [0.0_f32; 3];
                let mut beside = 0.0;
                for part in 0..parts * parts {
                    let offset = |at: usize| (at as f32 + 0.5) / parts as f32 - 0.5;
                    let at = [x as f32 + offset(part % parts), y as f32 + offset(part / parts)];
                    match self.surface(self.pose.touch(at)) {
                        Some(colour) => {
                            for (sum, value) in light.iter_mut().zip(colour) {
                                *sum += linear(value) * share;
                            }
                        }
                        None => beside += share,
                    }
                }
                let at = [x as f32, y as f32];
                if beside > 0.0 {
                    let under = self.under_page(at);
                    for (sum, value) in light.iter_mut().zip(self.desk.colour(at)) {
                        *sum += linear(value) * beside * under;
                    }
                }
                rgb.push(self.lit(light, at, conditions));
            }
        }
        Light { width, height, rgb }
    }

    /// How much light the desk gets so close to the page.
    fn under_page(&self, [x, y]: [f32; 2]) -> f32 {
        let [px, py] = self.pose.touch([x - 3.0, y - 4.0]);
        let outside = [(px.abs() - self.size[0] / 2.0).max(0.0), (py.abs() - self.size[1] / 2.0).max(0.0)];
        let distance = outside[0].hypot(outside[1]);
        1.0 - 0.45 * (-distance / 0.9).exp()
    }

    fn lit(&self, mut light: Colour, [x, y]: [f32; 2], conditions: &Conditions) -> Colour {
        let [w, h] = self.frame;
        let mut strength = 1.0 + self.slope[0] * (x / w - 0.5) * 2.0 + self.slope[1] * (y / h - 0.5) * 2.0;
        if conditions.shadow > 0.0 {
            let shadow = &self.shadow;
            let depth =
                (x - shadow.through[0]) * shadow.direction[0] + (y - shadow.through[1]) * shadow.direction[1];
            let wave = slow_noise(x / 160.0, y / 160.0, conditions.seed) * 120.0;
            let covered = 1.0 / (1.0 + (-(depth + wave - 60.0) / shadow.soft).clamp(-30.0, 30.0).exp());
            strength *= 1.0 - conditions.shadow * covered;
        }
        light = light.map(|value| value * strength);
        if let Some((middle, half)) = self.reflection {
            let distance = ((x - middle[0]) / half[0]).hypot((y - middle[1]) / half[1]);
            // Full inside, then falling off over a quarter of its reach.
            let shine = (1.0 - (distance - 0.95) * 4.0).clamp(0.0, 1.0);
            light = light.map(|value| value + shine * shine * 1.6);
        }
        light
    }
}

impl Light {
    /// Three means in a row come close to a Gaussian.
    fn blur(&mut self, sigma: f32) {
        if sigma < 0.7 {
            let side = if sigma < 0.2 { 0.0 } else { (-0.5 / (sigma * sigma)).exp() };
            let taps = [side / (1.0 + 2.0 * side), 1.0 / (1.0 + 2.0 * side)];
            self.weigh([1.0, 0.0], &[taps[0], taps[1], taps[0]]);
            self.weigh([0.0, 1.0], &[taps[0], taps[1], taps[0]]);
            return;
        }
        let reach = (sigma * 2.6).ceil() as i32;
        let taps: Vec<f32> = (-reach..=reach).map(|at| (-0.5 * (at as f32 / sigma).powi(2)).exp()).collect();
        let total: f32 = taps.iter().sum();
        let taps: Vec<f32> = taps.iter().map(|tap| tap / total).collect();
        self.weigh([1.0, 0.0], &taps);
        self.weigh([0.0, 1.0], &taps);
    }

    fn smear(&mut self, length: f32, angle: f32) {
        let count = (length.round() as usize).max(1) | 1;
        self.weigh([angle.cos(), angle.sin()], &vec![1.0 / count as f32; count]);
    }

    /// Each pixel becomes a weighed sum of those along a direction.
    fn weigh(&mut self, direction: [f32; 2], taps: &[f32]) {
        let middle = (taps.len() / 2) as f32;
        let steps: Vec<(i64, i64, f32)> = taps
            .iter()
            .enumerate()
            .map(|(at, tap)| {
                let step = at as f32 - middle;
                ((step * direction[0]).round() as i64, (step * direction[1]).round() as i64, *tap)
            })
            .collect();
        let (width, height) = (self.width as i64, self.height as i64);
        let mut blurred = Vec::with_capacity(self.rgb.len());
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0_f32; 3];
                for &(dx, dy, tap) in &steps {
                    let (nx, ny) = ((x + dx).clamp(0, width - 1), (y + dy).clamp(0, height - 1));
                    let pixel = self.rgb[(ny * width + nx) as usize];
                    for (sum, value) in sum.iter_mut().zip(pixel) {
                        *sum += value * tap;
                    }
                }
                blurred.push(sum);
            }
        }
        self.rgb = blurred;
    }
}

fn develop(light: &Light, conditions: &Conditions, dice: &mut Dice) -> Vec<u8> {
    let gain = conditions.exposure.exp2();
    let balance = [dice.between(0.93, 1.07), 1.0, dice.between(0.9, 1.08)];
    // Square-root steps keep the dark end fine.
    let curve: Vec<f32> = (0..=2048).map(|at| 255.0 * (at as f32 / 2048.0).powf(2.0 / 2.2)).collect();
    let mut rgb = Vec::with_capacity(light.rgb.len() * 3);
    for pixel in &light.rgb {
        // A sensor's noise is about the same for all colours of a pixel after processing, with a little of its own.
        let common = dice.gauss() * conditions.noise * 0.8;
        let colours = [0, 1, 2].map(|c: usize| {
            let value = (pixel[c] * gain * balance[c]).clamp(0.0, 1.0);
            curve[(value.sqrt() * 2048.0) as usize] + common + dice.gauss() * conditions.noise * 0.6
        });
        if conditions.grey {
            let luma = 0.299 * colours[0] + 0.587 * colours[1] + 0.114 * colours[2];
            rgb.extend([luma.round().clamp(0.0, 255.0) as u8; 3]);
        } else {
            rgb.extend(colours.map(|value| value.round().clamp(0.0, 255.0) as u8));
        }
    }
    rgb
}
