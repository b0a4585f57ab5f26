package dev.pitcrew.operator.testing;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Images;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Policies as a user writes them. Images come from the operator's environment, as
/// `example.com/<variable>:1`, so that a policy needs to name only what its test is about.
public final class Policies {
  private static final Images IMAGES =
      new Images(
          Stream.of(
                  "DRIVER",
                  "DRIVER_MANAGER",
                  "GDS",
                  "GDRCOPY",
                  "VALIDATOR",
                  "CONTAINER_TOOLKIT",
                  "DEVICE_PLUGIN",
                  "DCGM",
                  "DCGM_EXPORTER",
                  "GFD",
                  "MIG_MANAGER",
                  "VGPU_MANAGER",
                  "VGPU_DEVICE_MANAGER",
                  "VFIO_MANAGER",
                  "SANDBOX_DEVICE_PLUGIN",
                  "KATA_SANDBOX_DEVICE_PLUGIN",
                  "CC_MANAGER")
              .collect(
                  Collectors.toUnmodifiableMap(
                      name -> name + "_IMAGE",
                      name -> "example.com/" + name.toLowerCase(Locale.ROOT) + ":1")));

  private Policies() {}

  /// The `spec` of a ClusterPolicy.
  public static ClusterPolicySpec from(String yaml) {
    JsonNode spec =
        Serialization.unmarshal("---\n" + (yaml.isBlank() ? "{}" : yaml), JsonNode.class);
    return ApiJson.read(spec, ClusterPolicySpec.class);
  }

  public static Images images() {
    return IMAGES;
  }
}
