package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.policy.Ownership;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Whose an object is.
final class Owners {
  private Owners() {}

  static boolean isOwnedByPolicy(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner ->
            owner.getKind().equals("ClusterPolicy")
                && owner.getApiVersion().startsWith("nvidia.com/"));
  }

  static boolean owns(HasMetadata policy, HasMetadata object) {
    return Ownership.owns(policy, object);
  }

  /// Of ConfigMaps of others only the keys count.
  static ConfigMap withoutForeignData(ConfigMap configMap) {
    ConfigMap slim = Slim.<ConfigMap>managers().apply(configMap);
    if (!isOwnedByPolicy(slim)) {
      slim.setData(withoutValues(slim.getData()));
      slim.setBinaryData(withoutValues(slim.getBinaryData()));
    }
    return slim;
  }

  private static Map<String, String> withoutValues(@Nullable Map<String, String> data) {
    return Objects.requireNonNullElse(data, Map.<String, String>of()).keySet().stream()
        .collect(Collectors.toMap(Function.identity(), _ -> ""));
  }
}
