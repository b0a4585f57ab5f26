package dev.pitcrew.agent.metrics.plan;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Which labels of a pod its series carry, and under which names.
///
/// @param isOn whether any
/// @param allowed regular expressions, one of which is found in the key; empty for all keys
public record PodLabels(boolean isOn, List<Pattern> allowed) {
  public static final PodLabels NONE = new PodLabels(false, List.of());

  private static final Pattern FOREIGN = Pattern.compile("[^a-zA-Z0-9_]");
  private static final Pattern DIGIT_FIRST = Pattern.compile("^(?=\\d)");

  public PodLabels {
    allowed = List.copyOf(allowed);
  }

  /// @param labels as the pod has them
  /// @return by names that Prometheus takes; of two that become one, the first in order stays
  public Map<String, String> of(Map<String, String> labels) {
    var exported = new TreeMap<String, String>();
    if (isOn) {
      new TreeMap<>(labels)
          .forEach((key, value) -> {
            if (allowed.isEmpty() || allowed.stream().anyMatch(it -> it.matcher(key).find())) {
              exported.putIfAbsent(name(key), value);
            }
          });
    }
    return exported;
  }

  private static String name(String key) {
    String name = FOREIGN.matcher(key).replaceAll("_");
    return DIGIT_FIRST.matcher(name).replaceFirst("_");
  }
}
