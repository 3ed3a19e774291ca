//! A North American driving licence: ID-1, portrait in front, PDF417 behind (AAMVA's card design standard).

use super::{
    Page, Specimen, barcode,
    canvas::{Canvas, INK},
    type_face::TypeFace,
};
use jiff::civil::Date;

/// `08/12/1994` in the USA and `1994/08/12` in Canada.
fn figures_of(date: Date, specimen: &Specimen) -> String {
    if specimen.issuer.starts_with("CAN") {
        format!("{}/{:02}/{:02}", date.year(), date.month(), date.day())
    } else {
        format!("{:02}/{:02}/{}", date.month(), date.day(), date.year())
    }
}

pub(super) fn front(specimen: &Specimen) -> Page {
    let holder = &specimen.holder;
    let day = |date| figures_of(date, specimen);
    let mut canvas = Canvas::new([85.6, 53.98], 12.0, [240.0, 236.0, 226.0]);
    canvas.guilloche([[176.0, 196.0, 222.0], [226.0, 196.0, 170.0]], 0.42);
    let (country, state) = specimen.issuer.split_once('/').unwrap_or(("USA", "VA"));
    let blue = [30.0, 52.0, 116.0];
    canvas.fill([0.0, 0.0, 85.6, 8.6], [186.0, 204.0, 232.0], 0.8);
    let end = canvas.text(TypeFace::SansBold, 3.0, [4.0, 6.2], blue, state);
    canvas.text(TypeFace::SansBold, 1.9, [end + 4.0, 6.0], blue, "DRIVER'S LICENSE");
    canvas.text(TypeFace::SansBold, 2.4, [74.0, 6.0], blue, country);
    canvas.portrait(holder.portrait, [4.0, 12.0, 24.5, 31.5]);
    canvas.field("document_number", "4d DL", &specimen.number, [31.0, 12.0], 2.0);
    canvas.field("date_of_expiry", "4b EXP", &day(specimen.expires), [60.0, 12.0], 2.0);
    canvas.field("family_name", "1", &holder.family_name.to_uppercase(), [31.0, 18.0], 2.0);
    canvas.field("given_names", "2", &holder.given_names.to_uppercase(), [31.0, 23.0], 2.0);
    let address =
        format!("{}, {}, {state} {}", holder.street, holder.town, holder.postal_code).to_uppercase();
    canvas.field("address", "8", &address, [31.0, 28.0], 1.35);
    canvas.field("date_of_birth", "3 DOB", &day(holder.born), [31.0, 33.5], 2.0);
    canvas.field("date_of_issue", "4a ISS", &day(specimen.issued), [60.0, 33.5], 2.0);
    let rows = [
        (31.0, "15 SEX", if holder.sex == 'M' { "M" } else { "F" }),
        (42.0, "16 HGT", "5'-06\""),
        (60.0, "18 EYES", "BRO"),
    ];
    for (x, caption, value) in rows {
        canvas.text(TypeFace::Sans, 1.0, [x, 40.5], [70.0, 76.0, 110.0], caption);
        canvas.text(TypeFace::SansBold, 1.8, [x, 43.6], INK, value);
    }
    canvas.picture(super::portrait(holder.portrait), [72.0, 40.0, 8.0, 10.3], true, 0.45);
    if specimen.overprint {
        canvas.overprint();
    }
    canvas.finish(3.18, Vec::new(), None)
}

pub(super) fn back(specimen: &Specimen) -> Page {
    let mut canvas = Canvas::new([85.6, 53.98], 12.0, [243.0, 242.0, 238.0]);
    canvas.guilloche([[200.0, 208.0, 222.0], [226.0, 214.0, 200.0]], 0.25);
    canvas.fill([0.0, 0.0, 85.6, 9.0], [30.0, 30.0, 34.0], 1.0);
    canvas.text(TypeFace::Sans, 1.2, [5.0, 37.0], INK, "CLASS: D  Operator");
    canvas.text(TypeFace::Sans, 1.2, [5.0, 40.0], INK, "REST: NONE     END: NONE");
    canvas.text(TypeFace::Sans, 1.0, [5.0, 50.0], INK, "This card was issued by nobody. If found, keep it.");
    let text = specimen.barcode().unwrap_or_default();
    // 76 mm at most; a module of 0.17 mm and more, as the standard has it.
    canvas.modules(&barcode::pdf417_modules(&text), [6.0, 12.0, 73.6, 19.0]);
    if specimen.overprint {
        canvas.overprint();
    }
    canvas.finish(3.18, Vec::new(), Some(text))
}
