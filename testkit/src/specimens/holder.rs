//! Whose document it is: nobody's.

use crate::spoof::dice::Dice;
use base::Picture;
use jiff::civil::{Date, date};
use std::{path::Path, sync::OnceLock};

/// A person who does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Family name as printed, with its letters.
    pub family_name: String,
    /// Given names as printed.
    pub given_names: String,
    /// The name in the script of the country, where that is not Latin; printed beside it.
    pub native_name: Option<String>,
    /// `F`, `M` or `X`.
    pub sex: char,
    /// Day of birth.
    pub born: Date,
    /// Three letters.
    pub nationality: String,
    /// Place of birth.
    pub birthplace: String,
    /// Street and house.
    pub street: String,
    /// Town.
    pub town: String,
    /// Postal code.
    pub postal_code: String,
    /// Which of the ten portraits.
    pub portrait: u8,
}

impl Default for Holder {
    fn default() -> Self {
        Self {
            family_name: "Exempel".to_owned(),
            given_names: "Anna Maria".to_owned(),
            native_name: None,
            sex: 'F',
            born: date(1994, 8, 12),
            nationality: "UTO".to_owned(),
            birthplace: "Zenith".to_owned(),
            street: "14 Nowhere Lane".to_owned(),
            town: "Zenith".to_owned(),
            postal_code: "23269".to_owned(),
            portrait: 0,
        }
    }
}

const FAMILY: [&str; 20] = [
    "Exempel",
    "Beispiel",
    "Příklad",
    "Örnek",
    "Śliwiński",
    "Voorbeeld",
    "O'Sample",
    "Esimerkki",
    "Przykładowa",
    "Exemple",
    "Nimandsen",
    "Ejemplo",
    "Mintasy",
    "Pavyzdė",
    "Dæmi",
    "Paraugs",
    "Grünwald-Probe",
    "Exemplu",
    "Näide",
    "Østergård",
];
const GIVEN: [&str; 20] = [
    "Anna Maria",
    "Zoë",
    "Chloé Inès",
    "Łucja",
    "Birgit",
    "Ayşe Nur",
    "Ingrid",
    "Maria José",
    "Élodie",
    "Katarína",
    "Jūratė",
    "Siobhán",
    "Noor",
    "Renée",
    "Žofie",
    "Astrid Liv",
    "Beatriz",
    "Ilse",
    "Mária",
    "Åsa",
];
const TOWNS: [&str; 8] =
    ["Zenith", "Nadir", "Port Example", "Nowhere", "Testford", "Sampleton", "Newhaven", "Musterstadt"];

impl Holder {
    /// A person drawn by chance, 18 to 85 years old in 2024.
    pub fn random(seed: u64) -> Self {
        let mut dice = Dice::new(seed ^ 0x401d_e500);
        let mut pick = |from: &[&str]| from[(dice.word() % from.len() as u64) as usize].to_owned();
        let (family_name, given_names, birthplace, town) =
            (pick(&FAMILY), pick(&GIVEN), pick(&TOWNS), pick(&TOWNS));
        let born = date(
            1939 + (dice.word() % 67) as i16,
            1 + (dice.word() % 12) as i8,
            1 + (dice.word() % 28) as i8,
        );
        Self {
            family_name,
            given_names,
            born,
            birthplace,
            town,
            street: format!("{} Nowhere Lane", 1 + dice.word() % 200),
            postal_code: format!("{:05}", 10_000 + dice.word() % 80_000),
            portrait: (dice.word() % 10) as u8,
            ..Self::default()
        }
    }
}

/// Middle of the face and height of the head, in pixels, on a sample photo of the locked packages.
const FACES: [(u8, u32, u32, u32); 10] = [
    (6, 369, 650, 215),
    (6, 767, 523, 215),
    (6, 1281, 425, 215),
    (6, 1571, 453, 215),
    (3, 687, 520, 215),
    (3, 1188, 400, 215),
    (3, 1594, 450, 200),
    (5, 860, 250, 180),
    (5, 1169, 340, 190),
    (4, 735, 235, 190),
];

/// One of the ten portraits, 7 to 9 as a passport's are, cut from sample photos of the locked packages.
///
/// # Panics
/// When the packages are not installed.
pub fn portrait(number: u8) -> &'static Picture {
    static CUT: [OnceLock<Picture>; 10] = [const { OnceLock::new() }; 10];
    let number = usize::from(number) % FACES.len();
    CUT[number].get_or_init(|| {
        let (photo, x, y, head) = FACES[number];
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/node_modules/@vladmandic/face-api/demo");
        let file = folder.join(format!("sample{photo}.jpg"));
        let photo = image::open(file).expect("the locked packages are installed (`make setup`)").into_rgb8();
        let height = head * 19 / 10;
        let width = height * 7 / 9;
        let (left, top) = (x.saturating_sub(width / 2), y.saturating_sub(height / 2));
        let cut = image::imageops::crop_imm(&photo, left, top, width, height).to_image();
        Picture::new(cut.width(), cut.height(), cut.into_raw()).expect("a whole picture")
    })
}
