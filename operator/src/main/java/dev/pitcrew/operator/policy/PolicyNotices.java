package dev.pitcrew.operator.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// Input that works, but not as it reads: reported in the status, so that no user has to find out
/// by looking at pods.
public final class PolicyNotices {
  private static final String DRIVER_DIRECTORY = "/run/nvidia/driver";

  private PolicyNotices() {}

  public static List<String> of(ClusterPolicySpec spec) {
    var notices = new ArrayList<String>();
    repeatedVariables("spec", ApiJson.tree(spec), notices);
    if (spec.gds().isEnabled() && !spec.gds().args().isEmpty()) {
      notices.add(withoutEffect("spec.gds.args"));
    }
    if (spec.gdrcopy().isEnabled() && !spec.gdrcopy().args().isEmpty()) {
      notices.add(withoutEffect("spec.gdrcopy.args"));
    }
    if (Boolean.TRUE.equals(spec.kataManager().enabled())) {
      notices.add(withoutEffect("spec.kataManager.enabled"));
    }
    driverDirectory(spec, notices);
    return List.copyOf(notices);
  }

  private static String withoutEffect(String field) {
    return field + " has no effect; clear it";
  }

  private static void driverDirectory(ClusterPolicySpec spec, List<String> notices) {
    String directory = Objects.requireNonNullElse(spec.hostPaths().driverInstallDir(), "");
    if (spec.driver().isEnabled() && !directory.isEmpty() && !directory.equals(DRIVER_DIRECTORY)) {
      notices.add(
          "spec.hostPaths.driverInstallDir is \"%s\", but driver containers install into %s: clear it, or set spec.driver.enabled to false for a driver of the host"
              .formatted(directory, DRIVER_DIRECTORY));
    }
  }

  private static void repeatedVariables(String path, JsonNode node, List<String> notices) {
    for (var field : node.properties()) {
      String at = path + "." + field.getKey();
      if (field.getKey().equals("env")) {
        repeated(field.getValue())
            .forEach(name ->
                notices.add(
                    at
                        + " has "
                        + name
                        + " more than once: the last value holds; remove the others"));
      } else {
        repeatedVariables(at, field.getValue(), notices);
      }
    }
  }

  private static Set<String> repeated(JsonNode entries) {
    Set<String> seen = new LinkedHashSet<>();
    Set<String> repeated = new LinkedHashSet<>();
    for (JsonNode entry : entries) {
      String name = entry.path("name").asText();
      if (!seen.add(name)) {
        repeated.add(name);
      }
    }
    return repeated;
  }
}
