//! Live faces and attacks, simulated from a portrait: what a liveness model is tried on where no camera, no
//! printer and no second phone is at hand. Everything follows from a seed.
//!
//! A simulation is no attack. It says that a cue works on the physics it was made for, and no more.

mod camera;
pub(crate) mod dice;
mod light;
mod pose;
mod print;
mod screen;
mod set;

pub use set::{SetError, read_portraits, write_set};

use base::Picture;
use camera::Camera;
use dice::Dice;
use light::{Light, Source};
use pose::Pose;
use print::Print;
use screen::Screen;

/// A portrait and where its face is.
#[derive(Clone, Debug)]
pub struct Portrait {
    /// File name without its ending; what stands before the first `_` names the person.
    pub name: String,
    /// Face and surroundings.
    pub picture: Picture,
    /// The face, in pixels of the picture.
    pub face: FaceBox,
}

impl Portrait {
    /// Who is on it.
    pub fn identity(&self) -> &str {
        self.name.split('_').next().unwrap_or_default()
    }

    /// Which half this person belongs to: people are split, not pictures.
    pub fn half(&self) -> Half {
        let sum =
            self.identity().bytes().fold(7u64, |sum, byte| sum.wrapping_mul(131).wrapping_add(byte.into()));
        if Dice::new(sum).word().is_multiple_of(2) { Half::Fit } else { Half::Report }
    }
}

/// The box around a face, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceBox {
    /// Left edge.
    pub left: f32,
    /// Top edge.
    pub top: f32,
    /// Right edge, greater than `left`.
    pub right: f32,
    /// Bottom edge, greater than `top`.
    pub bottom: f32,
}

impl FaceBox {
    /// Width in pixels.
    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Height in pixels.
    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }

    fn centre(&self) -> (f32, f32) {
        (f32::midpoint(self.left, self.right), f32::midpoint(self.top, self.bottom))
    }

    fn scaled(&self, by: f32) -> Self {
        Self { left: self.left * by, top: self.top * by, right: self.right * by, bottom: self.bottom * by }
    }
}

/// Which half of the people and of the parameters of each species: one to choose numbers on, one to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// To fit weights and thresholds on.
    Fit,
    /// To measure on.
    Report,
}

impl Half {
    /// The word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fit => "fit",
            Self::Report => "report",
        }
    }
}

/// What stands before the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Species {
    /// A person.
    Live,
    /// Newspaper or cheap laser print: halftone cells of 2.8 to 6 frame pixels.
    HalftoneCoarse,
    /// Magazine or laser print: halftone cells of 1.4 to 2.8 frame pixels.
    HalftoneFine,
    /// Ink drops by error diffusion, 0.5 to 1.1 frame pixels apart.
    Inkjet,
    /// Continuous tone on photo paper.
    PhotoPrint,
    /// Desktop monitor close by: 1.7 to 3.5 frame pixels for each of its own.
    ScreenMonitor,
    /// Laptop: 1.0 to 1.7.
    ScreenLaptop,
    /// Tablet: 0.72 to 1.0.
    ScreenTablet,
    /// Phone with a panel finer than the camera can tell: 0.4 to 0.62.
    ScreenPhone,
}

impl Species {
    /// All of them, the live one first.
    pub const ALL: [Self; 9] = [
        Self::Live,
        Self::HalftoneCoarse,
        Self::HalftoneFine,
        Self::Inkjet,
        Self::PhotoPrint,
        Self::ScreenMonitor,
        Self::ScreenLaptop,
        Self::ScreenTablet,
        Self::ScreenPhone,
    ];

    /// The word in tables and file names.
    pub fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::HalftoneCoarse => "print-halftone-coarse",
            Self::HalftoneFine => "print-halftone-fine",
            Self::Inkjet => "print-inkjet",
            Self::PhotoPrint => "print-photo",
            Self::ScreenMonitor => "screen-monitor",
            Self::ScreenLaptop => "screen-laptop",
            Self::ScreenTablet => "screen-tablet",
            Self::ScreenPhone => "screen-phone",
        }
    }

    fn is_print(self) -> bool {
        matches!(self, Self::HalftoneCoarse | Self::HalftoneFine | Self::Inkjet | Self::PhotoPrint)
    }
}

/// One simulated picture.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The file: JPEG of quality 95.
    pub jpeg: Vec<u8>,
    /// The file, decoded.
    pub picture: Picture,
    /// Where the face is in it.
    pub face: FaceBox,
    /// True when the paper's edge or the bezel is in the frame.
    pub framed: bool,
}

/// What fills the frame.
enum Subject {
    Person,
    Sheet(Box<Print>),
    Panel(Box<Screen>),
}

