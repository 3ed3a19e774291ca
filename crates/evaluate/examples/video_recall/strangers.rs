//! How alike two people look to the search that finds a face again by its pixels: the nearer, the likelier is a cut to somebody
//! else in the same place overlooked until the next look.

use anyhow::Context as _;
use base::Picture;
use std::path::Path;
use vision::{Face, FaceTemplate, VisionModels};

/// Similarities of all pairs of the faces in a folder of portraits (.jpg), in ascending order.
pub(crate) fn similarities(pack: &Path, portraits: &Path) -> anyhow::Result<Vec<f32>> {
    let mut vision = VisionModels::load(pack)?;
    let mut people: Vec<(Picture, Face)> = Vec::new();
    for entry in std::fs::read_dir(portraits)? {
        let file = entry?.path();
        if file.extension().is_none_or(|end| end != "jpg") {
            continue;
        }
        let photo = image::open(&file)?.into_rgb8();
        let (width, height) = photo.dimensions();
        let picture = Picture::new(width, height, photo.into_raw()).context("a picture")?;
        if let Some(face) = vision.detect_upright(&picture)?.first() {
            people.push((picture, *face));
        }
    }
    let mut similarities = Vec::new();
    for (number, (picture, face)) in people.iter().enumerate() {
        let Some(template) = FaceTemplate::of(picture, face) else { continue };
        let others = people.iter().enumerate().filter(|(other, _)| *other != number);
        similarities
            .extend(others.filter_map(|(_, (picture, face))| Some(template.find(picture, face)?.similarity)));
    }
    similarities.sort_by(f32::total_cmp);
    Ok(similarities)
}
