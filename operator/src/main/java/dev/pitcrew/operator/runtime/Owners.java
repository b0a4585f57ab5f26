package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.policy.Ownership;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Whose an object is.
final class Owners {
  private static final Set<String> KINDS = Set.of("ClusterPolicy", "NVIDIADriver", "GPUCluster");

  private Owners() {}

  /// Whether it came with a ClusterPolicy, a GPUCluster or an NVIDIADriver.
  static boolean isOurs(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner ->
            KINDS.contains(owner.getKind()) && owner.getApiVersion().startsWith("nvidia.com/"));
  }

  static boolean isOfPolicy(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner ->
            owner.getKind().equals("ClusterPolicy")
                && owner.getApiVersion().startsWith("nvidia.com/"));
  }

  /// Whether one of the owners is among these.
  static boolean isAnyOwner(Stream<? extends HasMetadata> candidates, HasMetadata object) {
    Set<String> owners =
        object.getMetadata().getOwnerReferences().stream()
            .map(OwnerReference::getUid)
            .collect(Collectors.toSet());
    return candidates.anyMatch(candidate -> owners.contains(candidate.getMetadata().getUid()));
  }

  static boolean owns(HasMetadata policy, HasMetadata object) {
    return Ownership.owns(policy, object);
  }

  /// Of ConfigMaps of others the keys count, and whether a value has changed.
  static ConfigMap withoutForeignData(ConfigMap configMap) {
    ConfigMap slim = Slim.<ConfigMap>managers().apply(configMap);
    if (!isOurs(slim)) {
      slim.setData(ReferencedContent.digests(slim.getData()));
      slim.setBinaryData(ReferencedContent.digests(slim.getBinaryData()));
    }
    return slim;
  }
}
