//! Face embeddings: vectors in a space in which pictures of one person lie close together, and the false match rates of
//! distances in it.

use crate::{
    Face, ModelLoadError, VisionError,
    crop::{self, CropSquare},
    inference::{NeuralNet, tensor_named},
    model_manifest::{DistanceMetric, FalseMatchThreshold, ModelEntry, ModelInput, ModelOutput},
};
use aws_lc_rs::digest;
use base::Picture;

/// Version of the code between picture and net. Raise it when the same manifest would give other crops, so that old
/// embeddings are not compared with new ones.
const CROP_VERSION: u32 = 1;

/// The space of embeddings. Embeddings of different spaces are never compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmbeddingSpace {
    /// Id of the model in the manifest.
    pub model: String,
    /// Identifies the space: SHA-256 over the hash of the model's file (or of the file that it gives the embeddings of), the
    /// input, the crops and the metric, but not over the thresholds.
    pub sha256: [u8; 32],
    /// Numbers of an embedding, 2 to 4096.
    pub dimension: usize,
    /// False match rates (ISO/IEC 19795-1) and the Euclidean distances at which they were measured, both ascending.
    pub thresholds: Vec<(f64, f32)>,
}

impl EmbeddingSpace {
    /// The SHA-256 in hexadecimal.
    pub fn digest(&self) -> String {
        hex::encode(self.sha256)
    }

    /// The distance with this false match rate, interpolated over the logarithm of the rate; `None` outside the table.
    pub fn distance_at(&self, false_match_rate: f64) -> Option<f32> {
        let exact = self.thresholds.iter().find(|(rate, _)| *rate == false_match_rate);
        if let Some((_, distance)) = exact {
            return Some(*distance);
        }
        let inside = |pair: &&[(f64, f32)]| (pair[0].0..pair[1].0).contains(&false_match_rate);
        let pair = self.thresholds.windows(2).find(inside)?;
        let [(low, near), (high, far)] = pair else { return None };
        let share = (false_match_rate / low).ln() / (high / low).ln();
        Some(near + (far - near) * share as f32)
    }

    /// The share of strangers who are as near as this distance, or nearer: [`Self::distance_at`] turned round. Below the table its
    /// first rate, beyond it its last: no more is known. `None` without a table.
    pub fn false_match_rate_at(&self, distance: f32) -> Option<f64> {
        let ((least, nearest), (most, farthest)) = (self.thresholds.first()?, self.thresholds.last()?);
        if distance <= *nearest {
            return Some(*least);
        }
        if distance >= *farthest {
            return Some(*most);
        }
        let pair = self.thresholds.windows(2).find(|pair| (pair[0].1..pair[1].1).contains(&distance))?;
        let [(low, near), (high, far)] = pair else { return None };
        Some(low * (high / low).powf(f64::from((distance - near) / (far - near))))
    }
}

/// Euclidean distance of two embeddings; infinite where their lengths differ.
pub fn embedding_distance(a: &[f32], b: &[f32]) -> f32 {
    if a.len() != b.len() {
        return f32::INFINITY;
    }
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

/// The weighted mean of embeddings (weights are not negative), scaled to their length where all of them have the same one.
/// `None` for no embeddings, for different lengths, or where all weights are 0.
pub fn mean_embedding<'a>(weighted: impl IntoIterator<Item = (&'a [f32], f32)>) -> Option<Vec<f32>> {
    let (mut sum, mut total, mut shortest, mut longest) = (Vec::new(), 0.0, f32::INFINITY, 0.0_f32);
    for (embedding, weight) in weighted {
        if sum.is_empty() {
            sum = vec![0.0; embedding.len()];
        }
        if sum.len() != embedding.len() {
            return None;
        }
        for (sum, value) in sum.iter_mut().zip(embedding) {
            *sum += value * weight;
        }
        total += weight;
        let length = norm(embedding);
        (shortest, longest) = (shortest.min(length), longest.max(length));
    }
    let by = if longest - shortest < 1e-3 * longest { norm(&sum) / longest } else { total };
    (total > 0.0 && by > 0.0).then(|| sum.iter().map(|value| value / by).collect())
}

