//! Still pictures of all formats.

use super::{Site, make};
use base::Picture;
use media::{
    image_validation::BlendedPicture,
    video::{StillPicture, VideoError, VideoSettings},
};
use moxcms::{ColorProfile, ToneReprCurve};

async fn decoded(site: &Site, name: &str) -> Result<Picture, VideoError> {
    blended(site, name).await.map(|blended| blended.on_white)
}

async fn blended(site: &Site, name: &str) -> Result<BlendedPicture, VideoError> {
    site.videos.picture(&site.host.at(name)).await.and_then(StillPicture::decode)
}

#[tokio::test]
async fn pictures_of_usual_kinds_are_read() {
    let site = Site::open().await;
    let source = "-f lavfi -i color=red:s=300x200 -frames:v 1";
    for name in ["a.jpg", "a.png", "a.webp", "a.gif", "a.bmp", "a.tiff"] {
        site.host.put(name, make::file(&format!("{source} {name}")));
        let picture = decoded(&site, name).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((picture.width(), picture.height()), (300, 200), "{name}");
        let [red, green, blue] = picture.pixel(150, 100);
        assert!(red > 240 && green < 15 && blue < 15, "{name}: {:?}", [red, green, blue]);
    }
    for (name, how) in
        [("grey.jpg", "-pix_fmt gray"), ("deep.png", "-pix_fmt rgb48be"), ("palette.png", "-pix_fmt pal8")]
    {
        site.host.put(name, make::file(&format!("-f lavfi -i testsrc=s=64x48 -frames:v 1 {how} {name}")));
        assert_eq!(decoded(&site, name).await.map(|picture| picture.width()), Ok(64), "{name}");
    }
    site.host.put("moves.gif", make::file("-f lavfi -i testsrc=s=64x48:d=2 a.gif"));
    assert_eq!(decoded(&site, "moves.gif").await.map(|picture| picture.height()), Ok(48));
}

/// Red on the left, and nothing on the right, where red lies under it.
#[tokio::test]
async fn what_is_transparent_shows_the_page() {
    let site = Site::open().await;
    let half = "color=red:s=300x200,format=rgba,geq=r=255:g=0:b=0:a=255*lt(X\\,150)";
    let large = half.replace("300x200", "6000x200").replace("150", "3000");
    for (name, source, how) in [
        ("a.png", half, ""),
        ("deep.png", half, "-pix_fmt rgba64be"),
        ("large.png", &large, ""),
        ("a.webp", half, "-lossless 1"),
        ("a.tiff", half, ""),
        ("a.bmp", half, ""),
    ] {
        site.host.put(name, make::file(&format!("-f lavfi -i {source} -frames:v 1 {how} {name}")));
        let shown = blended(&site, name).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let on_black = shown.on_black.unwrap_or_else(|| panic!("{name} is opaque"));
        let (x, y) = (i64::from(shown.on_white.width()), 50);
        for (picture, page) in [(&shown.on_white, 255), (&on_black, 0)] {
            assert_eq!(picture.size(), shown.on_white.size(), "{name}");
            let [red, green, blue] = picture.pixel(x / 4, y);
            assert!(red > 250 && green < 5 && blue < 5, "{name}: {:?}", [red, green, blue]);
            assert_eq!(picture.pixel(x * 3 / 4, y), [page; 3], "{name}");
        }
    }
    let palette = "color=red:s=300x200:d=0.04,format=rgba,geq=r=255:g=0:b=0:a=255*lt(X\\,150),split[a][b];\
                   [a]palettegen[p];[b][p]paletteuse";
    site.host.put("a.gif", make::file(&format!("-f lavfi -i {palette} -frames:v 1 a.gif")));
    let shown = blended(&site, "a.gif").await.unwrap();
    assert_eq!(shown.on_white.pixel(225, 50), [255; 3]);
    assert_eq!(shown.on_black.unwrap().pixel(225, 50), [0; 3]);

    // What is opaque looks the same everywhere, whether or not its format knows transparency.
    for name in ["b.jpg", "b.png", "b.webp", "b.gif", "b.bmp", "b.tiff"] {
        site.host.put(name, make::file(&format!("-f lavfi -i color=red:s=300x200 -frames:v 1 {name}")));
        assert_eq!(blended(&site, name).await.unwrap().on_black, None, "{name}");
    }
}

