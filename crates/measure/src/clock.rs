//! Two clocks: wall-clock time, which other processes disturb, and processor time, which threads have really spent on a
//! core.

use anyhow::{Context as _, bail, ensure};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Runs something; returns its result and the milliseconds of wall-clock time that it took.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, milliseconds(start.elapsed()))
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Processor time of this thread so far, milliseconds.
pub fn thread_cpu_milliseconds() -> anyhow::Result<f64> {
    // The kernel updates a thread's time when the thread leaves the core.
    std::thread::sleep(Duration::from_micros(100));
    cpu_milliseconds(Path::new("/proc/thread-self"))
}

/// Processor time of all threads of this process so far, ended ones too; milliseconds.
pub fn own_cpu_milliseconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Processor time of all threads of a process so far, milliseconds. Threads that have ended are not counted.
pub fn process_cpu_milliseconds(id: u32) -> anyhow::Result<f64> {
    let folder = format!("/proc/{id}/task");
    let mut sum = 0.0;
    for task in std::fs::read_dir(&folder).with_context(|| format!("{folder} cannot be read"))? {
        // A thread may end between the listing and the reading.
        sum += cpu_milliseconds(&task?.path()).unwrap_or_default();
    }
    Ok(sum)
}

/// Processor time of a process, of its threads that have ended, and of child processes that have ended; milliseconds.
pub fn process_family_cpu_milliseconds(id: u32) -> anyhow::Result<f64> {
    let file = format!("/proc/{id}/stat");
    let text = std::fs::read_to_string(&file).with_context(|| format!("{file} cannot be read"))?;
    // The name in brackets may contain spaces; user and system time, its own and its children's, are fields 14 to 17.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(4);
    let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
    ensure!(ticks.len() == 4, "{file} is not as expected");
    Ok(ticks.iter().sum::<f64>() * 1e3 / rustix::param::clock_ticks_per_second() as f64)
}

fn cpu_milliseconds(folder: &Path) -> anyhow::Result<f64> {
    let file = folder.join("schedstat");
    let text =
        std::fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
    let Some(Ok(nanoseconds)) = text.split(' ').next().map(str::parse::<f64>) else {
        bail!("{} is not as expected: {text:?}", file.display())
    };
    Ok(nanoseconds / 1e6)
}

/// Resident memory of a process, megabytes (10^6 bytes).
pub fn resident_megabytes(id: u32) -> anyhow::Result<f64> {
    let file = format!("/proc/{id}/status");
    let text = std::fs::read_to_string(&file).with_context(|| format!("{file} cannot be read"))?;
    let kilobytes = text
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<f64>().ok())
        .with_context(|| format!("{file} names no VmRSS"))?;
    Ok(kilobytes * 1024.0 / 1e6)
}
