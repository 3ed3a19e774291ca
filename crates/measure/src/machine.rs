//! The machine that something is measured on.

use search::FaceIndex;
use serde::Serialize;
use std::fmt::{Display, Formatter};

/// A machine, and how busy it is.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// What the processor calls itself.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Threads that ran or wanted to run, on average over the last minute; `None` where the system does not tell.
    pub load: Option<f64>,
    /// The instructions that searches through faces use.
    pub simd: &'static str,
}

impl Machine {
    /// This machine now.
    pub fn of_this_moment() -> Self {
        let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        let processors = read("/proc/cpuinfo");
        let name = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Self {
            processor: name.map_or("unknown processor", |(_, name)| name.trim()).to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load: read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()),
            simd: FaceIndex::kernel_name(),
        }
    }
}

impl Display for Machine {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} cores; load ", self.processor, self.cores)?;
        match self.load {
            Some(load) => write!(f, "{load:.2}")?,
            None => write!(f, "?")?,
        }
        write!(f, " at the start")
    }
}
