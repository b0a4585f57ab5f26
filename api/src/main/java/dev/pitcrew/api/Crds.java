package dev.pitcrew.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/// The custom resource definitions, as YAML on the class path.
public final class Crds {
  private static final List<String> FILES =
      List.of(
          "nvidia.com_clusterpolicies.yaml",
          "nvidia.com_nvidiadrivers.yaml",
          "nvidia.com_gpuclusters.yaml",
          "resource.nvidia.com_computedomains.yaml",
          "resource.nvidia.com_computedomaincliques.yaml",
          "pitcrew.dev_fleetpolicies.yaml",
          "pitcrew.dev_gpunodes.yaml");

  private static final String POLICY_FIELDS = "nvidia.com_clusterpolicies.fields";

  private Crds() {}

  /// The file names, one definition each: `<group>_<plural>.yaml`.
  public static List<String> files() {
    return FILES;
  }

  /// The text of one file.
  ///
  /// @throws IllegalArgumentException if there is no such file
  public static String yaml(String file) {
    if (!FILES.contains(file)) {
      throw new IllegalArgumentException("no definition " + file + ", there are " + FILES);
    }
    return text(file);
  }

  /// Every field of a ClusterPolicy, as `spec.driver.image` or `spec.driver.env[].name`: the schema
  /// in a form that costs no YAML parser at run time.
  public static List<String> policyFields() {
    return text(POLICY_FIELDS).lines().toList();
  }

  private static String text(String file) {
    try (var stream = Crds.class.getResourceAsStream("/crds/" + file)) {
      if (stream == null) {
        throw new IllegalStateException(file + " is missing from the class path");
      }
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException("read " + file, broken);
    }
  }
}