fn norm(values: &[f32]) -> f32 {
    values.iter().map(|value| value * value).sum::<f32>().sqrt()
}

#[derive(Debug)]
pub(crate) struct EmbeddingModel {
    net: Box<dyn NeuralNet>,
    input: ModelInput,
    tensor: String,
    metric: DistanceMetric,
    mirror: bool,
    pub(crate) space: EmbeddingSpace,
}

impl EmbeddingModel {
    /// Runs the net once to find the dimension; an error where it is not from 2 to 4096.
    pub(crate) fn new(
        model: &ModelEntry,
        mut net: Box<dyn NeuralNet>,
        input: ModelInput,
    ) -> Result<Self, ModelLoadError> {
        let wrong_decode = || ModelLoadError::wrong(model, "its decode gives no embedding");
        let ModelOutput::Embedding { tensor: name, metric, mirror, thresholds, .. } = &model.output else {
            return Err(wrong_decode());
        };
        if thresholds.is_empty() {
            let what = "it states no false match rates; import the models again, or add output.thresholds";
            return Err(ModelLoadError::wrong(model, what));
        }
        let shape = [1, 3, input.height as usize, input.width as usize];
        let answer = net.run(&vec![0.0; shape.iter().product()], shape).map_err(ModelLoadError::Vision)?;
        let dimension = tensor_named(&answer, name, &model.id).map_err(ModelLoadError::Vision)?.len();
        if !(2..=4096).contains(&dimension) {
            return Err(ModelLoadError::wrong(model, "an embedding has 2 to 4096 numbers"));
        }
        let space = EmbeddingSpace {
            model: model.id.clone(),
            sha256: embedding_space_sha256(model).ok_or_else(wrong_decode)?,
            dimension,
            thresholds: thresholds
                .iter()
                .map(|FalseMatchThreshold { rate, distance }| (*rate, *distance))
                .collect(),
        };
        Ok(Self { net, input, tensor: name.clone(), metric: *metric, mirror: *mirror, space })
    }

    /// A model whose net always answers this, for tests.
    pub(crate) fn scripted(answer: Vec<f32>, input: ModelInput) -> Self {
        let space = EmbeddingSpace {
            model: "scripted".to_owned(),
            sha256: [0; 32],
            dimension: answer.len(),
            thresholds: vec![(1e-3, 0.5)],
        };
        let net = Box::new(crate::ScriptedNet(vec![("embedding".to_owned(), answer)]));
        let tensor = "embedding".to_owned();
        Self { net, input, tensor, metric: DistanceMetric::Euclidean, mirror: false, space }
    }

    pub(crate) fn embed(&mut self, picture: &Picture, face: &Face) -> Result<Vec<f32>, VisionError> {
        let mut sum = vec![0.0; self.space.dimension];
        let mut count = 0.0;
        let scales = self.input.crop.scales.clone();
        for scale in scales {
            let mut values = Vec::new();
            let square = CropSquare::around(face, self.input.crop.rule, scale);
            crop::write_crop(picture, square, &self.input, &mut values);
            self.accumulate(&values, &mut sum)?;
            count += 1.0;
            if self.mirror {
                for row in values.chunks_exact_mut(self.input.width as usize) {
                    row.reverse();
                }
                self.accumulate(&values, &mut sum)?;
                count += 1.0;
            }
        }
        let by = match self.metric {
            DistanceMetric::Euclidean => count,
            DistanceMetric::Cosine => norm(&sum),
        };
        let embedding: Vec<f32> = sum.into_iter().map(|value| value / by).collect();
        // Not finite where the sum has length 0.
        if embedding.iter().all(|value| value.is_finite()) {
            Ok(embedding)
        } else {
            Err(self.unusable("the embedding is not finite"))
        }
    }