/// Colours are scaled by how much of them is seen.
#[tokio::test]
async fn what_lies_under_transparent_places_colours_nothing_beside_them() {
    let site = Site::open().await;
    // Every other column is transparent, with green under it.
    let stripes =
        "color=red:s=8000x64,format=rgba,geq=r=255*mod(X\\,2):g=255-255*mod(X\\,2):b=0:a=255*mod(X\\,2)";
    site.host.put("a.png", make::file(&format!("-f lavfi -i {stripes} -frames:v 1 a.png")));
    let shown = blended(&site, "a.png").await.unwrap();
    assert_eq!(shown.on_white.width(), 4096);
    let [red, green, blue] = shown.on_black.unwrap().pixel(2000, 16);
    assert!((100..=160).contains(&red) && green < 5 && blue < 5, "{:?}", [red, green, blue]);
    let [red, green, blue] = shown.on_white.pixel(2000, 16);
    assert!(red > 250 && (100..=160).contains(&green) && green == blue, "{:?}", [red, green, blue]);
}

/// A profile by which the lightest two thirds look black.
fn black_profile() -> Vec<u8> {
    let mut profile = ColorProfile::new_srgb();
    let curve = Some(ToneReprCurve::Lut(vec![65535, 0, 0, 0]));
    (profile.red_trc, profile.green_trc, profile.blue_trc) = (curve.clone(), curve.clone(), curve);
    profile.cicp = None;
    profile.encode().unwrap()
}

#[tokio::test]
async fn colour_profiles_of_pictures_that_ffmpeg_decodes_are_followed() {
    let site = Site::open().await;
    let grey = "-f lavfi -i color=0xc8c8c8:s=300x200 -frames:v 1";
    let profile = black_profile();
    let jpeg = make::file("-f lavfi -i color=0xc8c8c8:s=6000x100 -frames:v 1 a.jpg");
    let content = [&b"ICC_PROFILE\0\x01\x01"[..], &profile].concat();
    let segment = [&[0xff, 0xe2][..], &(content.len() as u16 + 2).to_be_bytes(), &content].concat();
    let large = [&jpeg[..2], &segment, &jpeg[2..]].concat();

    let plain = make::file(&format!("{grey} a.webp"));
    let features = b"VP8X\x0a\0\0\0\x20\0\0\0\x2b\x01\0\xc7\0\0";
    let padding = vec![0; profile.len() % 2];
    let chunk = [&b"ICCP"[..], &(profile.len() as u32).to_le_bytes(), &profile, &padding].concat();
    let chunks = [&b"WEBP"[..], features, &chunk, &plain[12..]].concat();
    let webp = [&b"RIFF"[..], &(chunks.len() as u32).to_le_bytes(), &chunks].concat();

    let deep = make::file(&format!("{grey} -pix_fmt rgb48be a.png"));
    let gamma = &[0, 0, 0, 4, b'g', b'A', b'M', b'A', 0, 0, 0x10, 0, 0, 0, 0, 0];
    let checksum = crc32(&gamma[4..12]).to_be_bytes();
    let deep = [&deep[..33], &gamma[..12], &checksum, &deep[33..]].concat();
    for (name, file) in [("a.jpg", large), ("a.webp", webp), ("a.png", deep)] {
        site.host.put(name, file);
        let [red, green, blue] = decoded(&site, name).await.unwrap().pixel(100, 50);
        assert!(red < 20 && green < 20 && blue < 20, "{name}: {:?}", [red, green, blue]);
    }
    for name in ["b.jpg", "b.webp", "b.png"] {
        site.host.put(name, make::file(&format!("{grey} {name}")));
        assert!(decoded(&site, name).await.unwrap().pixel(100, 50)[0] > 190, "{name}");
    }
}

/// The checksum of PNG (ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

/// A TIFF block that states orientation 6: the right side of what is stored is the bottom of what people see.
const ORIENTATION_6: &[u8] = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";

/// An uncompressed TIFF file of 300 x 200 pixels with orientation 6, blue but for its upper left quarter, which is red.
fn tiff_on_its_side() -> Vec<u8> {
    let (width, height) = (300_u32, 200_u32);
    let pixels: Vec<u8> = (0..width * height)
        .flat_map(|at| if at % width < 150 && at / width < 100 { [255, 0, 0] } else { [0, 0, 255] })
        .collect();
    // Tag, type (3: 16 bits, 4: 32 bits), count, and the value or where it is: the bits of a sample and the pixels follow the
    // directory.
    let entries: [[u32; 4]; 10] = [
        [256, 4, 1, width],
        [257, 4, 1, height],
        [258, 3, 3, 134],
        [259, 3, 1, 1],
        [262, 3, 1, 2],
        [273, 4, 1, 140],
        [274, 3, 1, 6],
        [277, 3, 1, 3],
        [278, 4, 1, height],
        [279, 4, 1, width * height * 3],
    ];
    let mut file = b"II*\0\x08\0\0\0\x0a\0".to_vec();
    for [tag, kind, count, value] in entries {
        file.extend([tag as u16, kind as u16].map(u16::to_le_bytes).concat());
        file.extend([count, value].map(u32::to_le_bytes).concat());
    }
    file.extend(b"\0\0\0\0\x08\0\x08\0\x08\0");
    file.extend(pixels);
    file
}

