package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.core.names.NodeLabels;
import java.util.Optional;
import java.util.regex.Pattern;

/// Which labels the agent may write, and which the API server takes (Kubernetes, "Labels and
/// Selectors", syntax and character set). A single one that it refuses would take all others along.
final class LabelSyntax {
  private static final String GPU_PREFIX = "nvidia.com/";
  private static final int LONGEST = 63;
  private static final Pattern NAME = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");

  private LabelSyntax() {}

  /// Why a label cannot be written; empty where it can.
  static Optional<String> problem(String key, String value) {
    if (!isOurs(key)) {
      return Optional.of(
          "label %s is not written: the agent's labels start with %s or %s and are not the operator's own (%s, %s...)"
              .formatted(
                  key,
                  GPU_PREFIX,
                  NodeLabels.FEATURE_PREFIX,
                  NodeLabels.GPU_PRESENT,
                  NodeLabels.DEPLOY_PREFIX));
    }
    if (!isName(key.substring(key.indexOf('/') + 1))) {
      return Optional.of("label %s is not written: its name is not legal".formatted(key));
    }
    return value.isEmpty() || isName(value)
        ? Optional.empty()
        : Optional.of(
            "label %s is not written: its value '%s' must be at most 63 letters, digits, '-', '_' or '.'"
                .formatted(key, SchemaLimits.text(value, SchemaLimits.PRODUCT)));
  }

  static boolean isFeature(String key) {
    return key.startsWith(NodeLabels.FEATURE_PREFIX);
  }

  private static boolean isOurs(String key) {
    return isFeature(key)
        || (key.startsWith(GPU_PREFIX)
            && !key.startsWith(NodeLabels.DEPLOY_PREFIX)
            && !key.equals(NodeLabels.GPU_PRESENT));
  }

  private static boolean isName(String text) {
    return text.length() <= LONGEST && NAME.matcher(text).matches();
  }
}