    /// Runs the net on one crop and adds its output to `sum`, normalised for cosine so that each crop counts the same.
    fn accumulate(&mut self, values: &[f32], sum: &mut [f32]) -> Result<(), VisionError> {
        let shape = [1, 3, self.input.height as usize, self.input.width as usize];
        let answer = self.net.run(values, shape)?;
        let found = tensor_named(&answer, &self.tensor, &self.space.model)?;
        if found.len() != sum.len() {
            return Err(self.unusable("the embedding has another length than before"));
        }
        let by = match self.metric {
            DistanceMetric::Euclidean => 1.0,
            DistanceMetric::Cosine => norm(found),
        };
        for (sum, value) in sum.iter_mut().zip(found) {
            *sum += value / by;
        }
        Ok(())
    }

    fn unusable(&self, what: &str) -> VisionError {
        VisionError::Unusable { model: self.space.model.clone(), what: what.to_owned() }
    }
}

/// [`EmbeddingSpace::sha256`] of a model as its manifest tells it, without its net; `None` where it gives no embeddings.
pub(crate) fn embedding_space_sha256(model: &ModelEntry) -> Option<[u8; 32]> {
    let ModelOutput::Embedding { tensor, metric, mirror, same_space_as, .. } = &model.output else {
        return None;
    };
    let file = same_space_as.clone().unwrap_or_else(|| model.digest());
    Some(fingerprint(&file, model.input.as_ref()?, tensor, *metric, *mirror))
}