/// The same picture as WebP.
fn webp_on_its_side() -> Vec<u8> {
    let source = "color=blue:s=300x200,drawbox=w=150:h=100:color=red:t=fill";
    let plain = make::file(&format!("-f lavfi -i {source} -frames:v 1 a.webp"));
    assert_ne!(&plain[12..16], b"VP8X", "it is made without metadata");
    // Metadata, and 24 bits each for width and height, less one.
    let features = b"VP8X\x0a\0\0\0\x08\0\0\0\x2b\x01\0\xc7\0\0";
    let exif = [&b"EXIF"[..], &(ORIENTATION_6.len() as u32).to_le_bytes(), ORIENTATION_6].concat();
    let chunks = [&b"WEBP"[..], features, &plain[12..], &exif].concat();
    [&b"RIFF"[..], &(chunks.len() as u32).to_le_bytes(), &chunks].concat()
}

/// The same picture as AVIF: to be turned to the left three times.
fn avif_on_its_side() -> Vec<u8> {
    let source = "color=blue:s=300x200,drawbox=w=150:h=100:color=red:t=fill";
    let mut file = make::file(&format!(
        "-f lavfi -i {source} -frames:v 1 -c:v libaom-av1 -cpu-used 8 -still-picture 1 a.avif"
    ));
    // The rotation takes the place of the property that tells the bits of a sample, so everything else stays where it is.
    let at = file.windows(4).position(|kind| kind == b"pixi").unwrap();
    file[at..at + 5].copy_from_slice(b"irot\x03");
    file
}

#[tokio::test]
async fn pictures_that_ffmpeg_decodes_are_turned_upright() {
    let site = Site::open().await;
    for (name, bytes) in
        [("a.tiff", tiff_on_its_side()), ("a.webp", webp_on_its_side()), ("a.avif", avif_on_its_side())]
    {
        site.host.put(name, bytes);
        let picture = decoded(&site, name).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((picture.width(), picture.height()), (200, 300), "{name}");
        let [red, _, blue] = picture.pixel(150, 50);
        assert!(red > 200 && blue < 50, "{name}: the upper right is {:?}", [red, blue]);
        for (x, y) in [(50, 50), (50, 250), (150, 250)] {
            let [red, _, blue] = picture.pixel(x, y);
            assert!(red < 50 && blue > 200, "{name}: {x}, {y} is {:?}", [red, blue]);
        }
    }
}

fn iso_box(kind: &[u8], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

/// The content of the first box of a type, wherever it is in a file.
fn content_of<'a>(file: &'a [u8], kind: &[u8]) -> &'a [u8] {
    let at = file.windows(4).position(|letters| letters == kind).unwrap();
    let length = u32::from_be_bytes(file[at - 4..at].try_into().unwrap());
    &file[at + 4..at - 4 + length as usize]
}

