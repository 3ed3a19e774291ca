//! Modules of barcodes, by rxing's writers.

use rxing::{
    BarcodeFormat, EncodeHints, Writer, common::BitMatrix, pdf417::PDF417Writer, qrcode::QRCodeWriter,
};

/// Rows of modules, `true` for black, each of the same length; without a quiet zone. A row of a PDF417 is four modules
/// high, and given four times.
///
/// # Panics
/// When the text does not fit.
pub fn pdf417_modules(text: &str) -> Vec<Vec<bool>> {
    let hints = EncodeHints {
        Margin: Some("0".to_owned()),
        ErrorCorrection: Some("4".to_owned()),
        CharacterSet: Some("ISO-8859-1".to_owned()),
        ..EncodeHints::default()
    };
    let matrix = PDF417Writer.encode_with_hints(text, &BarcodeFormat::PDF_417, 2, 1, &hints);
    rows(&matrix.expect("what fits a licence fits a PDF417"))
}

/// Rows of modules, `true` for black; without a quiet zone.
///
/// # Panics
/// When the text does not fit.
pub fn qr_modules(text: &str) -> Vec<Vec<bool>> {
    let hints = EncodeHints {
        Margin: Some("0".to_owned()),
        ErrorCorrection: Some("M".to_owned()),
        ..EncodeHints::default()
    };
    let matrix = QRCodeWriter.encode_with_hints(text, &BarcodeFormat::QR_CODE, 1, 1, &hints);
    rows(&matrix.expect("the text fits a QR code"))
}

fn rows(matrix: &BitMatrix) -> Vec<Vec<bool>> {
    let row = |y| (0..matrix.getWidth()).map(|x| matrix.get(x, y)).collect();
    (0..matrix.getHeight()).map(row).collect()
}
