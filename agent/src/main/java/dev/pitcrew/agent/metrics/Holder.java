package dev.pitcrew.agent.metrics;

import java.util.Map;
import java.util.TreeMap;

/// The container that has a device.
///
/// @param replica which share of a shared device it has; empty for a device of its own
/// @param uid of the pod; empty where it is not to be told, or not known
record Holder(String pod, String namespace, String container, String replica, String uid) {

  Holder withReplica(String share) {
    return new Holder(pod, namespace, container, share, uid);
  }

  /// As labels, sorted by name.
  ///
  /// @param usesOldNames the names of version 1
  Map<String, String> labels(boolean usesOldNames) {
    var labels = new TreeMap<String, String>();
    labels.put(usesOldNames ? "pod_name" : "pod", pod);
    labels.put(usesOldNames ? "pod_namespace" : "namespace", namespace);
    labels.put(usesOldNames ? "container_name" : "container", container);
    if (!uid.isEmpty()) {
      labels.put("pod_uid", uid);
    }
    if (!replica.isEmpty()) {
      labels.put("vgpu", replica);
    }
    return labels;
  }
}
