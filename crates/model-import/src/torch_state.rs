//! Reads the tensors of a PyTorch state file in the format before version 1.6: five pickles, then the raw storages.
//!
//! Pickle is a virtual machine that can construct any object and call any function, so a full reader would run what the
//! file says. This one knows only the opcodes that a state file of 32-bit floats needs, constructs nothing but tensors,
//! calls nothing, and bounds size and nesting; every other opcode is an error.

use super::ImportError;
use std::{collections::HashMap, rc::Rc};

/// Most opcodes of one pickle.
const MAX_PICKLE_OPCODES: usize = 200_000;
/// Deepest nesting of containers.
const MAX_NESTING_DEPTH: u8 = 8;
/// Most values of all storages together.
const MAX_STORAGE_VALUES: usize = 16 << 20;
/// The first pickle of every such file: a magic number.
const STATE_FILE_MAGIC: &[u8] =
    &[0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, b'.'];

/// A tensor of floats.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StateTensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

/// Every float tensor of a state file, by name; integer tensors, which are counters, are left out.
pub(super) fn read(bytes: &[u8]) -> Result<HashMap<String, StateTensor>, ImportError> {
    let rest = bytes
        .strip_prefix(STATE_FILE_MAGIC)
        .ok_or_else(|| unsupported("a state file of PyTorch before 1.6 expected"))?;
    let mut reader = PickleReader { bytes: rest };
    // Protocol version and machine; storages of all supported machines are little-endian.
    reader.pickle()?;
    reader.pickle()?;
    let PickleValue::Dict(state, _) = reader.pickle()? else {
        return Err(unsupported("a dictionary expected"));
    };
    let PickleValue::List(keys, _) = reader.pickle()? else {
        return Err(unsupported("a list of storages expected"));
    };
    let mut kinds = HashMap::new();
    for (_, value) in state.iter() {
        if let PickleValue::Tensor(tensor) = value {
            kinds.insert(tensor.storage.clone(), tensor.kind);
        }
    }
    let (mut storages, mut total) = (HashMap::new(), 0_usize);
    for key in keys.iter() {
        let PickleValue::Text(key) = key else { return Err(unsupported("the name of a storage expected")) };
        let kind = *kinds.get(key).ok_or_else(|| unsupported("a storage that no tensor uses"))?;
        let count = usize::try_from(reader.signed(8)?).map_err(|_| unsupported("a negative length"))?;
        total = total.saturating_add(count);
        if total > MAX_STORAGE_VALUES {
            return Err(unsupported("too many values"));
        }
        let raw = reader.take(count * kind.bytes())?;
        if kind == StorageKind::Float {
            let floats =
                raw.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
            storages.insert(key.clone(), floats.collect::<Vec<f32>>());
        }
    }
    let mut tensors = HashMap::new();
    for (name, value) in state.iter() {
        let (PickleValue::Text(name), PickleValue::Tensor(tensor)) = (name, value) else {
            return Err(unsupported("tensors by name expected"));
        };
        if let Some(storage) = storages.get(&tensor.storage) {
            let count = tensor.shape.iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
            let end = count.and_then(|count| count.checked_add(tensor.offset));
            let values = end.and_then(|end| storage.get(tensor.offset..end));
            let values = values.ok_or_else(|| unsupported("a tensor reaches beyond its storage"))?.to_vec();
            tensors.insert(String::from(&**name), StateTensor { shape: tensor.shape.clone(), values });
        }
    }
    Ok(tensors)
}

