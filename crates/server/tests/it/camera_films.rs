//! Films for a browser's pretended camera, made of still pictures.

use crate::test_installation::{TestInstallation, repository, text};
use base::Picture;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use testkit::{
    media_fixtures::png,
    specimens::{PhotoConditions, SpecimenPage, photograph},
};

/// Runs ffmpeg from one file to another.
fn draw(from: &Path, to: &Path, graph: &str, more: &[&str]) {
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-loop", "1", "-framerate", "5", "-i"]).arg(from).args(["-vf", graph]);
    let done = command.args(more).arg(to).stdin(Stdio::null()).output().unwrap();
    assert!(done.status.success(), "{graph}: {}", text(&done.stderr));
}

/// A film of a picture, 1920 x 1080: what a hand that is not quite still holds before a sensor with some noise, eight
/// pictures over and over, five a second. `part` cuts or fills the picture to 1940 x 1100. Chromium reads Y4M as narrow
/// BT.601 and takes the rate from it, so that it need not decode thirty pictures a second.
fn film(place: &TestInstallation, name: &str, picture: &Picture, part: &str) -> PathBuf {
    let held = format!("{part},crop=1920:1080:x='10+3*sin(n*PI/4)':y='10+3*cos(n*PI/4)'");
    shoot(place, name, picture, &held, 8)
}

/// A film of so many pictures, which a graph makes of one.
fn shoot(place: &TestInstallation, name: &str, picture: &Picture, graph: &str, pictures: u32) -> PathBuf {
    let (still, film) = (place.path(&format!("{name}.png")), place.path(&format!("{name}.y4m")));
    std::fs::write(&still, png(picture)).unwrap();
    let sensor = "noise=alls=3:allf=t:all_seed=7,scale=out_color_matrix=bt601:out_range=tv,format=yuv420p";
    let graph = format!("{graph},{sensor}");
    draw(&still, &film, &graph, &["-frames:v", &pictures.to_string(), "-f", "yuv4mpegpipe", "-y"]);
    film
}

/// A page that lies in the frame of the session's page: seven tenths of the film's height or of its middle's width.
pub(crate) fn document(place: &TestInstallation, name: &str, page: &SpecimenPage) -> PathBuf {
    let conditions = PhotoConditions {
        long_side: 2304,
        fill: 0.53,
        angle: 1.0,
        tilt: [2.0, -2.0],
        exposure: -0.1,
        ..PhotoConditions::clean(4)
    };
    let photo = photograph(page, &conditions);
    let middle = |axis: usize| photo.corners.iter().map(|corner| corner[axis]).sum::<f32>() / 4.0;
    let part = format!("crop=1940:1100:{:.0}:{:.0}", middle(0) - 970.0, middle(1) - 550.0);
    film(place, name, &photo.picture, &part)
}

/// A person before a camera that is held upright, in the middle of the film.
pub(crate) fn person(place: &TestInstallation, name: &str, picture: &Picture) -> PathBuf {
    film(place, name, picture, "scale=-2:1100:flags=bicubic,pad=1940:1100:-1:-1:color=0x6b7178")
}

/// The same person at arm's length, with room to cut nearer views out of the middle.
pub(crate) fn distant(place: &TestInstallation, name: &str, picture: &Picture) -> PathBuf {
    shoot(place, name, picture, "scale=-2:825:flags=bicubic,pad=2880:1620:-1:-1:color=0x6b7178", 8)
}

/// Somebody of a sample photo of the locked packages: whose face is at `x`, `y`, and how many rows of the photo are shown.
/// The photo is turned by these degrees, so that a head that leans stands upright.
pub(crate) fn somebody(
    place: &TestInstallation,
    photo: u8,
    [x, y]: [u32; 2],
    rows: u32,
    degrees: i32,
) -> Picture {
    let from = repository(&format!("models/node_modules/@vladmandic/face-api/demo/sample{photo}.jpg"));
    let to = place.path("somebody.png");
    let around = rows * 2 / 3;
    let graph = format!(
        "crop={side}:{side}:{}:{},rotate={degrees}*PI/180,crop={rows}*0.78:{rows},scale=858:1100:flags=bicubic",
        x - around,
        y - around,
        side = around * 2,
    );
    draw(&from, &to, &graph, &["-frames:v", "1", "-y"]);
    let image = image::open(to).unwrap().into_rgb8();
    Picture::new(image.width(), image.height(), image.into_raw()).unwrap()
}
