package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.core.names.NodeLabels;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// Keeps the labels that make a node a GPU node until several scans in a row found no GPU: an
/// operator takes the driver away from a node that loses them, and a PCI reset or a moment's error
/// looks the same in one scan.
///
/// @param shown the labels after the last scan
/// @param missedScans how many scans in a row have missed a GPU label that is shown
public record GpuPresence(SortedMap<String, String> shown, int missedScans) {
  /// After so many scans without it a label goes.
  public static final int TIMEOUT = 3;

  private static final String GPU = NodeLabels.FEATURE_PREFIX + "pci-";
  private static final String GPU_VENDOR = "10de.present";

  /// Before the first scan.
  public static final GpuPresence UNKNOWN = new GpuPresence(new TreeMap<>(), 0);

  public GpuPresence {
    shown = Collections.unmodifiableSortedMap(new TreeMap<>(shown));
  }

  /// What is shown after one more scan.
  public GpuPresence after(SortedMap<String, String> scanned) {
    var kept = new TreeMap<>(shown);
    kept.keySet().removeIf(key -> !isGpu(key) || scanned.containsKey(key));
    if (kept.isEmpty() || missedScans + 1 >= TIMEOUT) {
      return new GpuPresence(scanned, 0);
    }
    kept.putAll(scanned);
    return new GpuPresence(kept, missedScans + 1);
  }

  private static boolean isGpu(String key) {
    return key.startsWith(GPU) && key.endsWith(GPU_VENDOR);
  }
}
