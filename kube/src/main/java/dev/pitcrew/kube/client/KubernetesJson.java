package dev.pitcrew.kube.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/// The one JSON mapper of a process for objects of Kubernetes. What Jackson learns of a class takes
/// more memory than most objects of it, so nobody should have a mapper of their own.
public final class KubernetesJson {
  /// Reads and writes the classes of Kubernetes' objects, and plain trees.
  public static final ObjectMapper MAPPER = new ObjectMapper();

  /// Knows no kind but those that it is told of: its own search would load the classes of all kinds
  /// of Kubernetes.
  static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization(MAPPER, false);

  static {
    SERIALIZATION.registerKubernetesResource(Status.class);
  }

  private KubernetesJson() {}
}
