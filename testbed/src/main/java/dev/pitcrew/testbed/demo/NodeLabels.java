package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.Node;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The labels below `nvidia.com/` of nodes, in few lines.
final class NodeLabels {
  private static final String OURS = "nvidia.com/";
  private static final String DEPLOY = "gpu.deploy.";

  private NodeLabels() {}

  /// One row for all nodes with the same labels.
  static Table table(Collection<Node> nodes) {
    var names = new TreeMap<String, List<String>>();
    for (var node : nodes) {
      names
          .computeIfAbsent(words(node.getMetadata().getLabels()), _ -> new ArrayList<>())
          .add(node.getMetadata().getName());
    }
    return Table.of(
        List.of("NODES", "LABELS BELOW " + OURS),
        names.entrySet().stream()
            .map(entry -> List.of(some(entry.getValue()), entry.getKey()))
            .sorted(Comparator.comparing(List::getFirst)));
  }

  /// The labels without their prefix, the switches of operands with the same value put together.
  static String words(Map<String, String> labels) {
    var ours = new TreeMap<String, String>();
    labels.forEach((key, value) -> {
      if (key.startsWith(OURS)) {
        ours.put(key.substring(OURS.length()), value);
      }
    });
    var single =
        ours.entrySet().stream()
            .filter(label -> !label.getKey().startsWith(DEPLOY))
            .map(label -> label.getKey() + "=" + label.getValue());
    var text = Stream.concat(single, switches(ours)).collect(Collectors.joining(" "));
    return text.isEmpty() ? "-" : text;
  }

  private static Stream<String> switches(Map<String, String> labels) {
    var byValue =
        labels.entrySet().stream()
            .filter(label -> label.getKey().startsWith(DEPLOY))
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getValue,
                    TreeMap::new,
                    Collectors.mapping(
                        label -> label.getKey().substring(DEPLOY.length()),
                        Collectors.joining(", "))));
    return byValue.entrySet().stream()
        .map(entry -> DEPLOY + "{" + entry.getValue() + "}=" + entry.getKey());
  }

  private static String some(List<String> names) {
    return names.size() <= 3
        ? String.join(", ", names)
        : "%s ... %s (%d)".formatted(names.getFirst(), names.getLast(), names.size());
  }
}