/// An AVIF file of items of 300 x 200 pixels in these colours, with its data beside their descriptions and further boxes after
/// those. The last item is the primary one.
fn avif_of(colours: &[&str], more: &[u8]) -> Vec<u8> {
    let count = colours.len() as u8;
    let (mut entries, mut locations) = (vec![0, 0, 0, 0, 0, count], vec![1, 0, 0, 0, 0x44, 0, 0, count]);
    let mut associations = vec![0, 0, 0, 0, 0, 0, 0, count];
    let (mut properties, mut data) = (Vec::<u8>::new(), Vec::<u8>::new());
    for (number, colour) in (1..=count).zip(colours) {
        let source = format!("-f lavfi -i color={colour}:s=300x200 -frames:v 1");
        let file = make::file(&format!("{source} -c:v libaom-av1 -cpu-used 8 -still-picture 1 a.avif"));
        for kind in [b"ispe", b"av1C"] {
            properties.extend(iso_box(kind, content_of(&file, kind)));
        }
        associations.extend([0, number, 2, 2 * number - 1, 0x80 | (2 * number)]);
        entries.extend(iso_box(b"infe", &[&[2, 0, 0, 0, 0, number, 0, 0][..], b"av01\0"].concat()));
        let item = content_of(&file, b"mdat");
        locations.extend([0, number, 0, 1, 0, 0, 0, 1]);
        locations.extend([data.len() as u32, item.len() as u32].map(u32::to_be_bytes).concat());
        data.extend_from_slice(item);
    }
    let properties = [iso_box(b"ipco", &properties), iso_box(b"ipma", &associations)].concat();
    let meta = [
        vec![0; 4],
        iso_box(b"hdlr", b"\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        iso_box(b"pitm", &[0, 0, 0, 0, 0, count]),
        iso_box(b"iinf", &entries),
        iso_box(b"iprp", &properties),
        iso_box(b"idat", &data),
        iso_box(b"iloc", &locations),
    ];
    [iso_box(b"ftyp", b"avif\0\0\0\0mif1avif"), iso_box(b"meta", &meta.concat()), more.to_vec()].concat()
}

#[tokio::test]
async fn of_an_avif_the_primary_item_is_judged_whole_or_nothing() {
    let site = Site::open().await;
    site.host.put("two.avif", avif_of(&["red", "blue"], &[]));
    let picture = decoded(&site, "two.avif").await.unwrap();
    let [red, _, blue] = picture.pixel(150, 100);
    assert!(red < 50 && blue > 200, "{:?}", [red, blue]);
    let changed = |from: &[u8], to: &[u8]| {
        let mut file = avif_of(&["red"], &[]);
        let at = file.windows(from.len()).position(|letters| letters == from).unwrap();
        file[at..at + to.len()].copy_from_slice(to);
        file
    };
    let two_stills = {
        let mut file = avif_of(&["red", "blue"], &[]);
        // The primary item, which is the second, gets the data of both.
        let data = [0, content_of(&file, b"idat").len() as u32].map(u32::to_be_bytes).concat();
        let at = file.windows(4).position(|letters| letters == b"iloc").unwrap() + 36;
        file[at..at + 8].copy_from_slice(&data);
        file
    };
    let moving = make::file("-f lavfi -i testsrc=s=64x48:d=0.2 -c:v libaom-av1 -cpu-used 8 a.avif");
    let sequence = iso_box(b"moov", content_of(&moving, b"moov"));
    for (name, file, why) in [
        ("grid.avif", changed(b"av01", b"grid"), "derived from others"),
        ("part.avif", changed(b"ispe", b"ispe\0\0\0\0\0\0\x02\x58\0\0\x01\x90"), "600 x 400"),
        ("stills.avif", two_stills, "several frames"),
        ("moving.avif", moving, "a sequence of pictures"),
        ("beside.avif", avif_of(&["red"], &sequence), "a sequence of pictures"),
    ] {
        site.host.put(name, file);
        let error = decoded(&site, name).await.unwrap_err();
        assert_eq!(error.code(), "NOT_A_PICTURE", "{name}: {error}");
        assert!(error.to_string().contains(why), "{name}: {error}");
    }
}

/// ffmpeg decodes it, because it is so large, and would take it for a video.
#[tokio::test]
async fn a_jpeg_is_read_as_one_whatever_its_comment_begins_with() {
    let site = Site::open().await;
    let jpeg = make::file("-f lavfi -i testsrc=s=6000x3000 -frames:v 1 a.jpg");
    // The comment's length and its first letters are together the name of a box.
    let comment = [&b"\xff\xfemoov"[..], &b"\0".repeat(0x6d6f - 4)].concat();
    site.host.put("a.jpg", [&jpeg[..2], &comment, &jpeg[2..]].concat());
    let picture = decoded(&site, "a.jpg").await.unwrap();
    assert_eq!((picture.width(), picture.height()), (4096, 2048));
}

#[tokio::test]
async fn large_pictures_are_scaled_down_or_refused() {
    let site = Site::with(VideoSettings {
        max_picture_pixels: 30_000_000,
        max_picture_bytes: 1_000_000,
        ..VideoSettings::default()
    })
    .await;
    for name in ["a.jpg", "a.webp"] {
        site.host.put(name, make::file(&format!("-f lavfi -i testsrc=s=6000x3000 -frames:v 1 {name}")));
        let picture = decoded(&site, name).await.unwrap();
        assert_eq!((picture.width(), picture.height()), (4096, 2048), "{name}");
    }
    for name in ["b.jpg", "b.webp"] {
        site.host.put(name, make::file(&format!("-f lavfi -i color=s=8000x4000 -frames:v 1 {name}")));
        let error = decoded(&site, name).await.unwrap_err();
        assert_eq!(error.code(), "VIDEO_TOO_LARGE", "{name}: {error}");
    }
    site.host.put("c.jpg", vec![0; 1_000_001]);
    assert_eq!(decoded(&site, "c.jpg").await, Err(VideoError::TooLarge { limit: 1_000_000 }));
    let cut = make::file("-f lavfi -i testsrc=s=640x480 -frames:v 1 a.png");
    site.host.put("cut.png", &cut[..cut.len() / 2]);
    site.host.put("cut.webp", "RIFF\x20\0\0\0WEBPVP8 nothing of the kind");
    site.host.put("text.jpg", "hello");
    for name in ["cut.png", "cut.webp", "text.jpg"] {
        let error = decoded(&site, name).await.unwrap_err();
        assert_eq!(error.code(), "NOT_A_PICTURE", "{name}: {error}");
    }
}
