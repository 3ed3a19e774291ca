//! Writes the wire format of Protocol Buffers.

/// A message under construction. Field numbers are those of `onnx.proto`.
#[derive(Default)]
pub(super) struct ProtobufMessage(Vec<u8>);

const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;

impl ProtobufMessage {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value as u8) | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub(super) fn int(&mut self, field: u64, value: i64) -> &mut Self {
        self.varint(field << 3 | VARINT);
        self.varint(value as u64);
        self
    }

    pub(super) fn bytes(&mut self, field: u64, value: &[u8]) -> &mut Self {
        self.varint(field << 3 | LENGTH_DELIMITED);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    pub(super) fn text(&mut self, field: u64, value: &str) -> &mut Self {
        self.bytes(field, value.as_bytes())
    }

    pub(super) fn message(&mut self, field: u64, value: &Self) -> &mut Self {
        self.bytes(field, &value.0)
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}
