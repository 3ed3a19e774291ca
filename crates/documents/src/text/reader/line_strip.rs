//! Draws lines as level strips of the height that a net requires, and classifies those that are upside down.

use super::line_detector::{to_tensor, unusable_model};
use crate::picture::homography::{Homography, Point};
use base::Picture;
use std::path::Path;
use vision::{
    ModelLoadError, ModelTask, NeuralNet, VisionError, load_net,
    model_manifest::{ModelInput, ModelOutput, ModelPack},
};

/// Widest strip.
pub(super) const MAX_STRIP_WIDTH_PIXELS: u32 = 2048;

/// The width of a line that is drawn with this height, in pixels.
pub(super) fn strip_width(corners: &[Point; 4], height: u32) -> u32 {
    let [a, b, c, d] = *corners;
    let mean = |one: (Point, Point), other: (Point, Point)| {
        let length = |(p, q): (Point, Point)| (q[0] - p[0]).hypot(q[1] - p[1]);
        f32::midpoint(length(one), length(other))
    };
    let ratio = mean((a, b), (d, c)) / mean((a, d), (b, c)).max(1.0);
    ((ratio * height as f32).ceil() as u32).clamp(height / 2, MAX_STRIP_WIDTH_PIXELS)
}

/// Draws the strip of a line; `None` where its corners span no area.
pub(super) fn draw_strip(page: &Picture, corners: &[Point; 4], width: u32, height: u32) -> Option<Picture> {
    let (right, bottom) = (width as f32 - 1.0, height as f32 - 1.0);
    let from = [[0.0, 0.0], [right, 0.0], [right, bottom], [0.0, bottom]];
    Homography::from_corners(&from, corners)?.warp_picture(page, width, height)
}

/// Classifies lines that are upside down.
#[derive(Debug)]
pub(super) struct UpsideDownClassifier {
    id: String,
    net: Box<dyn NeuralNet>,
    input: ModelInput,
    tensor: String,
    turned_index: usize,
}

impl UpsideDownClassifier {
    pub(super) fn load(folder: &Path, pack: &ModelPack) -> Result<Self, ModelLoadError> {
        let (net, input, model) = load_net(folder, pack, ModelTask::TurnText)?;
        let ModelOutput::TextTurned { tensor, turned_index } = &model.output else {
            return Err(unusable_model(
                &model.id,
                "its decoding names no class for lines that are upside down",
            ));
        };
        Ok(Self { id: model.id.clone(), net, tensor: tensor.clone(), turned_index: *turned_index, input })
    }

    /// Probability that a line is upside down, 0 to 1.
    pub(super) fn upside_down_probability(
        &mut self,
        page: &Picture,
        corners: &[Point; 4],
    ) -> Result<f32, VisionError> {
        let (width, height) = (self.input.width, self.input.height);
        // Longer lines are compressed, as in the training of the net; shorter ones are padded with grey.
        let drawn = strip_width(corners, height).min(width);
        let Some(strip) = draw_strip(page, corners, drawn, height) else { return Ok(0.5) };
        let values = pad_rows(&to_tensor(&strip, drawn, height, &self.input), drawn, width);
        let answer = self.net.run(&values, [1, 3, height as usize, width as usize])?;
        let answer = answer.iter().find(|(name, _)| *name == self.tensor);
        let probability = answer.and_then(|(_, values)| values.get(self.turned_index)).copied();
        probability.filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| VisionError::Unusable {
            model: self.id.clone(),
            what: "the probability is not from 0 to 1".to_owned(),
        })
    }
}

/// Pads the rows of a tensor with zeros from one width to another.
pub(super) fn pad_rows(values: &[f32], from: u32, to: u32) -> Vec<f32> {
    let (from, to) = (from as usize, to.max(from) as usize);
    let mut out = Vec::with_capacity(values.len() / from.max(1) * to);
    for row in values.chunks_exact(from.max(1)) {
        out.extend_from_slice(row);
        out.resize(out.len() + to - from, 0.0);
    }
    out
}
