//! The data page of a passport: ID-3, with a TD3 zone (ICAO 9303-4).

use super::{
    Page, Specimen,
    canvas::{Canvas, INK},
    type_face::TypeFace,
    words_of,
};

/// Letters of the issuer as a name, where it is one of those that tests use often.
pub(super) fn name_of(issuer: &str) -> &str {
    match issuer {
        "UTO" => "UTOPIA",
        "D" | "DEU" => "BUNDESREPUBLIK DEUTSCHLAND",
        "FRA" => "RÉPUBLIQUE FRANÇAISE",
        "GBR" => "UNITED KINGDOM",
        "GRC" => "ΕΛΛΗΝΙΚΗ ΔΗΜΟΚΡΑΤΙΑ",
        "BGR" => "РЕПУБЛИКА БЪЛГАРИЯ",
        "UKR" => "УКРАЇНА",
        "SWE" => "SVERIGE",
        other => other,
    }
}

pub(super) fn draw(specimen: &Specimen) -> Page {
    let holder = &specimen.holder;
    let mut canvas = Canvas::new([125.0, 88.0], 12.0, [236.0, 234.0, 224.0]);
    canvas.guilloche([[150.0, 176.0, 206.0], [214.0, 168.0, 160.0]], 0.42);
    canvas.fill([0.0, 64.6, 125.0, 23.4], [244.0, 243.0, 238.0], 0.72);
    canvas.portrait(holder.portrait, [6.0, 17.0, 34.0, 43.7]);

    let blue = [40.0, 58.0, 110.0];
    canvas.text(TypeFace::Sans, 1.6, [6.0, 6.5], blue, "PASSPORT / PASSEPORT");
    canvas.text(TypeFace::SansBold, 2.6, [44.0, 7.6], blue, name_of(&specimen.issuer));
    let rows = [(44.0, "Type", "P"), (60.0, "Code of issuer", specimen.issuer.as_str())];
    for (x, caption, value) in rows {
        canvas.text(TypeFace::Sans, 1.05, [x, 12.0], [70.0, 76.0, 110.0], caption);
        canvas.text(TypeFace::SansBold, 2.1, [x, 15.4], INK, value);
    }
    canvas.field("document_number", "Passport No. / No. du passeport", &specimen.number, [92.0, 12.0], 2.1);
    canvas.field("family_name", "Surname / Nom (1)", &holder.family_name.to_uppercase(), [44.0, 19.0], 2.2);
    canvas.field(
        "given_names",
        "Given names / Prénoms (2)",
        &holder.given_names.to_uppercase(),
        [44.0, 26.0],
        2.2,
    );
    if let Some(native) = &holder.native_name {
        canvas.text(TypeFace::Serif, 1.9, [88.0, 22.8], INK, native);
        canvas.note("native_name", native);
    }
    canvas.field(
        "nationality",
        "Nationality / Nationalité (3)",
        name_of(&holder.nationality),
        [44.0, 33.0],
        2.1,
    );
    canvas.field(
        "date_of_birth",
        "Date of birth / Date de naissance (4)",
        &words_of(holder.born),
        [44.0, 40.0],
        2.1,
    );
    canvas.field("sex", "Sex / Sexe (5)", &holder.sex.to_string(), [86.0, 40.0], 2.1);
    canvas.field(
        "place_of_birth",
        "Place of birth / Lieu de naissance (6)",
        &holder.birthplace.to_uppercase(),
        [96.0, 40.0],
        2.1,
    );
    canvas.field(
        "date_of_issue",
        "Date of issue / Date de délivrance (7)",
        &words_of(specimen.issued),
        [44.0, 47.0],
        2.1,
    );
    canvas.field("authority", "Authority / Autorité (8)", "PASSPORT OFFICE ZENITH", [86.0, 47.0], 1.7);
    canvas.field(
        "date_of_expiry",
        "Date of expiry / Date d'expiration (9)",
        &words_of(specimen.expires),
        [44.0, 54.0],
        2.1,
    );
    if specimen.overprint {
        canvas.overprint();
    }
    let lines = specimen.mrz();
    canvas.mrz(&lines, 6.6, 82.0, 6.35);
    canvas.finish(3.2, lines, None)
}
