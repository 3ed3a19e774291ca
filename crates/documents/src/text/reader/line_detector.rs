//! Detects lines: a net marks the core of each line, around which a rectangle is drawn (differentiable binarisation).

use super::rectangle::Rectangle;
use crate::picture::homography::Point;
use base::Picture;
use pixels::PictureRegion;
use std::path::Path;
use vision::{
    ModelLoadError, ModelTask, NeuralNet, VisionError, load_net,
    model_manifest::{ChannelOrder, ModelInput, ModelOutput, ModelPack},
};

/// Cores that are processed, at most.
const MAX_CORES: usize = 1000;
/// Cores with a shorter side are dirt. In pixels of the scaled page.
const MIN_CORE_SIDE_PIXELS: f32 = 3.0;
/// The sides of the net's input are multiples of this.
const SIDE_MULTIPLE_PIXELS: u32 = 32;

#[derive(Debug)]
pub(super) struct LineDetector {
    id: String,
    net: Box<dyn NeuralNet>,
    input: ModelInput,
    tensor: String,
    core: f32,
    line: f32,
    grow: f32,
    longest: u32,
}

impl LineDetector {
    pub(super) fn load(folder: &Path, pack: &ModelPack) -> Result<Self, ModelLoadError> {
        let (net, input, model) = load_net(folder, pack, ModelTask::FindText)?;
        let ModelOutput::TextRegions { tensor, core, line, grow, longest } = &model.output else {
            return Err(unusable_model(&model.id, "its decode finds no text"));
        };
        let (tensor, core, line, grow, longest) = (tensor.clone(), *core, *line, *grow, *longest);
        Ok(Self { id: model.id.clone(), net, input, tensor, core, line, grow, longest })
    }

    /// The rectangles of lines, in pixels of the page.
    pub(super) fn detect(&mut self, page: &Picture) -> Result<Vec<Rectangle>, VisionError> {
        let (width, height) = self.size(page);
        let values = to_tensor(page, width, height, &self.input);
        let (width, height) = (width as usize, height as usize);
        let answer = self.net.run(&values, [1, 3, height, width])?;
        let map = answer.into_iter().find(|(name, _)| *name == self.tensor).map(|(_, values)| values);
        let map = map.filter(|map| map.len() == width * height).ok_or_else(|| VisionError::Unusable {
            model: self.id.clone(),
            what: format!("there is no map of the page in {:?}", self.tensor),
        })?;
        let scale = [page.width() as f32 / width as f32, page.height() as f32 / height as f32];
        let boxes = core_outlines(&map, width, self.core).into_iter().filter_map(|core| {
            let tight = Rectangle::around(&core)?;
            let corners = tight.corners();
            let (long, short) = (side(corners[0], corners[1]), side(corners[0], corners[3]));
            (long.min(short) >= MIN_CORE_SIDE_PIXELS && mean_inside(&map, width, &corners) >= self.line)
                .then(|| tight.grown(self.grow, scale))
        });
        Ok(boxes.collect())
    }

    /// The size to which a page is scaled: the longer side is at most `longest`, and both sides are multiples of 32
    /// pixels.
    fn size(&self, page: &Picture) -> (u32, u32) {
        let share = (self.longest as f32 / page.width().max(page.height()) as f32).min(1.0);
        let round = |side: u32| {
            let grids = (side as f32 * share / SIDE_MULTIPLE_PIXELS as f32).round() as u32;
            grids.clamp(1, self.longest.div_ceil(SIDE_MULTIPLE_PIXELS)) * SIDE_MULTIPLE_PIXELS
        };
        (round(page.width()), round(page.height()))
    }
}

pub(super) fn unusable_model(id: &str, cause: &str) -> ModelLoadError {
    ModelLoadError::Model { id: id.to_owned(), cause: cause.to_owned() }
}

fn side([ax, ay]: Point, [bx, by]: Point) -> f32 {
    // Both end pixels count.
    (bx - ax).hypot(by - ay) + 1.0
}

