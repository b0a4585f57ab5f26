package dev.pitcrew.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

/// Names one object of the cluster. The version of the API is no part of it: `v1` and `v1beta1` of
/// an object are the same object.
///
/// @param group the API group, empty for the core group
/// @param namespace empty for objects that belong to the cluster
public record ObjectKey(String group, String kind, String namespace, String name) {

  public static ObjectKey of(HasMetadata object) {
    ObjectMeta metadata = object.getMetadata();
    return of(
        object.getApiVersion(),
        object.getKind(),
        emptyIfNull(metadata.getNamespace()),
        metadata.getName());
  }

  /// Names an object by its parts.
  ///
  /// @param apiVersion `group/version`, or only the version for the core group
  public static ObjectKey of(String apiVersion, String kind, String namespace, String name) {
    int slash = apiVersion.indexOf('/');
    return new ObjectKey(slash < 0 ? "" : apiVersion.substring(0, slash), kind, namespace, name);
  }

  /// For people: `DaemonSet gpu-operator/driver`, `Node n1`.
  @Override
  public String toString() {
    return namespace.isEmpty() ? kind + " " + name : kind + " " + namespace + "/" + name;
  }

  private static String emptyIfNull(@Nullable String text) {
    return text == null ? "" : text;
  }
}