fn unsupported(what: &'static str) -> ImportError {
    ImportError::unsupported("state file", what)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum StorageKind {
    Float,
    Long,
}

impl StorageKind {
    fn bytes(self) -> usize {
        match self {
            Self::Float => 4,
            Self::Long => 8,
        }
    }
}

/// A tensor whose storage has not been read yet.
#[derive(Clone, Debug)]
struct PendingTensor {
    storage: Rc<str>,
    kind: StorageKind,
    offset: usize,
    shape: Vec<usize>,
}

/// Values of the virtual machine. Containers carry their nesting depth, which is bounded so that dropping them cannot
/// overflow the stack.
#[derive(Clone, Debug)]
enum PickleValue {
    Nothing,
    Int(i64),
    Text(Rc<str>),
    Global(Rc<str>),
    Tuple(Rc<Vec<PickleValue>>, u8),
    List(Rc<Vec<PickleValue>>, u8),
    Dict(Rc<Vec<(PickleValue, PickleValue)>>, u8),
    Storage(Rc<str>, StorageKind),
    Tensor(Rc<PendingTensor>),
    Mark,
}

impl PickleValue {
    fn depth(&self) -> u8 {
        match self {
            Self::Tuple(_, depth) | Self::List(_, depth) | Self::Dict(_, depth) => *depth,
            _ => 0,
        }
    }
}

/// Nesting depth of a container with these values; an error beyond [`MAX_NESTING_DEPTH`].
fn depth<'a>(values: impl Iterator<Item = &'a PickleValue>) -> Result<u8, ImportError> {
    let depth = values.map(PickleValue::depth).max().unwrap_or(0) + 1;
    if depth > MAX_NESTING_DEPTH { Err(unsupported("values nested too deeply")) } else { Ok(depth) }
}

struct PickleReader<'a> {
    bytes: &'a [u8],
}

