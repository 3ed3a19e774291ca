//! The pictures that `assay bench` measures with: a face and a document, drawn by the program, so that it needs no file and
//! shows nobody. They are drawn here because tests draw them, too, and this crate is optimised for those.

use base::Picture;

/// Size of the drawn face, as of a photo that a phone scales down.
const FACE_SIZE: [u32; 2] = [720, 800];
/// Size of the drawn photo of a document.
const PAGE_SIZE: [u32; 2] = [1600, 1200];
/// Where the document lies in it: left, top, width, height. It has the proportions of a passport's page.
const DOCUMENT: [f32; 4] = [150.0, 140.0, 1300.0, 915.0];

/// A colour or a point in space.
type Triple = [f32; 3];

/// The face of somebody who looks into the camera.
pub fn face() -> Picture {
    let [width, height] = FACE_SIZE;
    paint(width, height, |x, y| face_colour((x - width as f32 / 2.0) / 200.0, (y - 390.0) / 200.0))
}

/// A photo of a document: a page with a portrait, some lines of print and a machine-readable zone.
pub fn document() -> Picture {
    let [width, height] = PAGE_SIZE;
    let [left, top, page_width, page_height] = DOCUMENT;
    let mut lines: Vec<Line> = PRINT
        .iter()
        .enumerate()
        .map(|(at, text)| Line { text, left: 480.0, top: 130.0 + 62.0 * at as f32, pixel: 4.2 })
        .collect();
    // The pitch of a zone's letters is a constant share of the page's width.
    let pixel = page_width * 0.92 / (ZONE_LINES[0].len() as f32 * COLUMNS_PER_LETTER as f32);
    lines.extend(ZONE_LINES.iter().enumerate().map(|(at, text)| Line {
        text,
        left: page_width * 0.04,
        top: page_height - 160.0 + 78.0 * at as f32,
        pixel,
    }));
    paint(width, height, |x, y| {
        let (x, y) = (x - left, y - top);
        if !(0.0..page_width).contains(&x) || !(0.0..page_height).contains(&y) {
            return [58.0, 50.0, 44.0];
        }
        if (60.0..400.0).contains(&x) && (140.0..560.0).contains(&y) {
            return face_colour((x - 230.0) / 105.0, (y - 350.0) / 105.0);
        }
        if lines.iter().any(|line| line.is_ink(x, y)) {
            return [32.0, 32.0, 40.0];
        }
        let wave = ((x * 0.021).sin() + (y * 0.017 + x * 0.004).sin()) * 4.0;
        [214.0 + wave, 219.0 + wave, 208.0 - wave]
    })
}

const PRINT: [&str; 9] = [
    "PASSPORT  UTO",
    "SURNAME",
    "ERIKSSON",
    "GIVEN NAMES",
    "ANNA MARIA",
    "DATE OF BIRTH  12 08 1974",
    "DATE OF EXPIRY 15 04 2032",
    "PASSPORT NO",
    "L898902C3",
];

/// The machine-readable zone of the document: the specimen of ICAO Doc 9303 part 4, with a later day of expiry.
pub const ZONE_LINES: [&str; 2] =
    ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F3204153ZE184226B<<<<<12"];

/// Columns of a letter, the gap behind it included.
const COLUMNS_PER_LETTER: usize = 6;

/// A line of print.
struct Line {
    text: &'static str,
    left: f32,
    top: f32,
    /// Side of a dot of the font.
    pixel: f32,
}

impl Line {
    fn is_ink(&self, x: f32, y: f32) -> bool {
        let (column, row) = ((x - self.left) / self.pixel, (y - self.top) / self.pixel);
        if column < 0.0 || !(0.0..7.0).contains(&row) {
            return false;
        }
        let column = column as usize;
        let letter = self.text.as_bytes().get(column / COLUMNS_PER_LETTER).copied().unwrap_or(b' ');
        let within = column % COLUMNS_PER_LETTER;
        within < 5 && letter_columns(letter)[within] >> (row as u32) & 1 == 1
    }
}

