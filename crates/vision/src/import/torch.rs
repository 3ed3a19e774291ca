//! Reads the tensors of a PyTorch state file of the form before version 1.6: five pickles, then the raw storages.
//!
//! Pickle is a small machine that can build anything and call anything. This reader knows the words that a state file of
//! 32-bit floats needs, builds nothing but tensors, and bounds how much and how deep; every other word is refused.

use super::ImportError;
use std::{collections::HashMap, rc::Rc};

/// Words of one pickle.
const MOST_WORDS: usize = 200_000;
/// Values in values.
const MOST_DEPTH: u8 = 8;
/// Values of all storages together.
const MOST_VALUES: usize = 16 << 20;
/// The first pickle of every such file.
const MAGIC: &[u8] = &[0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, b'.'];

/// A tensor of floats.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

/// Every float tensor of a state file, by name; counters, which are whole numbers, are left out.
pub(super) fn read(bytes: &[u8]) -> Result<HashMap<String, Tensor>, ImportError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| refused("no state file of the old form"))?;
    let mut reader = Reader { bytes: rest };
    // The protocol's version and the machine's byte order; all such machines are little-endian.
    reader.pickle()?;
    reader.pickle()?;
    let Value::Dict(state, _) = reader.pickle()? else { return Err(refused("a dictionary expected")) };
    let Value::List(keys, _) = reader.pickle()? else { return Err(refused("a list of storages expected")) };
    let mut kinds = HashMap::new();
    for (_, value) in state.iter() {
        if let Value::Tensor(tensor) = value {
            kinds.insert(tensor.storage.clone(), tensor.kind);
        }
    }
    let (mut storages, mut total) = (HashMap::new(), 0_usize);
    for key in keys.iter() {
        let Value::Text(key) = key else { return Err(refused("the name of a storage expected")) };
        let kind = *kinds.get(key).ok_or_else(|| refused("a storage that no tensor uses"))?;
        let count = usize::try_from(reader.long(8)?).map_err(|_| refused("a negative length"))?;
        total = total.saturating_add(count);
        if total > MOST_VALUES {
            return Err(refused("more values than any net that is read here"));
        }
        let raw = reader.take(count * kind.bytes())?;
        if kind == Kind::Float {
            let floats =
                raw.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
            storages.insert(key.clone(), floats.collect::<Vec<f32>>());
        }
    }
    let mut tensors = HashMap::new();
    for (name, value) in state.iter() {
        let (Value::Text(name), Value::Tensor(tensor)) = (name, value) else {
            return Err(refused("tensors by name expected"));
        };
        if let Some(storage) = storages.get(&tensor.storage) {
            let count = tensor.shape.iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
            let end = count.and_then(|count| count.checked_add(tensor.offset));
            let values = end.and_then(|end| storage.get(tensor.offset..end));
            let values = values.ok_or_else(|| refused("a tensor reaches beyond its storage"))?.to_vec();
            tensors.insert(String::from(&**name), Tensor { shape: tensor.shape.clone(), values });
        }
    }
    Ok(tensors)
}

fn refused(what: &'static str) -> ImportError {
    ImportError::unsupported("state file", what)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Float,
    Long,
}

impl Kind {
    fn bytes(self) -> usize {
        match self {
            Self::Float => 4,
            Self::Long => 8,
        }
    }
}

/// A tensor whose values are still to come.
#[derive(Clone, Debug)]
struct Described {
    storage: Rc<str>,
    kind: Kind,
    offset: usize,
    shape: Vec<usize>,
}

/// What the machine builds. Containers know how deep they are, so that none becomes too deep to be dropped.
#[derive(Clone, Debug)]
enum Value {
    Nothing,
    Int(i64),
    Text(Rc<str>),
    Global(Rc<str>),
    Tuple(Rc<Vec<Value>>, u8),
    List(Rc<Vec<Value>>, u8),
    Dict(Rc<Vec<(Value, Value)>>, u8),
    Storage(Rc<str>, Kind),
    Tensor(Rc<Described>),
    Mark,
}

impl Value {
    fn depth(&self) -> u8 {
        match self {
            Self::Tuple(_, depth) | Self::List(_, depth) | Self::Dict(_, depth) => *depth,
            _ => 0,
        }
    }
}

