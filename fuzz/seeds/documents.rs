//! Texts of driving licences of every version, and small pictures of barcodes.

use super::Seed;
use rxing::{BarcodeFormat, EncodeHints, Writer, pdf417::PDF417Writer, qrcode::QRCodeWriter};

const ELEMENTS: &str = "DAQT64235789\nDCSSAMPLE\nDDEN\nDACMICHAEL\nDDFN\nDADJOHN\nDDGN\nDCUJR\nDBD06062019\nDBB06061986\n\
    DBA12102034\nDBC1\nDAU068 in\nDAYBRO\nDAG2300 WEST BROAD STREET\nDAIRICHMOND\nDAJVA\nDAK232690000  \nDCGUSA";
const VERSION_1_ELEMENTS: &str = "DAASAMPLE,ANNA,MARIA\nDAQ1234\nDBB19560102\nDBCF\nDAU509";

pub(crate) fn texts() -> Vec<Seed> {
    let mut seeds: Vec<Seed> = (2..=10)
        .map(|version| {
            let body = format!("DL{ELEMENTS}\r");
            let own = "ZVZVA01\r";
            let text = format!(
                "@\n\x1e\rANSI 636000{version:02}0002DL0041{:04}ZV{:04}{:04}{body}{own}",
                body.len(),
                41 + body.len(),
                own.len()
            );
            (format!("version-{version}"), text.into_bytes())
        })
        .collect();
    let body = format!("DL{VERSION_1_ELEMENTS}\r");
    seeds.push((
        "version-1".to_owned(),
        format!("@\n\x1e\rANSI 6360150101DL0029{:04}{body}", body.len()).into_bytes(),
    ));
    seeds.push((
        "old".to_owned(),
        format!("@\n\x1e\rAAMVA6360150001DL0029{:04}{body}", body.len()).into_bytes(),
    ));
    seeds
}

pub(crate) fn pictures() -> Vec<Seed> {
    let hints = EncodeHints { Margin: Some("3".to_owned()), ..EncodeHints::default() };
    let codes = [
        ("pdf417", PDF417Writer.encode_with_hints("SPECIMEN", &BarcodeFormat::PDF_417, 2, 1, &hints)),
        ("qr", QRCodeWriter.encode_with_hints("SPECIMEN", &BarcodeFormat::QR_CODE, 1, 1, &hints)),
    ];
    let mut seeds = Vec::new();
    for (name, matrix) in codes {
        let Ok(matrix) = matrix else { continue };
        for scale in [1, 2] {
            let (width, height) = (matrix.getWidth() * scale, matrix.getHeight() * scale);
            let Ok(first) = u8::try_from(width) else { continue };
            let mut bytes = vec![first];
            for y in 0..height {
                bytes.extend((0..width).map(|x| if matrix.get(x / scale, y / scale) { 20 } else { 235 }));
            }
            seeds.push((format!("{name}-{scale}"), bytes));
        }
    }
    seeds
}