/// A letter of five columns with seven dots, the lowest bit on top.
fn letter_columns(letter: u8) -> [u8; 5] {
    const DIGITS: [[u8; 5]; 10] = [
        [0x3e, 0x51, 0x49, 0x45, 0x3e],
        [0x00, 0x42, 0x7f, 0x40, 0x00],
        [0x42, 0x61, 0x51, 0x49, 0x46],
        [0x21, 0x41, 0x45, 0x4b, 0x31],
        [0x18, 0x14, 0x12, 0x7f, 0x10],
        [0x27, 0x45, 0x45, 0x45, 0x39],
        [0x3c, 0x4a, 0x49, 0x49, 0x30],
        [0x01, 0x71, 0x09, 0x05, 0x03],
        [0x36, 0x49, 0x49, 0x49, 0x36],
        [0x06, 0x49, 0x49, 0x29, 0x1e],
    ];
    const LETTERS: [[u8; 5]; 26] = [
        [0x7e, 0x11, 0x11, 0x11, 0x7e],
        [0x7f, 0x49, 0x49, 0x49, 0x36],
        [0x3e, 0x41, 0x41, 0x41, 0x22],
        [0x7f, 0x41, 0x41, 0x22, 0x1c],
        [0x7f, 0x49, 0x49, 0x49, 0x41],
        [0x7f, 0x09, 0x09, 0x09, 0x01],
        [0x3e, 0x41, 0x49, 0x49, 0x7a],
        [0x7f, 0x08, 0x08, 0x08, 0x7f],
        [0x00, 0x41, 0x7f, 0x41, 0x00],
        [0x20, 0x40, 0x41, 0x3f, 0x01],
        [0x7f, 0x08, 0x14, 0x22, 0x41],
        [0x7f, 0x40, 0x40, 0x40, 0x40],
        [0x7f, 0x02, 0x0c, 0x02, 0x7f],
        [0x7f, 0x04, 0x08, 0x10, 0x7f],
        [0x3e, 0x41, 0x41, 0x41, 0x3e],
        [0x7f, 0x09, 0x09, 0x09, 0x06],
        [0x3e, 0x41, 0x51, 0x21, 0x5e],
        [0x7f, 0x09, 0x19, 0x29, 0x46],
        [0x46, 0x49, 0x49, 0x49, 0x31],
        [0x01, 0x01, 0x7f, 0x01, 0x01],
        [0x3f, 0x40, 0x40, 0x40, 0x3f],
        [0x1f, 0x20, 0x40, 0x20, 0x1f],
        [0x3f, 0x40, 0x38, 0x40, 0x3f],
        [0x63, 0x14, 0x08, 0x14, 0x63],
        [0x07, 0x08, 0x70, 0x08, 0x07],
        [0x61, 0x51, 0x49, 0x45, 0x43],
    ];
    match letter {
        b'0'..=b'9' => DIGITS[usize::from(letter - b'0')],
        b'A'..=b'Z' => LETTERS[usize::from(letter - b'A')],
        b'<' => [0x08, 0x14, 0x22, 0x41, 0x00],
        _ => [0; 5],
    }
}

/// Paints a picture, with four samples for each pixel and the noise of a camera.
fn paint(width: u32, height: u32, colour: impl Fn(f32, f32) -> Triple) -> Picture {
    let mut rgb = Vec::with_capacity((width * height * 3) as usize);
    let mut noise = 0x2545_f491_u32;
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0.0; 3];
            for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                let sample = colour(x as f32 + dx, y as f32 + dy);
                for (sum, value) in sum.iter_mut().zip(sample) {
                    *sum += value / 4.0;
                }
            }
            for value in sum {
                noise ^= noise << 13;
                noise ^= noise >> 17;
                noise ^= noise << 5;
                rgb.push((value + (noise % 7) as f32 - 3.0).clamp(0.0, 255.0) as u8);
            }
        }
    }
    Picture::new(width, height, rgb).expect("a picture of its own size")
}

/// How far inside an ellipse a point is: 1 at its centre, 0 on its edge, negative outside.
fn inside(x: f32, y: f32, [left, top]: [f32; 2], [width, height]: [f32; 2]) -> f32 {
    1.0 - ((x - left) / width).hypot((y - top) / height)
}

/// Goes softly from one colour to the other.
fn mix(from: Triple, to: Triple, share: f32) -> Triple {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|at| from[at] + (to[at] - from[at]) * share)
}

