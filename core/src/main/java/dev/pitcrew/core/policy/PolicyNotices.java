package dev.pitcrew.core.policy;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Input that works, but not as it reads: reported in the status, so that no user has to find out
/// by looking at pods.
public final class PolicyNotices {
  private static final String DRIVER_DIRECTORY = "/run/nvidia/driver";

  private PolicyNotices() {}

  /// @param spec of a ClusterPolicy, as maps, lists and scalars
  public static List<String> of(Map<?, ?> spec) {
    var notices = new ArrayList<String>();
    repeatedVariables("spec", spec, notices);
    for (String section : List.of("gds", "gdrcopy")) {
      Map<?, ?> operand = section(spec, section);
      if (isOn(operand) && operand.get("args") instanceof List<?> args && !args.isEmpty()) {
        notices.add(withoutEffect("spec." + section + ".args"));
      }
    }
    if (isOn(section(spec, "kataManager"))) {
      notices.add(withoutEffect("spec.kataManager.enabled"));
    }
    driverDirectory(spec, notices);
    return List.copyOf(notices);
  }

  private static Map<?, ?> section(Map<?, ?> fields, String name) {
    return fields.get(name) instanceof Map<?, ?> section ? section : Map.of();
  }

  private static boolean isOn(Map<?, ?> operand) {
    return Boolean.TRUE.equals(operand.get("enabled"));
  }

  private static String withoutEffect(String field) {
    return field + " has no effect; clear it";
  }

  private static void driverDirectory(Map<?, ?> spec, List<String> notices) {
    boolean isDriver = !Boolean.FALSE.equals(section(spec, "driver").get("enabled"));
    if (isDriver
        && section(spec, "hostPaths").get("driverInstallDir") instanceof String directory
        && !directory.isEmpty()
        && !directory.equals(DRIVER_DIRECTORY)) {
      notices.add(
          "spec.hostPaths.driverInstallDir is \"%s\", but driver containers install into %s: clear it, or set spec.driver.enabled to false for a driver of the host"
              .formatted(directory, DRIVER_DIRECTORY));
    }
  }

  private static void repeatedVariables(String path, Map<?, ?> fields, List<String> notices) {
    fields.forEach((name, value) -> {
      String at = path + "." + name;
      if (name.equals("env")) {
        repeated(value)
            .forEach(variable ->
                notices.add(
                    at
                        + " has "
                        + variable
                        + " more than once: the last value holds; remove the others"));
      } else if (value instanceof Map<?, ?> section) {
        repeatedVariables(at, section, notices);
      }
    });
  }

  private static Set<String> repeated(Object entries) {
    Set<String> seen = new LinkedHashSet<>();
    Set<String> repeated = new LinkedHashSet<>();
    if (entries instanceof List<?> list) {
      for (Object entry : list) {
        String name =
            entry instanceof Map<?, ?> variable && variable.get("name") instanceof String text
                ? text
                : "";
        if (!seen.add(name)) {
          repeated.add(name);
        }
      }
    }
    return repeated;
  }
}
