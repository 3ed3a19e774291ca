//! Document files that people upload, above all PDF files, valid and invalid.

use flate2::{Compression, write::ZlibEncoder};
use media::document_file::{
    DocumentFile, DocumentFileError, DocumentFileLoader, DocumentFileSettings, PdfFile,
};
use std::io::Write as _;

/// A PDF file whose pages all have the same content.
struct Made {
    pages: usize,
    size: [f32; 2],
    content: Vec<u8>,
    filter: &'static str,
    trailer: &'static str,
}

impl Default for Made {
    fn default() -> Self {
        let content = b"BT /F1 12 Tf 72 700 Td (Smith & Sons <Ltd>) Tj 0 -20 Td (Second line) Tj ET".to_vec();
        Self { pages: 1, size: [595.0, 842.0], content, filter: "", trailer: "" }
    }
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let kids: Vec<String> = (0..self.pages).map(|page| format!("{} 0 R", page + 5)).collect();
        let kids = kids.join(" ");
        let [width, height] = self.size;
        let mut objects = vec![
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", self.pages).into_bytes(),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
            [
                format!("<< /Length {} {} >>\nstream\n", self.content.len(), self.filter).as_bytes(),
                &self.content,
                b"\nendstream",
            ]
            .concat(),
        ];
        objects.extend((0..self.pages).map(|_| {
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
                 /Resources << /Font << /F1 3 0 R >> >> >>"
            )
            .into_bytes()
        }));
        let mut file = b"%PDF-1.4\n".to_vec();
        let mut places = Vec::new();
        for (at, object) in objects.iter().enumerate() {
            places.push(file.len());
            writeln!(file, "{} 0 obj", at + 1).expect("memory");
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let (table, count) = (file.len(), objects.len() + 1);
        writeln!(file, "xref\n0 {count}\n0000000000 65535 f ").expect("memory");
        for place in places {
            writeln!(file, "{place:010} 00000 n ").expect("memory");
        }
        let trailer = self.trailer;
        write!(file, "trailer\n<< /Size {count} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n")
            .expect("memory");
        file
    }
}

fn deflate(bytes: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    for piece in bytes {
        encoder.write_all(&piece).expect("memory");
    }
    encoder.finish().expect("memory")
}

async fn open(bytes: Vec<u8>) -> Result<PdfFile, DocumentFileError> {
    match DocumentFileLoader::default().open(bytes).await? {
        DocumentFile::Pdf(pdf) => Ok(pdf),
        DocumentFile::Picture(_) => panic!("a PDF file was taken for a picture"),
    }
}

#[tokio::test]
async fn text_comes_with_its_places_and_pages_as_pictures() {
    let pdf = open(Made::default().bytes()).await.expect("a sound file");
    let [page] = pdf.pages() else { panic!("one page, not {}", pdf.pages().len()) };
    assert!((page.size[0] - 209.9).abs() < 0.2 && (page.size[1] - 297.0).abs() < 0.2, "{:?}", page.size);
    let words: Vec<_> = page.words.iter().map(|word| (word.text.as_str(), word.line)).collect();
    assert_eq!(words, [("Smith", 0), ("&", 0), ("Sons", 0), ("<Ltd>", 0), ("Second", 1), ("line", 1)]);
    let [left, top, right, bottom] = page.words[0].bounds;
    assert!((left - 25.4).abs() < 0.5 && right > left + 5.0, "an inch from the left: {left} to {right}");
    assert!((45.0..50.1).contains(&top) && (47.0..53.0).contains(&bottom), "{top} to {bottom}");

    let picture = DocumentFileLoader::default().render_page(&pdf, 0).await.expect("the page is drawn");
    assert_eq!(picture.height(), 3000);
    assert!((2110..2130).contains(&picture.width()), "{}", picture.width());
    let dark = picture.rgb().chunks_exact(3).filter(|pixel| pixel[0] < 100).count();
    assert!((2000..200_000).contains(&dark), "letters are drawn: {dark} dark pixels");
}