/// The depth of a container of these values.
fn depth<'a>(values: impl Iterator<Item = &'a Value>) -> Result<u8, ImportError> {
    let depth = values.map(Value::depth).max().unwrap_or(0) + 1;
    if depth > MOST_DEPTH { Err(refused("values too deep in each other")) } else { Ok(depth) }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ImportError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(|| refused("it ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    /// A little-endian number of up to eight bytes, signed.
    fn long(&mut self, count: usize) -> Result<i64, ImportError> {
        let bytes = self.take(count)?;
        let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
        let mut wide = [if negative { 0xff } else { 0 }; 8];
        wide.get_mut(..count).ok_or_else(|| refused("a number too long"))?.copy_from_slice(bytes);
        Ok(i64::from_le_bytes(wide))
    }

    fn length(&mut self, count: usize) -> Result<usize, ImportError> {
        Ok(self.take(count)?.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
    }

    fn line(&mut self) -> Result<&'a str, ImportError> {
        let end =
            self.bytes.iter().position(|&byte| byte == b'\n').ok_or_else(|| refused("it ends too early"))?;
        let line = self.take(end + 1)?;
        std::str::from_utf8(&line[..end]).map_err(|_| refused("a name that is no text"))
    }

    /// Runs one pickle to its end.
    fn pickle(&mut self) -> Result<Value, ImportError> {
        let mut machine = Machine::default();
        for _ in 0..MOST_WORDS {
            let word = self.take(1)?[0];
            match word {
                b'.' => return machine.pop(),
                0x80 => {
                    self.take(1)?;
                }
                b'(' => machine.push(Value::Mark),
                b'N' | 0x88 | 0x89 => machine.push(Value::Nothing),
                b'K' => machine.push(Value::Int(self.length(1)? as i64)),
                b'M' => machine.push(Value::Int(self.length(2)? as i64)),
                b'J' => machine.push(Value::Int(self.long(4)?)),
                0x8a => {
                    let count = self.length(1)?;
                    machine.push(Value::Int(self.long(count)?));
                }
                b'X' => {
                    let count = self.length(4)?;
                    let text =
                        std::str::from_utf8(self.take(count)?).map_err(|_| refused("text that is none"))?;
                    machine.push(Value::Text(text.into()));
                }
                b'c' => {
                    let (module, name) = (self.line()?, self.line()?);
                    machine.push(Value::Global(format!("{module}.{name}").into()));
                }
                b'}' => machine.push(Value::Dict(Rc::default(), 1)),
                b']' => machine.push(Value::List(Rc::default(), 1)),
                b')' => machine.push(Value::Tuple(Rc::default(), 1)),
                b'q' | b'r' => {
                    let at = self.length(if word == b'q' { 1 } else { 4 })?;
                    machine.keep(at)?;
                }
                b'h' | b'j' => {
                    let at = self.length(if word == b'h' { 1 } else { 4 })?;
                    machine.recall(at)?;
                }
                b't' => {
                    let values = machine.above_mark()?;
                    machine.tuple(values)?;
                }
                0x85..=0x87 => {
                    let values = machine.last(usize::from(word - 0x84))?;
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
                // What a class keeps beside its content is none of ours.
                b'b' => {
                    machine.pop()?;
                }
                b'Q' => machine.storage()?,
                b'R' => machine.call()?,
                _ => return Err(refused("a word that no state file needs")),
            }
        }
        Err(refused("a pickle without end"))
    }
}

#[derive(Default)]
struct Machine {
    stack: Vec<Value>,
    memo: HashMap<usize, Value>,
}

impl Machine {
    fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    fn pop(&mut self) -> Result<Value, ImportError> {
        self.stack.pop().ok_or_else(|| refused("nothing on the stack"))
    }

    fn last(&mut self, count: usize) -> Result<Vec<Value>, ImportError> {
        let start = self.stack.len().checked_sub(count).ok_or_else(|| refused("nothing on the stack"))?;
        Ok(self.stack.split_off(start))
    }

    fn above_mark(&mut self) -> Result<Vec<Value>, ImportError> {
        let at = self.stack.iter().rposition(|value| matches!(value, Value::Mark));
        let at = at.ok_or_else(|| refused("no mark on the stack"))?;
        let values = self.stack.split_off(at + 1);
        self.stack.pop();
        Ok(values)
    }

    fn keep(&mut self, at: usize) -> Result<(), ImportError> {
        let value = self.stack.last().cloned().ok_or_else(|| refused("nothing on the stack"))?;
        self.memo.insert(at, value);
        Ok(())
    }

    fn recall(&mut self, at: usize) -> Result<(), ImportError> {
        let value = self.memo.get(&at).cloned().ok_or_else(|| refused("a value that was never kept"))?;
        self.push(value);
        Ok(())
    }

    fn tuple(&mut self, values: Vec<Value>) -> Result<(), ImportError> {
        let depth = depth(values.iter())?;
        self.push(Value::Tuple(Rc::new(values), depth));
        Ok(())
    }

    fn append(&mut self, values: Vec<Value>) -> Result<(), ImportError> {
        let Some(Value::List(list, deep)) = self.stack.last_mut() else { return Err(refused("no list")) };
        *deep = (*deep).max(depth(values.iter())?);
        Rc::make_mut(list).extend(values);
        Ok(())
    }

    fn set(&mut self, values: Vec<Value>) -> Result<(), ImportError> {
        let Some(Value::Dict(dict, deep)) = self.stack.last_mut() else {
            return Err(refused("no dictionary"));
        };
        *deep = (*deep).max(depth(values.iter())?);
        let mut values = values.into_iter();
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            Rc::make_mut(dict).push((key, value));
        }
        Ok(())
    }

    /// A storage, by its description: a word, its class, its name, its place, its length.
    fn storage(&mut self) -> Result<(), ImportError> {
        let Value::Tuple(parts, _) = self.pop()? else { return Err(refused("no description of a storage")) };
        let [Value::Text(word), Value::Global(class), Value::Text(name), ..] = &parts[..] else {
            return Err(refused("no description of a storage"));
        };
        let kind = match (&**word, &**class) {
            ("storage", "torch.FloatStorage") => Kind::Float,
            ("storage", "torch.LongStorage") => Kind::Long,
            _ => return Err(refused("storages of floats expected")),
        };
        self.push(Value::Storage(name.clone(), kind));
        Ok(())
    }

    /// The two calls that a state file makes, neither of which calls anything.
    fn call(&mut self) -> Result<(), ImportError> {
        let arguments = self.pop()?;
        let (Value::Global(name), Value::Tuple(arguments, _)) = (self.pop()?, arguments) else {
            return Err(refused("a call of something else"));
        };
        let value = match &*name {
            "collections.OrderedDict" if arguments.is_empty() => Value::Dict(Rc::default(), 1),
            "torch._utils._rebuild_tensor_v2" => tensor(&arguments)?,
            _ => return Err(refused("a call that no state file needs")),
        };
        self.push(value);
        Ok(())
    }
}

fn tensor(arguments: &[Value]) -> Result<Value, ImportError> {
    let [
        Value::Storage(storage, kind),
        Value::Int(offset),
        Value::Tuple(shape, _),
        Value::Tuple(strides, _),
        ..,
    ] = arguments
    else {
        return Err(refused("no description of a tensor"));
    };
    let sizes = |values: &[Value]| {
        let size = |value: &Value| match value {
            Value::Int(size) => usize::try_from(*size).ok().filter(|&size| size <= MOST_VALUES),
            _ => None,
        };
        values.iter().map(size).collect::<Option<Vec<usize>>>().ok_or_else(|| refused("sizes expected"))
    };
    let (shape, strides) = (sizes(shape)?, sizes(strides)?);
    // Row upon row without gaps: what was never transposed is stored so.
    let mut step = 1_usize;
    for (&size, &stride) in shape.iter().zip(&strides).rev() {
        if size != 1 && stride != step {
            return Err(refused("tensors without gaps expected"));
        }
        step = step.saturating_mul(size);
    }
    let offset = usize::try_from(*offset).map_err(|_| refused("sizes expected"))?;
    Ok(Value::Tensor(Rc::new(Described { storage: storage.clone(), kind: *kind, offset, shape })))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one tensor `a` of two floats, as PyTorch 1.4 wrote them.
    fn file() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
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
        assert_eq!(tensors["a"], Tensor { shape: vec![2], values: vec![1.5, -2.0] });
    }

    #[test]
    fn every_shorter_file_is_refused_and_no_changed_byte_does_harm() {
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
            let mut bytes = MAGIC.to_vec();
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
