package dev.pitcrew.agent.metrics;

import java.util.Map;
import java.util.TreeMap;

/// The container that has a device.
///
/// @param replica which share of a shared device it has; empty for a device of its own
record Holder(String pod, String namespace, String container, String replica) {

  /// As labels, sorted by name.
  ///
  /// @param usesOldNames the names of version 1
  Map<String, String> labels(boolean usesOldNames) {
    var labels = new TreeMap<String, String>();
    labels.put(usesOldNames ? "pod_name" : "pod", pod);
    labels.put(usesOldNames ? "pod_namespace" : "namespace", namespace);
    labels.put(usesOldNames ? "container_name" : "container", container);
    if (!replica.isEmpty()) {
      labels.put("vgpu", replica);
    }
    return labels;
  }
}