/// SHA-256 of a space: over its texts, each after its length (64 bits, little-endian), and its numbers (32 bits,
/// little-endian).
fn fingerprint(
    file: &str,
    input: &ModelInput,
    tensor: &str,
    metric: DistanceMetric,
    mirror: bool,
) -> [u8; 32] {
    let mut hash = digest::Context::new(&digest::SHA256);
    let crop = &input.crop;
    // Renaming a variant of the enums would change every space; a test pins the digest of the default one.
    let texts = [
        "embedding space".to_owned(),
        file.to_owned(),
        input.name.clone(),
        tensor.to_owned(),
        format!("{:?} {:?} {metric:?} {mirror}", input.colour, crop.rule),
    ];
    for text in texts {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    for number in [CROP_VERSION, input.width, input.height] {
        hash.update(&number.to_le_bytes());
    }
    for number in input.mean.iter().chain(&input.scale).chain(&crop.scales) {
        hash.update(&number.to_le_bytes());
    }
    let mut sha256 = [0; 32];
    sha256.copy_from_slice(hash.finish().as_ref());
    sha256
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_manifest::{ChannelOrder, CropRule, CropSpec};

    fn input() -> ModelInput {
        ModelInput {
            name: "input".to_owned(),
            width: 4,
            height: 4,
            colour: ChannelOrder::Rgb,
            mean: [0.0; 3],
            scale: [1.0; 3],
            crop: CropSpec { rule: CropRule::Box, scales: vec![1.0, 1.2], joined: false },
        }
    }

    #[test]
    fn a_distance_is_read_between_the_rates_and_not_outside() {
        let space = EmbeddingSpace {
            thresholds: vec![(1e-4, 0.49), (1e-3, 0.53), (1e-2, 0.59)],
            ..EmbeddingSpace::default()
        };
        for (rate, distance) in [(1e-4, 0.49), (1e-3, 0.53), (1e-2, 0.59)] {
            assert_eq!(space.distance_at(rate), Some(distance));
        }
        let middle = space.distance_at(1e-3 * 10_f64.sqrt()).unwrap();
        assert!((middle - 0.56).abs() < 1e-4, "{middle}");
        for rate in [0.0, -1.0, 9e-5, 2e-2, 1.0, f64::NAN] {
            assert_eq!(space.distance_at(rate), None, "{rate}");
        }
    }

    #[test]
    fn the_rate_of_a_distance_is_read_between_those_of_the_table_and_ends_with_it() {
        let thresholds = vec![(1e-4, 0.49), (1e-3, 0.53), (1e-2, 0.59)];
        let space = EmbeddingSpace { thresholds, ..EmbeddingSpace::default() };
        for (distance, rate) in [(0.2, 1e-4), (0.49, 1e-4), (0.53, 1e-3), (0.59, 1e-2), (0.9, 1e-2)] {
            let read = space.false_match_rate_at(distance).unwrap();
            assert!((read / rate - 1.0).abs() < 1e-6, "{distance}: {read}");
        }
        let middle = space.false_match_rate_at(0.56).unwrap();
        assert!((middle / (1e-3 * 10_f64.sqrt()) - 1.0).abs() < 1e-4, "{middle}");
        assert_eq!(EmbeddingSpace::default().false_match_rate_at(0.5), None);
    }

    #[test]
    fn cosine_embeddings_have_length_one_and_euclidean_ones_are_as_the_net_says() {
        let picture = Picture::new(20, 20, vec![0; 1200]).unwrap();
        let face =
            Face { left: 5.0, top: 5.0, right: 15.0, bottom: 15.0, score: 1.0, points: [[10.0; 2]; 6] };
        for mirror in [false, true] {
            let mut model = EmbeddingModel { mirror, ..EmbeddingModel::scripted(vec![3.0, 4.0], input()) };
            assert_eq!(model.embed(&picture, &face).unwrap(), [3.0, 4.0]);
            model.metric = DistanceMetric::Cosine;
            assert_eq!(model.embed(&picture, &face).unwrap(), [0.6, 0.8]);
        }
        let mut nothing = EmbeddingModel {
            metric: DistanceMetric::Cosine,
            ..EmbeddingModel::scripted(vec![0.0, 0.0], input())
        };
        assert!(matches!(nothing.embed(&picture, &face), Err(VisionError::Unusable { .. })));
    }

    #[test]
    fn the_fingerprint_changes_with_whatever_moves_an_embedding() {
        let base =
            |input: &ModelInput| fingerprint("file", input, "embedding", DistanceMetric::Euclidean, false);
        let mut digests = vec![
            base(&input()),
            fingerprint("another", &input(), "embedding", DistanceMetric::Euclidean, false),
            fingerprint("file", &input(), "other", DistanceMetric::Euclidean, false),
            fingerprint("file", &input(), "embedding", DistanceMetric::Cosine, false),
            fingerprint("file", &input(), "embedding", DistanceMetric::Euclidean, true),
        ];
        let edits: [fn(&mut ModelInput); 8] = [
            |input| input.width = 5,
            |input| input.height = 5,
            |input| input.colour = ChannelOrder::Bgr,
            |input| input.mean[2] = 1.0,
            |input| input.scale[0] = 2.0,
            |input| input.crop.rule = CropRule::D2,
            |input| input.crop.scales = vec![1.0],
            |input| input.name = "image".to_owned(),
        ];
        for edit in edits {
            let mut other = input();
            edit(&mut other);
            digests.push(base(&other));
        }
        let count = digests.len();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), count);
        assert_eq!(base(&input()), base(&input()));
    }

    #[test]
    fn a_mean_is_weighted_and_keeps_the_length_that_all_have() {
        assert_eq!(mean_embedding([(&[0.0, 4.0][..], 3.0), (&[8.0, 0.0][..], 1.0)]).unwrap(), [2.0, 3.0]);
        for length in [1.0, 0.55] {
            let mean = mean_embedding([(&[length, 0.0][..], 1.0), (&[0.0, length][..], 1.0)]).unwrap();
            assert!((norm(&mean) - length).abs() < 1e-6, "{mean:?}");
        }
        assert_eq!(mean_embedding([]), None);
        assert_eq!(mean_embedding([(&[1.0][..], 1.0), (&[1.0, 2.0][..], 1.0)]), None);
        assert_eq!(mean_embedding([(&[1.0][..], 0.0)]), None);
    }
}
