//! The part of a call that cannot be avoided: decoding the photo with a plain decoder, and running the default models
//! with nothing around them.

use crate::checkout_paths::CheckoutPaths;
use anyhow::Context as _;
use base::Picture;
use measure::clock::time;
use std::hint::black_box;
use vision::{
    Face, ModelTask, NeuralNet as _, OnnxNet, OnnxRuntime, VisionModels,
    model_manifest::{ModelEntry, ModelOutput, ModelPack},
};

/// The decoder and the models for one photo.
pub(crate) struct BareModels {
    jpeg: Vec<u8>,
    pub(crate) vision: VisionModels,
    pub(crate) picture: Picture,
    pub(crate) face: Face,
    detect: LoadedNet,
    /// Each net of the age, with the number of crops that it sees.
    age: Vec<(LoadedNet, usize)>,
    quality: LoadedNet,
}

/// Milliseconds that each part took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartTimes {
    pub(crate) decode: f64,
    pub(crate) detect: f64,
    pub(crate) quality: f64,
    pub(crate) age: f64,
    pub(crate) liveness: f64,
}

impl PartTimes {
    pub(crate) fn sum(&self) -> f64 {
        self.decode + self.detect + self.quality + self.age + self.liveness
    }
}

/// A session of ONNX Runtime with its input tensor. The session is opened by `vision`, because a process can have only
/// one runtime; all that its wrapper adds to a run is a check of each output value.
struct LoadedNet {
    session: OnnxNet,
    shape: [usize; 4],
    tensor: Vec<f32>,
}

impl BareModels {
    pub(crate) fn open(place: &CheckoutPaths, jpeg: &[u8]) -> anyhow::Result<Self> {
        let mut vision = VisionModels::load(&place.model_pack)?;
        let picture = bare_work::decode(jpeg).context("the photo is a JPEG")?;
        let face = *vision.detect(&picture)?.first().context("the photo shows a face")?;
        let pack = ModelPack::read(&place.model_pack)?;
        let runtime = OnnxRuntime::open(&place.model_pack, &pack.runtime)?;
        let (detect, age) = (pack.model_for(ModelTask::Detect)?, pack.model_for(ModelTask::Age)?);
        let quality = pack.model_for(ModelTask::Quality)?;
        let crops = age.input.as_ref().map_or(1, |input| input.crop.scales.len());
        let open = |model: &ModelEntry| LoadedNet::open(place, &runtime, model, None);
        let mut ages = vec![(open(age)?, crops)];
        if let ModelOutput::AgeSoftmax { averaged_with: Some(with), .. } = &age.output {
            let other = pack.averaged_model(age)?.context("the second net of the mean")?;
            ages.push((open(other)?, with.scales.len()));
        }
        Ok(Self {
            detect: LoadedNet::open(place, &runtime, detect, Some(vision.first_look_size(&picture)))?,
            age: ages,
            quality: open(quality)?,
            jpeg: jpeg.to_vec(),
            vision,
            picture,
            face,
        })
    }

    /// Runs all that one call needs.
    pub(crate) fn run(&mut self) -> anyhow::Result<PartTimes> {
        let (picture, decode) = time(|| bare_work::decode(&self.jpeg));
        black_box(picture.context("the photo is a JPEG")?);
        Ok(PartTimes {
            decode,
            detect: self.detect()?,
            quality: self.quality()?,
            age: self.age()?,
            liveness: self.liveness()?,
        })
    }

    /// Runs the detector's net once, on an input as large as that of the one look that the photo takes.
    pub(crate) fn detect(&mut self) -> anyhow::Result<f64> {
        self.detect.run()
    }

    /// Runs the net for the quality of the capture.
    pub(crate) fn quality(&mut self) -> anyhow::Result<f64> {
        self.quality.run()
    }

    /// Runs the age nets, once for each crop.
    pub(crate) fn age(&mut self) -> anyhow::Result<f64> {
        self.age.iter_mut().flat_map(|(net, crops)| (0..*crops).map(|_| net.run()).collect::<Vec<_>>()).sum()
    }

    /// Runs the liveness net.
    fn liveness(&mut self) -> anyhow::Result<f64> {
        let (score, took) = time(|| self.vision.score_liveness(&self.picture, &self.face));
        black_box(score?);
        Ok(took)
    }
}

impl LoadedNet {
    /// For an input of this width and height (pixels), or of its usual ones.
    fn open(
        place: &CheckoutPaths,
        runtime: &OnnxRuntime,
        model: &ModelEntry,
        size: Option<[u32; 2]>,
    ) -> anyhow::Result<Self> {
        let (file, input) =
            model.file_for_this_processor().zip(model.input.as_ref()).context("the model is a net")?;
        let bytes = std::fs::read(place.model_pack.join(&file.path))?;
        let [width, height] = size.unwrap_or([input.width, input.height]).map(|side| side as usize);
        let session = OnnxNet::load_for_size(&model.id, &bytes, &input.name, runtime, Some([height, width]))?;
        let tensor =
            (0..3 * width * height).map(|at| ((at % 256) as f32 - input.mean[0]) * input.scale[0]).collect();
        Ok(Self { session, shape: [1, 3, height, width], tensor })
    }

    fn run(&mut self) -> anyhow::Result<f64> {
        let Self { session, shape, tensor } = self;
        let (outputs, took) = time(|| session.run(tensor, *shape));
        black_box(outputs?);
        Ok(took)
    }
}
