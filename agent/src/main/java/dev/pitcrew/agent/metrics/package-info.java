/// The metrics of GPUs, MIG devices and their pods, under the names of NVIDIA's dcgm-exporter.
///
/// A counters file says which (`counters`), NVML is sampled for them at its own pace, and a scrape
/// is written from the last samples: it asks neither NVML nor the kubelet.
@NullMarked
package dev.pitcrew.agent.metrics;

import org.jspecify.annotations.NullMarked;
