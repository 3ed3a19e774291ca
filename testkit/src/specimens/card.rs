//! Identity cards and residence permits: ID-1 with a TD1 zone behind (ICAO 9303-5), ID-2 with a TD2 zone (9303-6).

use super::{
    Kind, Page, Specimen,
    canvas::{Canvas, INK},
    passport::name_of,
    type_face::TypeFace,
};
use jiff::civil::Date;

/// `12.08.1994`, as many cards have it.
fn figures_of(date: Date) -> String {
    format!("{:02}.{:02}.{}", date.day(), date.month(), date.year())
}

fn title(specimen: &Specimen) -> &'static str {
    match specimen.kind {
        Kind::ResidencePermit => "RESIDENCE PERMIT",
        _ => "IDENTITY CARD",
    }
}

pub(super) fn front(specimen: &Specimen) -> Page {
    let holder = &specimen.holder;
    let mut canvas = Canvas::new([85.6, 53.98], 12.0, [232.0, 238.0, 236.0]);
    let permit = specimen.kind == Kind::ResidencePermit;
    let waves = if permit {
        [[206.0, 176.0, 196.0], [150.0, 170.0, 206.0]]
    } else {
        [[140.0, 196.0, 182.0], [206.0, 186.0, 140.0]]
    };
    canvas.guilloche(waves, 0.4);
    let blue = [32.0, 66.0, 112.0];
    canvas.text(TypeFace::SansBold, 2.1, [4.0, 5.2], blue, name_of(&specimen.issuer));
    canvas.text(TypeFace::Sans, 1.7, [4.0, 8.6], blue, title(specimen));
    canvas.portrait(holder.portrait, [4.0, 12.0, 24.0, 30.86]);
    canvas.field("document_number", "Document No.", &specimen.number, [60.0, 4.0], 1.9);
    canvas.field("family_name", "Surname", &holder.family_name.to_uppercase(), [31.0, 13.0], 1.9);
    canvas.field("given_names", "Given names", &holder.given_names.to_uppercase(), [31.0, 19.0], 1.9);
    if let Some(native) = &holder.native_name {
        canvas.text(TypeFace::Sans, 1.6, [58.0, 16.3], INK, native);
        canvas.note("native_name", native);
    }
    canvas.field("sex", "Sex", &holder.sex.to_string(), [31.0, 25.0], 1.9);
    canvas.field("nationality", "Nationality", &holder.nationality, [40.0, 25.0], 1.9);
    canvas.field("date_of_birth", "Date of birth", &figures_of(holder.born), [56.0, 25.0], 1.9);
    canvas.field("place_of_birth", "Place of birth", &holder.birthplace.to_uppercase(), [31.0, 31.0], 1.9);
    canvas.field("date_of_expiry", "Date of expiry", &figures_of(specimen.expires), [31.0, 37.0], 1.9);
    if specimen.overprint {
        canvas.overprint();
    }
    canvas.finish(3.18, Vec::new(), None)
}

pub(super) fn back(specimen: &Specimen) -> Page {
    let holder = &specimen.holder;
    let mut canvas = Canvas::new([85.6, 53.98], 12.0, [234.0, 236.0, 232.0]);
    canvas.guilloche([[150.0, 190.0, 200.0], [206.0, 190.0, 160.0]], 0.34);
    canvas.fill([0.0, 30.8, 85.6, 23.18], [245.0, 245.0, 241.0], 0.7);
    canvas.field(
        "address",
        "Address",
        &format!("{}, {} {}", holder.street, holder.postal_code, holder.town).to_uppercase(),
        [4.0, 5.0],
        1.7,
    );
    canvas.field("authority", "Issuing authority", "CITY OF ZENITH", [4.0, 11.0], 1.7);
    canvas.field("date_of_issue", "Date of issue", &figures_of(specimen.issued), [4.0, 17.0], 1.7);
    // A chip's contacts and a faint second portrait, so that the back is no plain sheet.
    canvas.fill([66.0, 6.0, 12.0, 9.5], [206.0, 178.0, 110.0], 0.9);
    for line in 1..4 {
        canvas.fill([66.0, 6.0 + 2.375 * line as f32, 12.0, 0.15], [120.0, 96.0, 40.0], 0.9);
    }
    canvas.picture(super::portrait(holder.portrait), [54.0, 16.0, 9.0, 11.57], true, 0.35);
    if specimen.overprint {
        canvas.overprint();
    }
    let lines = specimen.mrz();
    canvas.mrz(&lines, 4.7, 50.0, 6.35);
    canvas.finish(3.18, lines, None)
}

pub(super) fn large(specimen: &Specimen) -> Page {
    let holder = &specimen.holder;
    let mut canvas = Canvas::new([105.0, 74.0], 12.0, [238.0, 235.0, 226.0]);
    canvas.guilloche([[196.0, 176.0, 150.0], [150.0, 186.0, 176.0]], 0.4);
    canvas.fill([0.0, 54.6, 105.0, 19.4], [245.0, 244.0, 239.0], 0.72);
    canvas.text(TypeFace::SansBold, 2.3, [6.0, 6.6], [70.0, 50.0, 40.0], name_of(&specimen.issuer));
    canvas.text(TypeFace::Sans, 1.8, [6.0, 10.6], [70.0, 50.0, 40.0], title(specimen));
    canvas.portrait(holder.portrait, [6.0, 14.0, 29.0, 37.3]);
    canvas.field("document_number", "Document No.", &specimen.number, [76.0, 5.0], 2.0);
    canvas.field("family_name", "Surname", &holder.family_name.to_uppercase(), [39.0, 15.0], 2.1);
    canvas.field("given_names", "Given names", &holder.given_names.to_uppercase(), [39.0, 22.0], 2.1);
    canvas.field("date_of_birth", "Date of birth", &figures_of(holder.born), [39.0, 29.0], 2.1);
    canvas.field("sex", "Sex", &holder.sex.to_string(), [68.0, 29.0], 2.1);
    canvas.field("nationality", "Nationality", &holder.nationality, [80.0, 29.0], 2.1);
    canvas.field("place_of_birth", "Place of birth", &holder.birthplace.to_uppercase(), [39.0, 36.0], 2.1);
    canvas.field("date_of_expiry", "Date of expiry", &figures_of(specimen.expires), [39.0, 43.0], 2.1);
    if specimen.overprint {
        canvas.overprint();
    }
    let lines = specimen.mrz();
    canvas.mrz(&lines, 6.8, 69.0, 6.35);
    canvas.finish(3.0, lines, None)
}
