//! Still pictures of all formats.

use super::{Site, make};
use base::Picture;
use media::video::{StillPicture, VideoError, VideoSettings};

async fn decoded(site: &Site, name: &str) -> Result<Picture, VideoError> {
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