impl<'a> PickleReader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ImportError> {
        let (taken, rest) =
            self.bytes.split_at_checked(count).ok_or_else(|| unsupported("it ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    /// A little-endian number of up to eight bytes, signed.
    fn signed(&mut self, count: usize) -> Result<i64, ImportError> {
        let bytes = self.take(count)?;
        let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
        let mut wide = [if negative { 0xff } else { 0 }; 8];
        wide.get_mut(..count).ok_or_else(|| unsupported("a number too long"))?.copy_from_slice(bytes);
        Ok(i64::from_le_bytes(wide))
    }

    /// A little-endian unsigned number.
    fn unsigned(&mut self, count: usize) -> Result<usize, ImportError> {
        Ok(self.take(count)?.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
    }

    /// A text up to the next newline.
    fn line(&mut self) -> Result<&'a str, ImportError> {
        let end = self
            .bytes
            .iter()
            .position(|&byte| byte == b'\n')
            .ok_or_else(|| unsupported("it ends too early"))?;
        let line = self.take(end + 1)?;
        std::str::from_utf8(&line[..end]).map_err(|_| unsupported("a name that is not UTF-8"))
    }

    /// Executes one pickle; returns the value on top of the stack at its end.
    fn pickle(&mut self) -> Result<PickleValue, ImportError> {
        let mut machine = PickleMachine::default();
        for _ in 0..MAX_PICKLE_OPCODES {
            let opcode = self.take(1)?[0];
            match opcode {
                b'.' => return machine.pop(),
                0x80 => {
                    self.take(1)?;
                }
                b'(' => machine.push(PickleValue::Mark),
                b'N' | 0x88 | 0x89 => machine.push(PickleValue::Nothing),
                b'K' => machine.push(PickleValue::Int(self.unsigned(1)? as i64)),
                b'M' => machine.push(PickleValue::Int(self.unsigned(2)? as i64)),
                b'J' => machine.push(PickleValue::Int(self.signed(4)?)),
                0x8a => {
                    let count = self.unsigned(1)?;
                    machine.push(PickleValue::Int(self.signed(count)?));
                }
                b'X' => {
                    let count = self.unsigned(4)?;
                    let text = std::str::from_utf8(self.take(count)?)
                        .map_err(|_| unsupported("text that is not UTF-8"))?;
                    machine.push(PickleValue::Text(text.into()));
                }
                b'c' => {
                    let (module, name) = (self.line()?, self.line()?);
                    machine.push(PickleValue::Global(format!("{module}.{name}").into()));
                }
                b'}' => machine.push(PickleValue::Dict(Rc::default(), 1)),
                b']' => machine.push(PickleValue::List(Rc::default(), 1)),
                b')' => machine.push(PickleValue::Tuple(Rc::default(), 1)),
                b'q' | b'r' => {
                    let at = self.unsigned(if opcode == b'q' { 1 } else { 4 })?;
                    machine.memoise(at)?;
                }
                b'h' | b'j' => {
                    let at = self.unsigned(if opcode == b'h' { 1 } else { 4 })?;
                    machine.recall(at)?;
                }
                b't' => {
                    let values = machine.above_mark()?;
                    machine.tuple(values)?;
                }
                0x85..=0x87 => {
                    let values = machine.last(usize::from(opcode - 0x84))?;
                    machine.tuple(values)?;
                }
                b's' => {
                    let pair = machine.last(2)?;
                    machine.set(pair)?;
                }
                b'u' => {
                    let pairs = machine.above_mark()?;
                    machine.set(pairs)?;
                }
                b'a' => {
                    let value = machine.last(1)?;
                    machine.append(value)?;
                }
                b'e' => {
                    let values = machine.above_mark()?;
                    machine.append(values)?;
                }
                // BUILD sets the attributes of an object, which are ignored.
                b'b' => {
                    machine.pop()?;
                }
                b'Q' => machine.storage()?,
                b'R' => machine.call()?,
                _ => return Err(unsupported("an opcode that no state file needs")),
            }
        }
        Err(unsupported("a pickle without end"))
    }
}

#[derive(Default)]
struct PickleMachine {
    stack: Vec<PickleValue>,
    memo: HashMap<usize, PickleValue>,
}

impl PickleMachine {
    fn push(&mut self, value: PickleValue) {
        self.stack.push(value);
    }

    fn pop(&mut self) -> Result<PickleValue, ImportError> {
        self.stack.pop().ok_or_else(|| unsupported("nothing on the stack"))
    }

    fn last(&mut self, count: usize) -> Result<Vec<PickleValue>, ImportError> {
        let start = self.stack.len().checked_sub(count).ok_or_else(|| unsupported("nothing on the stack"))?;
        Ok(self.stack.split_off(start))
    }

    fn above_mark(&mut self) -> Result<Vec<PickleValue>, ImportError> {
        let at = self.stack.iter().rposition(|value| matches!(value, PickleValue::Mark));
        let at = at.ok_or_else(|| unsupported("no mark on the stack"))?;
        let values = self.stack.split_off(at + 1);
        self.stack.pop();
        Ok(values)
    }

    fn memoise(&mut self, at: usize) -> Result<(), ImportError> {
        let value = self.stack.last().cloned().ok_or_else(|| unsupported("nothing on the stack"))?;
        self.memo.insert(at, value);
        Ok(())
    }

    fn recall(&mut self, at: usize) -> Result<(), ImportError> {
        let value =
            self.memo.get(&at).cloned().ok_or_else(|| unsupported("a value that was never memoised"))?;
        self.push(value);
        Ok(())
    }

    fn tuple(&mut self, values: Vec<PickleValue>) -> Result<(), ImportError> {
        let depth = depth(values.iter())?;
        self.push(PickleValue::Tuple(Rc::new(values), depth));
        Ok(())
    }

    fn append(&mut self, values: Vec<PickleValue>) -> Result<(), ImportError> {
        let Some(PickleValue::List(list, list_depth)) = self.stack.last_mut() else {
            return Err(unsupported("no list"));
        };
        *list_depth = (*list_depth).max(depth(values.iter())?);
        Rc::make_mut(list).extend(values);
        Ok(())
    }

    fn set(&mut self, values: Vec<PickleValue>) -> Result<(), ImportError> {
        let Some(PickleValue::Dict(dict, dict_depth)) = self.stack.last_mut() else {
            return Err(unsupported("no dictionary"));
        };
        *dict_depth = (*dict_depth).max(depth(values.iter())?);
        let mut values = values.into_iter();
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            Rc::make_mut(dict).push((key, value));
        }
        Ok(())
    }

    /// BINPERSID: a storage by its persistent id, a tuple of "storage", class, key, device and length.
    fn storage(&mut self) -> Result<(), ImportError> {
        let PickleValue::Tuple(parts, _) = self.pop()? else {
            return Err(unsupported("no description of a storage"));
        };
        let [PickleValue::Text(kind), PickleValue::Global(class), PickleValue::Text(name), ..] = &parts[..]
        else {
            return Err(unsupported("no description of a storage"));
        };
        let kind = match (&**kind, &**class) {
            ("storage", "torch.FloatStorage") => StorageKind::Float,
            ("storage", "torch.LongStorage") => StorageKind::Long,
            _ => return Err(unsupported("storages of floats expected")),
        };
        self.push(PickleValue::Storage(name.clone(), kind));
        Ok(())
    }

    /// REDUCE: the two calls that a state file needs, both evaluated here without calling anything.
    fn call(&mut self) -> Result<(), ImportError> {
        let arguments = self.pop()?;
        let (PickleValue::Global(name), PickleValue::Tuple(arguments, _)) = (self.pop()?, arguments) else {
            return Err(unsupported("a call of something else"));
        };
        let value = match &*name {
            "collections.OrderedDict" if arguments.is_empty() => PickleValue::Dict(Rc::default(), 1),
            "torch._utils._rebuild_tensor_v2" => tensor(&arguments)?,
            _ => return Err(unsupported("a call that no state file needs")),
        };
        self.push(value);
        Ok(())
    }
}

