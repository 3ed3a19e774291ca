//! What of a face is covered, and how blurred and noisy it is, by a net: what no single measure on pixels tells.
//!
//! The measures are those of ISO/IEC 29794-5 (occlusion of mouth, nose and eyes, sharpness, noise) in units of their own, as
//! training/ages/README.md says.

use crate::{
    Face, VisionError,
    crop::{self, CropSquare},
    inference::{NeuralNet, tensor_named},
    model_manifest::ModelInput,
};
use base::Picture;

/// What a net saw of the way a face was captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct CaptureQuality {
    /// Probability that something is before the mouth, 0 to 1.
    pub mouth_covered: f32,
    /// Probability that something is before the nose, 0 to 1.
    pub nose_covered: f32,
    /// Probability that something is before an eye, dark glasses for example, 0 to 1.
    pub eyes_covered: f32,
    /// Standard deviation of the blur, per cent of 1.2 times the face box's longer side; 0 and more.
    pub blur: f32,
    /// Standard deviation of the noise where there is full light, per cent of full light; 0 and more.
    pub noise: f32,
}

#[derive(Debug)]
pub(crate) struct CaptureQualityModel {
    pub(crate) id: String,
    pub(crate) net: Box<dyn NeuralNet>,
    pub(crate) input: ModelInput,
    pub(crate) tensor: String,
}

impl CaptureQualityModel {
    pub(crate) fn assess(&mut self, picture: &Picture, face: &Face) -> Result<CaptureQuality, VisionError> {
        let square = CropSquare::around(face, self.input.crop.rule, self.input.crop.scales[0]);
        let mut values = Vec::new();
        crop::write_crop(picture, square, &self.input, &mut values);
        let answer = self.net.run(&values, [1, 3, self.input.height as usize, self.input.width as usize])?;
        let [mouth_covered, nose_covered, eyes_covered, blur, noise] =
            *tensor_named(&answer, &self.tensor, &self.id)?
        else {
            return Err(self.unusable("five measures were expected"));
        };
        let are_probabilities =
            [mouth_covered, nose_covered, eyes_covered].iter().all(|share| (0.0..=1.0).contains(share));
        let are_deviations = [blur, noise].iter().all(|deviation| (0.0..=100.0).contains(deviation));
        if !are_probabilities || !are_deviations {
            return Err(self.unusable("a measure is out of range"));
        }
        Ok(CaptureQuality { mouth_covered, nose_covered, eyes_covered, blur, noise })
    }

    fn unusable(&self, what: &str) -> VisionError {
        VisionError::Unusable { model: self.id.clone(), what: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ScriptedNet,
        model_manifest::{ChannelOrder, CropRule, CropSpec},
    };

    fn assess(answer: &[f32]) -> Result<CaptureQuality, VisionError> {
        let crop = CropSpec { rule: CropRule::EyesLevel, scales: vec![1.2], joined: false };
        let mut model = CaptureQualityModel {
            id: "scripted".to_owned(),
            net: Box::new(ScriptedNet(vec![("quality".to_owned(), answer.to_vec())])),
            input: ModelInput {
                name: "input".to_owned(),
                width: 4,
                height: 4,
                colour: ChannelOrder::Rgb,
                mean: [0.0; 3],
                scale: [1.0; 3],
                crop,
            },
            tensor: "quality".to_owned(),
        };
        let picture = Picture::new(20, 20, vec![0; 1200]).unwrap();
        let face =
            Face { left: 5.0, top: 5.0, right: 15.0, bottom: 15.0, score: 1.0, points: [[10.0; 2]; 6] };
        model.assess(&picture, &face)
    }

    #[test]
    fn five_measures_in_their_order() {
        let quality = assess(&[0.9, 0.8, 0.1, 2.5, 4.0]).unwrap();
        assert_eq!((quality.mouth_covered, quality.nose_covered, quality.eyes_covered), (0.9, 0.8, 0.1));
        assert_eq!((quality.blur, quality.noise), (2.5, 4.0));
    }

    #[test]
    fn measures_out_of_range_are_an_error() {
        let answers: [&[f32]; 6] = [
            &[0.9, 0.8, 0.1, 2.5],
            &[1.1, 0.8, 0.1, 2.5, 4.0],
            &[f32::NAN, 0.8, 0.1, 2.5, 4.0],
            &[0.9, 0.8, 0.1, -1.0, 4.0],
            &[0.9, 0.8, 0.1, 2.5, f32::INFINITY],
            &[],
        ];
        for answer in answers {
            assert!(matches!(assess(answer), Err(VisionError::Unusable { .. })), "{answer:?}");
        }
    }
}
