package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.plan.Part;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The container that has a device.
///
/// @param replica which share of a shared device it has; empty for a device of its own
/// @param uid of the pod; empty where it is not to be reported, or not known
/// @param claim by which it has the device; empty where it has it from a device plugin
record Holder(
    String pod,
    String namespace,
    String container,
    String replica,
    String uid,
    Optional<Claim> claim) {

  Holder(String pod, String namespace, String container, String replica, String uid) {
    this(pod, namespace, container, replica, uid, Optional.empty());
  }

  Holder withReplica(String share) {
    return new Holder(pod, namespace, container, share, uid, claim);
  }

  boolean isShare() {
    return !replica.isEmpty();
  }

  Holder withUid(String known) {
    return new Holder(pod, namespace, container, replica, known, claim);
  }

  Holder by(Claim reason) {
    return new Holder(pod, namespace, container, replica, uid, Optional.of(reason));
  }

  /// As labels, sorted by name.
  ///
  /// @param part what it has
  /// @param usesOldNames the names of version 1
  Map<String, String> labels(Part part, boolean usesOldNames) {
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
    claim.ifPresent(it -> labels.putAll(it.labels(part)));
    return labels;
  }
}
