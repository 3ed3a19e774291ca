//! Videos for tests, made by ffmpeg. Each frame shows its number in binary, so that a picture tells which frame it is.

use base::Picture;
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};
use tempfile::TempDir;

/// Bars in a frame: the bits of its number, the lowest on the left.
const BARS: u32 = 12;
pub(crate) const WIDTH: u32 = 192;
pub(crate) const HEIGHT: u32 = 96;

/// A folder that is removed after the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Runs ffmpeg in a folder.
pub(crate) fn ffmpeg(folder: &Folder, arguments: &str) {
    let words =
        arguments.split_whitespace().map(|word| word.replace("{numbers}", NUMBERS.file.to_str().unwrap()));
    let made = Command::new("ffmpeg")
        .args(["-nostdin", "-v", "error", "-y", "-threads", "1"])
        .args(words)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{arguments}: {}", String::from_utf8_lossy(&made.stderr));
}

/// The bytes of a file that ffmpeg makes; the last argument is its name.
pub(crate) fn file(arguments: &str) -> Vec<u8> {
    let folder = Folder::new();
    ffmpeg(&folder, arguments);
    std::fs::read(folder.path().join(arguments.split_whitespace().last().unwrap())).unwrap()
}

/// ffmpeg's arguments for numbered frames as input, at a frame rate and for a duration.
pub(crate) fn numbers(fps: &str, seconds: f64) -> String {
    format!(
        "-f rawvideo -pix_fmt gray -video_size {WIDTH}x{HEIGHT} -framerate {fps} -t {seconds} -i {{numbers}}"
    )
}

/// Typical H.264: with B-frames, and key frames far apart.
pub(crate) const H264: &str = "-pix_fmt yuv420p -c:v libx264 -preset veryfast -bf 3 -g 75";

/// An MP4 file of numbered frames.
pub(crate) fn mp4(fps: &str, seconds: f64) -> Vec<u8> {
    file(&format!("{} {H264} a.mp4", numbers(fps, seconds)))
}

struct Numbers {
    _folder: Folder,
    file: PathBuf,
}

/// 1024 raw frames.
static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let folder = Folder::new();
    let file = folder.path().join("numbers");
    let mut bytes = Vec::new();
    for number in 0..1024 {
        let row = (0..WIDTH).map(|x| if number >> (x / (WIDTH / BARS)) & 1 == 1 { 235 } else { 20 });
        bytes.extend(row.collect::<Vec<u8>>().repeat(HEIGHT as usize));
    }
    std::fs::write(&file, bytes).unwrap();
    Numbers { _folder: folder, file }
});

/// The number of the frame that a picture shows.
pub(crate) fn number(picture: &Picture) -> u32 {
    let (width, y) = (picture.width(), i64::from(picture.height() / 2));
    let bar = |bit: u32| picture.pixel(i64::from((2 * bit + 1) * width / (2 * BARS)), y)[1] > 127;
    (0..BARS).map(|bit| u32::from(bar(bit)) << bit).sum()
}
