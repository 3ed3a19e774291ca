//! A bill for electricity: A4, once as a picture and once as a file with text in it.

use super::{
    Page, Specimen,
    canvas::{Canvas, INK},
    type_face::TypeFace,
};
use jiff::ToSpan;

/// A line of text on A4: left edge and baseline in millimetres from the top left, height of a capital.
pub(super) struct Piece {
    pub(super) field: Option<&'static str>,
    pub(super) at: [f32; 2],
    pub(super) capital: f32,
    pub(super) bold: bool,
    pub(super) text: String,
}

const ORGANISATION: &str = "Utopia Power & Water Ltd";

pub(super) fn pieces(specimen: &Specimen) -> Vec<Piece> {
    let holder = &specimen.holder;
    let date = specimen.issued;
    let months = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let long = |date: jiff::civil::Date| {
        let month = months[usize::try_from(date.month() - 1).unwrap_or(0) % 12];
        format!("{} {month} {}", date.day(), date.year())
    };
    let due = date.checked_add(21.days()).unwrap_or(date);
    let plain = |x: f32, y: f32, text: &str| Piece {
        field: None,
        at: [x, y],
        capital: 2.4,
        bold: false,
        text: text.to_owned(),
    };
    let bold = |x: f32, y: f32, text: &str| Piece { bold: true, ..plain(x, y, text) };
    let field = |name: &'static str, piece: Piece| Piece { field: Some(name), ..piece };
    vec![
        field("organisation", Piece { capital: 4.6, ..bold(20.0, 24.0, ORGANISATION) }),
        plain(20.0, 31.0, "1 Turbine Road, Zenith, Utopia   SPECIMEN: this company does not exist"),
        field("full_name", plain(20.0, 58.0, &format!("{} {}", holder.given_names, holder.family_name))),
        field("street", plain(20.0, 63.5, &holder.street)),
        field("town", plain(20.0, 69.0, &format!("{} {}", holder.postal_code, holder.town))),
        plain(130.0, 58.0, "Customer number"),
        field("document_number", bold(165.0, 58.0, &specimen.number)),
        plain(130.0, 64.0, "Bill date"),
        field("date_of_issue", bold(165.0, 64.0, &long(date))),
        plain(130.0, 70.0, "Due by"),
        bold(165.0, 70.0, &long(due)),
        Piece { capital: 3.6, ..bold(20.0, 96.0, "Your electricity bill") },
        plain(20.0, 108.0, "Supply address"),
        plain(70.0, 108.0, &format!("{}, {} {}", holder.street, holder.postal_code, holder.town)),
        plain(20.0, 118.0, "Meter reading, previous"),
        plain(150.0, 118.0, "48 213 kWh"),
        plain(20.0, 125.0, "Meter reading, present"),
        plain(150.0, 125.0, "48 655 kWh"),
        plain(20.0, 132.0, "442 kWh at 0.2874"),
        plain(150.0, 132.0, "127.03"),
        plain(20.0, 139.0, "Standing charge, 31 days"),
        plain(150.0, 139.0, "18.60"),
        bold(20.0, 150.0, "Amount due"),
        bold(150.0, 150.0, "145.63"),
        plain(20.0, 270.0, "Please pay nobody. Questions: 000 000 0000, weekdays from never to noon."),
    ]
}

pub(super) fn draw(specimen: &Specimen) -> Page {
    let mut canvas = Canvas::new([210.0, 297.0], 6.0, [250.0, 250.0, 248.0]);
    canvas.fill([0.0, 0.0, 210.0, 12.0], [24.0, 110.0, 120.0], 1.0);
    for y in [142.0, 153.0] {
        canvas.fill([20.0, y, 150.0, 0.3], INK, 0.6);
    }
    // A chart of the year, so that the page is not text alone.
    for month in 0..12 {
        let height = 14.0 + 11.0 * ((month as f32) * 0.55).cos();
        canvas.fill([22.0 + month as f32 * 13.0, 230.0 - height, 9.0, height], [110.0, 170.0, 176.0], 0.9);
    }
    for piece in pieces(specimen) {
        let face = if piece.bold { TypeFace::SansBold } else { TypeFace::Sans };
        canvas.text(face, piece.capital, piece.at, INK, &piece.text);
        if let Some(name) = piece.field {
            canvas.note(name, &piece.text);
        }
    }
    if specimen.overprint {
        canvas.overprint();
    }
    canvas.finish(0.0, Vec::new(), None)
}