#[tokio::test]
async fn pages_beyond_the_limit_are_left_alone() {
    let pdf = open(Made { pages: 400, ..Made::default() }.bytes()).await.expect("a sound file");
    assert_eq!(pdf.pages().len(), DocumentFileSettings::default().max_pages);
    assert!(DocumentFileLoader::default().render_page(&pdf, 9).await.is_ok());
    assert_eq!(
        DocumentFileLoader::default().render_page(&pdf, 10).await.unwrap_err(),
        DocumentFileError::Damaged
    );
}

#[tokio::test]
async fn what_is_damaged_or_encrypted_or_no_document_is_named() {
    let whole = Made::default().bytes();
    assert_eq!(open(whole[..60].to_vec()).await.unwrap_err(), DocumentFileError::Damaged);
    assert_eq!(open(b"%PDF-1.7\n".to_vec()).await.unwrap_err(), DocumentFileError::Damaged);
    let none = Made { pages: 0, ..Made::default() };
    assert_eq!(open(none.bytes()).await.unwrap_err(), DocumentFileError::Damaged);
    let key = "/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -44 \
               /O <0102030405060708091011121314151617181920212223242526272829303132> \
               /U <0102030405060708091011121314151617181920212223242526272829303132> >>";
    let locked = Made { trailer: key, ..Made::default() };
    assert_eq!(open(locked.bytes()).await.unwrap_err(), DocumentFileError::Encrypted);

    let scanner = DocumentFileLoader::default();
    assert_eq!(scanner.open(Vec::new()).await.unwrap_err(), DocumentFileError::Empty);
    let refused = scanner.open(vec![b'x'; 10_000_001]).await.unwrap_err();
    assert_eq!(refused, DocumentFileError::TooLarge { measured: 10_000_001, limit: 10_000_000 });
    let refused = scanner.open(b"neither nor".to_vec()).await.unwrap_err();
    assert!(matches!(refused, DocumentFileError::NotAPicture(_)), "{refused}");
    let lacking = DocumentFileLoader::new(DocumentFileSettings {
        pdftotext: "/nowhere/pdftotext".into(),
        ..DocumentFileSettings::default()
    });
    assert_eq!(lacking.open(whole).await.unwrap_err(), DocumentFileError::Missing("pdftotext"));
}

#[tokio::test]
async fn a_page_of_a_kilometre_is_drawn_no_larger_than_others() {
    let made = Made { size: [2_834_645.0, 2_834_645.0], ..Made::default() };
    let pdf = open(made.bytes()).await.expect("a sound file");
    let drawn = DocumentFileLoader::default().render_page(&pdf, 0).await;
    assert!(drawn.is_err() || drawn.is_ok_and(|picture| picture.width() <= 3000));
}

#[tokio::test]
async fn a_page_that_never_ends_is_given_up() {
    // 600 MB of strokes, compressed to less than a megabyte.
    let strokes = b"0 0 m 600 800 l S 0 800 m 600 0 l S\n".repeat(30_000);
    let content = deflate((0..600).map(|_| strokes.clone()));
    assert!(content.len() < 5_000_000);
    let made = Made { content, filter: "/Filter /FlateDecode", ..Made::default() };
    let brief =
        DocumentFileLoader::new(DocumentFileSettings { cpu_seconds: 1, ..DocumentFileSettings::default() });
    let bytes = made.bytes();
    let refused = match brief.open(bytes).await {
        Ok(DocumentFile::Pdf(pdf)) => brief.render_page(&pdf, 0).await.map(|_| ()).unwrap_err(),
        Ok(DocumentFile::Picture(_)) => panic!("no picture"),
        Err(refused) => refused,
    };
    assert!(matches!(refused, DocumentFileError::Limit { .. }), "{refused}");
}

#[tokio::test]
async fn a_text_that_never_ends_is_given_up() {
    let words = b"BT /F1 1 Tf 10 10 Td (word word word word word word) Tj ET\n".repeat(20_000);
    let content = deflate((0..200).map(|_| words.clone()));
    let made = Made { content, filter: "/Filter /FlateDecode", ..Made::default() };
    let scanner =
        DocumentFileLoader::new(DocumentFileSettings { cpu_seconds: 2, ..DocumentFileSettings::default() });
    let refused = scanner.open(made.bytes()).await.map(|_| ()).unwrap_err();
    assert!(matches!(refused, DocumentFileError::Limit { .. }), "{refused}");
}