fn tensor(arguments: &[PickleValue]) -> Result<PickleValue, ImportError> {
    let [
        PickleValue::Storage(storage, kind),
        PickleValue::Int(offset),
        PickleValue::Tuple(shape, _),
        PickleValue::Tuple(strides, _),
        ..,
    ] = arguments
    else {
        return Err(unsupported("no description of a tensor"));
    };
    let sizes = |values: &[PickleValue]| {
        let size = |value: &PickleValue| match value {
            PickleValue::Int(size) => usize::try_from(*size).ok().filter(|&size| size <= MAX_STORAGE_VALUES),
            _ => None,
        };
        values.iter().map(size).collect::<Option<Vec<usize>>>().ok_or_else(|| unsupported("sizes expected"))
    };
    let (shape, strides) = (sizes(shape)?, sizes(strides)?);
    // Only contiguous, row-major tensors: a transposed one would have other strides.
    let mut contiguous_stride = 1_usize;
    for (&size, &stride) in shape.iter().zip(&strides).rev() {
        if size != 1 && stride != contiguous_stride {
            return Err(unsupported("tensors without gaps expected"));
        }
        contiguous_stride = contiguous_stride.saturating_mul(size);
    }
    let offset = usize::try_from(*offset).map_err(|_| unsupported("sizes expected"))?;
    Ok(PickleValue::Tensor(Rc::new(PendingTensor { storage: storage.clone(), kind: *kind, offset, shape })))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one tensor `a` of two floats, as PyTorch 1.4 wrote it.
    fn file() -> Vec<u8> {
        let mut bytes = STATE_FILE_MAGIC.to_vec();
        bytes.extend(b"\x80\x02M\xe9\x03.\x80\x02}q\x00.");
        bytes.extend(b"\x80\x02ccollections\nOrderedDict\nq\x00)Rq\x01X\x01\x00\x00\x00aq\x02");
        bytes.extend(
            b"ctorch._utils\n_rebuild_tensor_v2\nq\x03((X\x07\x00\x00\x00storageq\x04ctorch\nFloatStorage\n",
        );
        bytes.extend(b"q\x05X\x01\x00\x00\x007q\x06X\x03\x00\x00\x00cpuq\x07K\x02Ntq\x08QK\x00K\x02\x85q\x09K\x01\x85q\x0a");
        bytes.extend(b"\x89h\x00)Rq\x0btq\x0cRq\x0ds.");
        bytes.extend(b"\x80\x02]q\x00X\x01\x00\x00\x007q\x01a.");
        bytes.extend(2_i64.to_le_bytes());
        bytes.extend(1.5_f32.to_le_bytes());
        bytes.extend((-2.0_f32).to_le_bytes());
        bytes
    }

    #[test]
    fn a_tensor_is_read_by_name() {
        let tensors = read(&file()).unwrap();
        assert_eq!(tensors["a"], StateTensor { shape: vec![2], values: vec![1.5, -2.0] });
    }

    #[test]
    fn every_truncated_file_is_refused_and_no_flipped_bit_panics() {
        let whole = file();
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[at] ^= 1 << bit;
                let _ = read(&changed);
            }
        }
    }

    #[test]
    fn calls_of_anything_else_and_depth_and_length_are_refused() {
        let with = |pickle: &[u8]| {
            let mut bytes = STATE_FILE_MAGIC.to_vec();
            bytes.extend(pickle);
            read(&bytes).unwrap_err().to_string()
        };
        let call = with(b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.");
        assert!(call.contains("a call that no state file needs"), "{call}");
        let deep = [&b"\x80\x02N"[..], &vec![0x85; 100_000], b"."].concat();
        assert!(with(&deep).contains("too deep"));
        let endless = vec![b'N'; 300_000];
        assert!(with(&endless).contains("without end"));
        let long = with(b"\x80\x02X\xff\xff\xff\xffa.");
        assert!(long.contains("ends too early"), "{long}");
    }
}