/// The colour of a face at a point; the face reaches from -1 to 1 across, its eyes are at -0.25.
fn face_colour(x: f32, y: f32) -> Triple {
    const SKIN: Triple = [222.0, 176.0, 150.0];
    const HAIR: Triple = [62.0, 44.0, 34.0];
    const SHIRT: Triple = [52.0, 74.0, 112.0];
    let side = x.abs();
    let mut colour = mix([176.0, 184.0, 190.0], [206.0, 211.0, 214.0], (1.5 - y) / 3.0);
    // Hair behind the head, shoulders, neck.
    colour = mix(colour, HAIR, inside(x, y, [0.0, -0.35], [1.08, 1.22]) * 12.0);
    colour = mix(colour, SHIRT, inside(x, y, [0.0, 2.75], [2.1, 1.15]) * 20.0);
    colour = mix(
        colour,
        mix(SKIN, [120.0, 80.0, 64.0], 0.5 + side),
        inside(x, y, [0.0, 1.1], [0.52, 0.75]) * 14.0,
    );
    // The head: an ellipsoid, lit from the upper left.
    let head = inside(x, y, [0.0, 0.05], [0.92, 1.22]);
    if head > 0.0 {
        let depth = (1.0 - (x / 0.92).powi(2) - ((y - 0.05) / 1.22).powi(2)).max(0.0).sqrt();
        let light = (0.52 + 0.5 * depth - 0.16 * x - 0.1 * y).clamp(0.3, 1.08);
        let skin = SKIN.map(|value| value * light);
        colour = mix(colour, skin, head * 16.0);
        // Cheeks, sockets, the shadow under the nose and under the lip.
        let blush = |at: f32| inside(side, y, [at, 0.3], [0.34, 0.28]);
        colour = mix(colour, [212.0 * light, 138.0 * light, 120.0 * light], blush(0.5) * 0.45);
        let shade = |colour: Triple, share: f32| mix(colour, colour.map(|value| value * 0.62), share);
        colour = shade(colour, inside(side, y, [0.36, -0.25], [0.34, 0.22]) * 0.9);
        colour = shade(colour, inside(side, y, [0.12, -0.05], [0.07, 0.32]) * 0.5);
        colour = shade(colour, inside(x, y, [0.0, 0.37], [0.24, 0.07]) * 1.2);
        colour = shade(colour, inside(x, y, [0.0, 0.82], [0.26, 0.06]) * 0.8);
        colour = mix(colour, [246.0, 214.0, 196.0], inside(x, y, [-0.03, 0.12], [0.07, 0.34]) * 0.7);
        colour = mix(colour, [96.0, 56.0, 48.0], inside(side, y, [0.1, 0.33], [0.06, 0.035]) * 3.0);
        // Brows, eyes, mouth.
        let brow = y + 0.47 - 0.05 * (side - 0.38).abs();
        colour = mix(colour, HAIR, inside(side, brow, [0.37, 0.0], [0.25, 0.05]) * 3.0);
        let eye = inside(side, y, [0.36, -0.25], [0.19, 0.09]);
        colour = mix(colour, [70.0, 46.0, 40.0], (eye + 0.22) * 4.0);
        colour = mix(colour, [236.0, 232.0, 228.0], eye * 8.0);
        if eye > 0.0 {
            colour = mix(colour, [86.0, 62.0, 40.0], inside(side, y, [0.36, -0.255], [0.085, 0.085]) * 8.0);
            colour = mix(colour, [14.0, 12.0, 12.0], inside(side, y, [0.36, -0.255], [0.042, 0.042]) * 8.0);
            colour = mix(colour, [250.0; 3], inside(x, y, [0.36, -0.28], [0.02, 0.02]) * 6.0);
            colour = mix(colour, [250.0; 3], inside(x, y, [-0.36, -0.28], [0.02, 0.02]) * 6.0);
        }
        let mouth = inside(x, y, [0.0, 0.62], [0.34, 0.1]);
        colour = mix(colour, [176.0, 88.0, 84.0], mouth * 5.0);
        colour =
            mix(colour, [96.0, 40.0, 40.0], inside(x, y - 0.04 * x * x, [0.0, 0.615], [0.32, 0.018]) * 4.0);
        // The hairline.
        colour = mix(colour, HAIR, (-0.78 - y + 0.3 * x * x) * 8.0);
    }
    colour
}