#[tokio::test]
async fn the_pages_of_a_file_share_its_time() {
    let pdf = open(Made::default().bytes()).await.expect("a sound file");
    let brief =
        DocumentFileLoader::new(DocumentFileSettings { pdf_seconds: 1, ..DocumentFileSettings::default() });
    let mut drawn = 0;
    let refused = loop {
        match brief.render_page(&pdf, 0).await {
            Ok(_) if drawn < 1000 => drawn += 1,
            Ok(_) => panic!("a thousand pages were drawn in a second"),
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused, DocumentFileError::Limit { what: "time", limit: "1 seconds".to_owned() });
}

#[tokio::test]
async fn pictures_of_every_kind_are_opened() {
    let mut png = std::io::Cursor::new(Vec::new());
    let grey = image::GrayImage::from_fn(64, 48, |x, y| image::Luma([(x * 3 + y) as u8]));
    grey.write_to(&mut png, image::ImageFormat::Png).expect("memory");
    for bytes in [png.into_inner(), b"BM".to_vec()] {
        let known = bytes.len() > 2;
        match DocumentFileLoader::default().open(bytes).await {
            Ok(DocumentFile::Picture(picture)) => {
                assert!(known);
                assert_eq!((picture.width(), picture.height()), (64, 48));
                assert_eq!(picture.pixel(10, 5), [35, 35, 35]);
            }
            Err(DocumentFileError::NotAPicture(_)) => assert!(!known),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_pdf_file_in_the_comment_of_a_picture_is_not_opened() {
    let (mut jpeg, pdf) = (Vec::new(), Made::default().bytes());
    jpeg_encoder::Encoder::new(&mut jpeg, 95)
        .encode(&[128; 64 * 48 * 3], 64, 48, jpeg_encoder::ColorType::Rgb)
        .expect("memory");
    let length = u16::try_from(pdf.len() + 2).expect("it fits into a segment").to_be_bytes();
    let both = [&jpeg[..2], b"\xff\xfe", &length, &pdf, &jpeg[2..]].concat();
    let loader = DocumentFileLoader::default();
    let picture = loader.open_picture(both).await.expect("a sound picture");
    assert_eq!((picture.width(), picture.height()), (64, 48));

    let refused = loader.open_picture(pdf).await.unwrap_err();
    assert!(matches!(refused, DocumentFileError::NotAPicture(_)), "{refused}");
    assert_eq!(loader.open_picture(Vec::new()).await.unwrap_err(), DocumentFileError::Empty);
    let refused = loader.open_picture(vec![0xff; 10_000_001]).await.unwrap_err();
    assert_eq!(refused, DocumentFileError::TooLarge { measured: 10_000_001, limit: 10_000_000 });
}

#[tokio::test]
async fn damage_anywhere_is_an_answer_and_no_failure() {
    let content = deflate([Made::default().content]);
    let whole = Made { content, filter: "/Filter /FlateDecode", ..Made::default() }.bytes();
    let scanner = DocumentFileLoader::default();
    let mut chance = 12_345_u64;
    let mut draw = |below: usize| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) as usize % below
    };
    for _ in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..=draw(12) {
            let at = draw(bytes.len().saturating_sub(8).max(1)) + 7;
            match draw(3) {
                0 => bytes[at] = draw(256) as u8,
                1 if bytes.len() > 60 => drop(bytes.drain(at..(at + draw(40)).min(bytes.len()))),
                _ => bytes.truncate(at.max(16)),
            }
        }
        match scanner.open(bytes.clone()).await {
            Ok(DocumentFile::Pdf(pdf)) => {
                let drawn = scanner.render_page(&pdf, 0).await;
                assert!(
                    !matches!(drawn, Err(DocumentFileError::Failed(_) | DocumentFileError::Missing(_))),
                    "{drawn:?}"
                );
            }
            Ok(DocumentFile::Picture(_)) => panic!("it calls itself PDF"),
            Err(
                DocumentFileError::Damaged | DocumentFileError::Encrypted | DocumentFileError::Limit { .. },
            ) => {}
            Err(other) => panic!("{other}: {}", String::from_utf8_lossy(&bytes)),
        }
    }
}
