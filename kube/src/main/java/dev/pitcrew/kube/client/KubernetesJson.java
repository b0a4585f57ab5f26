package dev.pitcrew.kube.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/// The one JSON mapper of a process for objects of Kubernetes. What Jackson learns of a class takes
/// more memory than most objects of it, so no code should create a mapper of its own.
public final class KubernetesJson {
  /// Reads and writes the classes of Kubernetes' objects, and plain trees.
  public static final ObjectMapper MAPPER = new ObjectMapper();

  /// Knows only the kinds that are registered with it: its own search would load the classes of all
  /// kinds of Kubernetes.
  static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization(MAPPER, false);

  static {
    SERIALIZATION.registerKubernetesResource(Status.class);
  }

  private KubernetesJson() {}
}
