//! Reads the weights of TensorFlow.js models: 32-bit floats, 16-bit floats and quantised bytes become 32-bit floats.

use super::ImportError;
use serde::Deserialize;
use std::{collections::HashMap, path::Path};

/// A constant of a TensorFlow.js model.
#[derive(Clone, Debug, Default)]
pub(super) struct TfjsWeight {
    pub(super) shape: Vec<i64>,
    pub(super) floats: Vec<f32>,
    pub(super) ints: Vec<i64>,
}

impl TfjsWeight {
    /// The shape of a convolution's weights, which must have four axes and as many values as it says.
    pub(super) fn shape4(&self, name: &str) -> Result<[usize; 4], ImportError> {
        let shape: Vec<usize> = self.shape.iter().map(|&size| size.max(0) as usize).collect();
        let shape: [usize; 4] =
            shape.try_into().map_err(|_| ImportError::unsupported(name, "weights of four sizes expected"))?;
        if shape.iter().product::<usize>() == self.floats.len() {
            Ok(shape)
        } else {
            Err(ImportError::unsupported(name, "as many weights as the shape says expected"))
        }
    }
}

#[derive(Deserialize)]
pub(super) struct WeightGroup {
    paths: Vec<String>,
    weights: Vec<WeightSpec>,
}

#[derive(Deserialize)]
struct WeightSpec {
    name: String,
    shape: Vec<i64>,
    dtype: String,
    quantization: Option<Quantisation>,
}

#[derive(Deserialize)]
struct Quantisation {
    dtype: String,
    #[serde(default = "one")]
    scale: f64,
    #[serde(default)]
    min: f64,
}

fn one() -> f64 {
    1.0
}

/// The number as its digits divided by a power of ten, which may differ from the exact value in the last bit.
///
/// The first packs were converted with numbers parsed this way. Exact parsing would change the model files and with
/// them their hashes, so that embeddings which servers have stored could no longer be compared with new ones.
fn reparse_inexactly(exact: f64) -> f64 {
    let text = format!("{exact:e}");
    let Some((digits, exponent)) = text.split_once('e') else { return exact };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let reparsed = || {
        let significand: i64 = format!("{whole}{fraction}").parse().ok()?;
        let exponent = exponent.parse::<i64>().ok()? - fraction.len() as i64;
        let power: f64 = format!("1e{}", exponent.abs()).parse().ok()?;
        Some(if exponent < 0 { significand as f64 / power } else { significand as f64 * power })
    };
    reparsed().unwrap_or(exact)
}

/// Reads every weight of a manifest, by name; its files are in `folder`.
pub(super) fn read(
    groups: &[WeightGroup],
    folder: &Path,
) -> Result<HashMap<String, TfjsWeight>, ImportError> {
    let mut weights = HashMap::new();
    for group in groups {
        let mut bytes = Vec::new();
        for path in &group.paths {
            let file = folder.join(path);
            bytes.extend(std::fs::read(&file).map_err(|cause| ImportError::file(&file, cause))?);
        }
        let mut rest = bytes.as_slice();
        for weight in &group.weights {
            let (values, after) = expand(weight, rest)?;
            rest = after;
            weights.insert(weight.name.clone(), values);
        }
        if !rest.is_empty() {
            return Err(ImportError::unsupported("weights", "the file is longer than its manifest says"));
        }
    }
    Ok(weights)
}

/// Reads one weight from the front of `bytes`; returns it and the rest.
fn expand<'a>(weight: &WeightSpec, bytes: &'a [u8]) -> Result<(TfjsWeight, &'a [u8]), ImportError> {
    let count = weight.shape.iter().product::<i64>().max(0) as usize;
    let stored =
        weight.quantization.as_ref().map_or(weight.dtype.as_str(), |quantisation| &quantisation.dtype);
    let width = match stored {
        "uint8" => 1,
        "float16" => 2,
        "float32" | "int32" => 4,
        _ => return Err(ImportError::unsupported(&weight.name, "unknown number format")),
    };
    let (values, rest) = bytes
        .split_at_checked(count * width)
        .ok_or_else(|| ImportError::unsupported(&weight.name, "the weights break off"))?;
    let mut out = TfjsWeight { shape: weight.shape.clone(), ..TfjsWeight::default() };
    match (weight.dtype.as_str(), stored) {
        ("float32", "float32") => {
            out.floats = values.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        }
        ("float32", "float16") => {
            out.floats = values
                .as_chunks::<2>()
                .0
                .iter()
                .map(|bytes| f16_to_f32(u16::from_le_bytes(*bytes)))
                .collect();
        }
        ("float32", "uint8") => {
            let (scale, min) = weight
                .quantization
                .as_ref()
                .map_or((1.0, 0.0), |q| (reparse_inexactly(q.scale), reparse_inexactly(q.min)));
            out.floats = values.iter().map(|&byte| (f64::from(byte) * scale + min) as f32).collect();
        }
        ("int32", "int32") => {
            out.ints =
                values.as_chunks::<4>().0.iter().map(|bytes| i64::from(i32::from_le_bytes(*bytes))).collect();
        }
        _ => return Err(ImportError::unsupported(&weight.name, "unknown number format")),
    }
    Ok((out, rest))
}

/// IEEE 754 binary16 to binary32, exactly.
fn f16_to_f32(bits: u16) -> f32 {
    let (sign, exponent, fraction) =
        (u32::from(bits >> 15) << 31, u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction as f32 * 2.0_f32.powi(-24),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    f32::from_bits(magnitude.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::f16_to_f32;

    #[test]
    fn half_floats_expand_exactly() {
        assert_eq!(
            [0x0000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555].map(f16_to_f32),
            [0.0, 1.0, -2.0, 65504.0, 5.960_464_5e-8, 0.333_251_95]
        );
        assert!(f16_to_f32(0x7e00).is_nan() && f16_to_f32(0xfc00) == f32::NEG_INFINITY);
    }
}
