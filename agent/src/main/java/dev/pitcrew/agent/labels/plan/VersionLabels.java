package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.DriverVersion;
import java.util.Map;
import java.util.TreeMap;

/// The driver's version and the newest CUDA version that it supports, each under its old and its
/// new name.
final class VersionLabels {
  private static final String DRIVER = GpuLabels.PREFIX + "cuda.driver";
  private static final String DRIVER_VERSION = GpuLabels.PREFIX + "cuda.driver-version";
  private static final String RUNTIME = GpuLabels.PREFIX + "cuda.runtime";
  private static final String RUNTIME_VERSION = GpuLabels.PREFIX + "cuda.runtime-version";
  private static final int PARTS = 3;

  private VersionLabels() {}

  static Map<String, String> of(DriverVersion version) {
    var labels = new TreeMap<String, String>();
    String[] parts = (version.driver() + "..").split("\\.", PARTS + 2);
    putBoth(labels, DRIVER + ".major", DRIVER_VERSION + ".major", parts[0]);
    putBoth(labels, DRIVER + ".minor", DRIVER_VERSION + ".minor", parts[1]);
    putBoth(labels, DRIVER + ".rev", DRIVER_VERSION + ".revision", parts[2]);
    labels.put(DRIVER_VERSION + ".full", version.driver());
    String major = String.valueOf(version.cudaMajor());
    String minor = String.valueOf(version.cudaMinor());
    putBoth(labels, RUNTIME + ".major", RUNTIME_VERSION + ".major", major);
    putBoth(labels, RUNTIME + ".minor", RUNTIME_VERSION + ".minor", minor);
    labels.put(RUNTIME_VERSION + ".full", major + "." + minor);
    return labels;
  }

  private static void putBoth(
      Map<String, String> labels, String oldKey, String newKey, String value) {
    labels.put(oldKey, value);
    labels.put(newKey, value);
  }
}