/// Photographs a portrait as one species; parameters come from `half`, all else from `seed`. `None` only
/// when the encoder fails.
pub fn shoot(portrait: &Portrait, species: Species, half: Half, seed: u64) -> Option<Shot> {
    let mut dice = Dice::new(seed ^ 0x5eed_0000_0000 ^ (species as u64) << 56);
    let source = Source::dress(portrait, &mut dice);
    let width = (dice.between(640.0, 880.0) / 16.0) as usize * 16;
    let size = (width, width * 5 / 4);
    let framed = species != Species::Live && dice.chance(0.5);
    let flat = (species != Species::Live).then_some(framed);
    let mut pose = Pose::draw(&source, portrait.face, size, flat, &mut dice);
    let subject = if species == Species::Live {
        Subject::Person
    } else if species.is_print() {
        pose = pose.bent(dice.between(-0.04, 0.04));
        Subject::Sheet(Box::new(Print::draw(species, half, &source, &pose, &mut dice)))
    } else {
        Subject::Panel(Box::new(Screen::draw(species, half, &source, &mut dice)))
    };
    let room = Room::draw(size, &mut dice);
    let scene = Scene { subject, source, pose, framed, room };
    let face = scene.pose.place(portrait.face);
    let light = scene.render(size);
    let meter = [face.left, face.top, face.right, face.bottom].map(|v| v.max(0.0) as usize);
    let (w, h, rgb) = Camera::draw(&mut dice).take(light, meter, &mut dice);
    let jpeg = encode(w, h, &rgb, 95)?;
    let picture = decode(&jpeg)?;
    Some(Shot { jpeg, picture, face, framed })
}

/// Encodes RGB bytes as JPEG.
pub fn encode(width: u32, height: u32, rgb: &[u8], quality: u8) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, quality);
    encoder.encode(rgb, width, height, image::ExtendedColorType::Rgb8).ok()?;
    Some(bytes)
}

/// Decodes a JPEG or PNG; orientation marks are not read.
pub fn decode(bytes: &[u8]) -> Option<Picture> {
    let rgb = image::load_from_memory(bytes).ok()?.into_rgb8();
    Picture::new(rgb.width(), rgb.height(), rgb.into_raw())
}

struct Scene {
    subject: Subject,
    source: Source,
    pose: Pose,
    framed: bool,
    room: Room,
}

impl Scene {
    /// Twice the frame's size; fine structure is sampled more often, so that only the sensor folds it.
    fn render(&self, size: (usize, usize)) -> Light {
        let samples = match &self.subject {
            Subject::Person => 1,
            Subject::Panel(screen) if screen.pitch < 1.5 => 3,
            Subject::Sheet(_) | Subject::Panel(_) => 2,
        };
        let mut light = Light::black(size.0 * 2, size.1 * 2);
        let step = 1.0 / samples as f32;
        for y in 0..light.height {
            for x in 0..light.width {
                let mut sum = [0.0; 3];
                for i in 0..samples * samples {
                    let (dx, dy) = ((i % samples) as f32, (i / samples) as f32);
                    let at =
                        self.at(0.5 * (x as f32 + (dx + 0.5) * step), 0.5 * (y as f32 + (dy + 0.5) * step));
                    for c in 0..3 {
                        sum[c] += at[c] * step * step;
                    }
                }
                light.rgb[y * light.width + x] = sum;
            }
        }
        light
    }

    fn at(&self, x: f32, y: f32) -> [f32; 3] {
        let (u, v) = self.pose.back(x, y);
        let (w, h) = (self.source.width, self.source.height);
        let out = (-u).max(u - w).max(-v).max(v - h);
        match &self.subject {
            Subject::Person => self.source.at(u, v),
            Subject::Sheet(print) if !self.framed || out <= print.rim => {
                let (u, v) =
                    if self.framed { (u, v) } else { (u.clamp(0.0, w - 0.01), v.clamp(0.0, h - 0.01)) };
                print.at(&self.source, self.pose.scale(), u, v)
            }
            Subject::Panel(screen) if !self.framed || out <= 0.0 => {
                screen.at(&self.source, self.pose.scale(), u, v)
            }
            Subject::Panel(screen) if out <= screen.rim => [screen.bezel; 3],
            Subject::Sheet(_) | Subject::Panel(_) => self.room.at(x, y),
        }
    }
}

/// What is seen around a sheet or a display: a wall and a few things on it.
struct Room {
    wall: [f32; 3],
    slope: (f32, f32),
    things: Vec<([f32; 4], [f32; 3])>,
}

impl Room {
    fn draw(size: (usize, usize), dice: &mut Dice) -> Self {
        let (w, h) = (size.0 as f32, size.1 as f32);
        let level = dice.between(0.05, 0.6);
        let mut shade = |level: f32| [0; 3].map(|_| level * dice.between(0.8, 1.2));
        let wall = shade(level);
        let colours: Vec<[f32; 3]> = (0..5).map(|_| shade(level)).collect();
        let count = (dice.unit() * 5.0) as usize;
        let things = colours.into_iter().take(count).map(|colour| {
            let (x, y) = (dice.unit() * w, dice.unit() * h);
            let gain = dice.between(0.3, 1.8);
            ([x, y, x + dice.unit() * w * 0.6, y + dice.unit() * h * 0.6], colour.map(|c| c * gain))
        });
        let things = things.collect();
        Self { wall, slope: (dice.between(-0.4, 0.4) / w, dice.between(-0.4, 0.4) / h), things }
    }

    fn at(&self, x: f32, y: f32) -> [f32; 3] {
        let inside = |r: &[f32; 4]| x >= r[0] && y >= r[1] && x < r[2] && y < r[3];
        let colour =
            self.things.iter().rev().find(|(r, _)| inside(r)).map_or(self.wall, |(_, colour)| *colour);
        let gain = 1.0 + self.slope.0 * x + self.slope.1 * y;
        colour.map(|c| (c * gain).max(0.0))
    }
}

#[cfg(test)]
mod tests;
