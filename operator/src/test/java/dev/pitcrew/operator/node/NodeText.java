package dev.pitcrew.operator.node;

import dev.pitcrew.api.node.DriverStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Nodes as one line of text: space-separated `key=value`, a bare key for `true`, `~x` for the
/// label `nvidia.com/gpu.deploy.x`, `@x` for the feature label x and `:x` for `nvidia.com/x`.
final class NodeText {
  private NodeText() {}

  static NodeFacts node(String labels) {
    return facts(parse(labels), Map.of());
  }

  static NodeFacts annotated(String labels, String annotations) {
    return facts(parse(labels), parse(annotations));
  }

  /// The node after the change was written.
  static NodeFacts written(NodeFacts node, NodeChange change) {
    var after =
        facts(
            patched(node.labels(), change.labels()),
            patched(node.annotations(), change.annotations()));
    boolean isAutomatic =
        change.labels().containsKey(LabelSets.DRIVER)
            ? change.labels().get(LabelSets.DRIVER) != null
            : node.isDriverLabelAutomatic();
    return reported(after, isAutomatic, node.driver()).withPauseLeft(node.isPauseLeft());
  }

  static Map<String, String> parse(String line) {
    Map<String, String> map = new TreeMap<>();
    for (String entry : line.isBlank() ? new String[0] : line.strip().split("\\s+")) {
      int equals = entry.indexOf('=');
      map.put(
          key(equals < 0 ? entry : entry.substring(0, equals)),
          equals < 0 ? "true" : entry.substring(equals + 1));
    }
    return map;
  }

  static String key(String text) {
    return switch (text.charAt(0)) {
      case '~' -> "nvidia.com/gpu.deploy." + text.substring(1);
      case '@' -> "feature.node.kubernetes.io/" + text.substring(1);
      case ':' -> "nvidia.com/" + text.substring(1);
      default -> text;
    };
  }

  /// The same with what an agent said, and with a label that a program wrote, or a user.
  static NodeFacts reported(NodeFacts node, boolean isAutomatic, DriverStatus driver) {
    return new NodeFacts(
        node.name(),
        node.uid(),
        node.resourceVersion(),
        node.labels(),
        node.annotations(),
        node.containerRuntimeVersion(),
        node.kernelVersion(),
        isAutomatic,
        driver,
        node.isPauseLeft(),
        node.isGpuReported());
  }

  private static NodeFacts facts(Map<String, String> labels, Map<String, String> annotations) {
    return new NodeFacts("gpu-1", "uid", "7", labels, annotations, "containerd://2.1.4", "6.1.0");
  }

  private static Map<String, String> patched(
      Map<String, String> before, Map<String, @Nullable String> patch) {
    Map<String, String> after = new HashMap<>(before);
    patch.forEach((key, value) -> {
      if (value == null) {
        after.remove(key);
      } else {
        after.put(key, value);
      }
    });
    return after;
  }
}