/// Scales a picture to the size of an input and normalises it, channel by channel.
pub(super) fn to_tensor(picture: &Picture, width: u32, height: u32, input: &ModelInput) -> Vec<f32> {
    let resized;
    let rgb = if (picture.width(), picture.height()) == (width, height) {
        picture.rgb()
    } else {
        // Scaling does not fail for any size; if it did, the input would be grey.
        resized = pixels::resize(picture, PictureRegion::whole(picture), width, height)
            .map_or_else(|| vec![128; width as usize * height as usize * 3], Picture::into_rgb);
        &resized
    };
    let order = match input.colour {
        ChannelOrder::Rgb => [0, 1, 2],
        ChannelOrder::Bgr => [2, 1, 0],
    };
    let mut out = Vec::with_capacity(rgb.len());
    for (at, channel) in order.into_iter().enumerate() {
        let (mean, scale) = (input.mean[at], input.scale[at]);
        out.extend(rgb.as_chunks::<3>().0.iter().map(|pixel| (f32::from(pixel[channel]) - mean) * scale));
    }
    out
}

/// Outlines of the connected regions above a threshold: the first and last pixel of each row.
fn core_outlines(map: &[f32], width: usize, limit: f32) -> Vec<Vec<Point>> {
    let height = map.len() / width.max(1);
    let mut free: Vec<bool> = map.iter().map(|&value| value > limit).collect();
    let mut out = Vec::new();
    let mut open = Vec::new();
    for start in 0..free.len() {
        if !free[start] {
            continue;
        }
        free[start] = false;
        open.push(start);
        let mut rows: Vec<(usize, usize, usize)> = Vec::new();
        while let Some(at) = open.pop() {
            let (x, y) = (at % width, at / width);
            rows.push((y, x, x));
            for near_y in y.saturating_sub(1)..(y + 2).min(height) {
                for near_x in x.saturating_sub(1)..(x + 2).min(width) {
                    let near = near_y * width + near_x;
                    if free[near] {
                        free[near] = false;
                        open.push(near);
                    }
                }
            }
        }
        rows.sort_unstable();
        rows.dedup_by(|next, row| {
            let same = next.0 == row.0;
            if same {
                row.2 = next.2;
            }
            same
        });
        if rows.len() < 2 {
            continue;
        }
        out.push(rows.iter().flat_map(|&(y, l, r)| [[l as f32, y as f32], [r as f32, y as f32]]).collect());
        if out.len() == MAX_CORES {
            break;
        }
    }
    out
}

/// The mean of the map inside a rectangle.
fn mean_inside(map: &[f32], width: usize, corners: &[Point; 4]) -> f32 {
    let height = map.len() / width.max(1);
    let bound = |axis: usize, most: usize| {
        let values = corners.map(|corner| corner[axis]);
        let low = values.into_iter().fold(f32::MAX, f32::min).floor().max(0.0) as usize;
        let high = values.into_iter().fold(0.0, f32::max).ceil() as usize;
        low..(high + 1).min(most)
    };
    let [a, b, _, d] = *corners;
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [d[0] - a[0], d[1] - a[1]]);
    let (long, short) = (u[0] * u[0] + u[1] * u[1], v[0] * v[0] + v[1] * v[1]);
    let (mut sum, mut count) = (0.0, 0_u32);
    for y in bound(1, height) {
        for x in bound(0, width) {
            let from = [x as f32 - a[0], y as f32 - a[1]];
            let (right, down) = (from[0] * u[0] + from[1] * u[1], from[0] * v[0] + from[1] * v[1]);
            if right >= -0.5 && down >= -0.5 && right <= long + 0.5 && down <= short + 0.5 {
                sum += map[y * width + x];
                count += 1;
            }
        }
    }
    sum / count.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_together_is_one_core() {
        let mut map = vec![0.0; 40 * 20];
        for (left, top) in [(2, 3), (20, 8)] {
            for y in top..top + 4 {
                for x in left..left + 10 {
                    map[y * 40 + x] = 0.9;
                }
            }
        }
        let found = core_outlines(&map, 40, 0.3);
        assert_eq!(found.len(), 2);
        let corners = Rectangle::around(&found[0]).unwrap().corners();
        assert_eq!(corners, [[2.0, 3.0], [11.0, 3.0], [11.0, 6.0], [2.0, 6.0]]);
        assert!((mean_inside(&map, 40, &corners) - 0.9).abs() < 1e-5);
    }
}
