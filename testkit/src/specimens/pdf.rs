//! A file of one page with text in it (PDF 1.4, no compression, a standard font).

use super::bill::Piece;

/// Points for a millimetre.
const POINT: f32 = 72.0 / 25.4;

pub(super) fn write(pieces: &[Piece]) -> Vec<u8> {
    let mut content = Vec::new();
    for piece in pieces {
        let font = if piece.bold { "F2" } else { "F1" };
        let [x, y] = piece.at;
        // Helvetica's capitals are 0.72 of its size high.
        let size = piece.capital * POINT / 0.72;
        let (x, y) = (x * POINT, (297.0 - y) * POINT);
        content.extend(format!("BT /{font} {size:.2} Tf {x:.2} {y:.2} Td (").bytes());
        for letter in piece.text.chars() {
            // WinAnsi is Latin-1 for what is used here; what it lacks becomes a question mark.
            let byte = u8::try_from(u32::from(letter)).unwrap_or(b'?');
            if matches!(byte, b'(' | b')' | b'\\') {
                content.push(b'\\');
            }
            content.push(byte);
        }
        content.extend(b") Tj ET\n");
    }
    let font = |name: &str| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
    };
    let mut stream = format!("<< /Length {} >>\nstream\n", content.len()).into_bytes();
    stream.extend(content);
    stream.extend(b"\nendstream");
    let objects: [Vec<u8>; 6] = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595.28 841.89] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>".to_vec(),
        stream,
        font("Helvetica").into_bytes(),
        font("Helvetica-Bold").into_bytes(),
    ];
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n", at + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    file.extend(format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").bytes());
    file
}
