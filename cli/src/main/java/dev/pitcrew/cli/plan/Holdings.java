package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Pod;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Which pods hold the GPUs of which node, by their requests.
public final class Holdings {
  private static final Comparator<Pod> BY_NAME =
      Comparator.comparing(Pod::namespace).thenComparing(Pod::name);

  private final Map<String, List<Pod>> byNode;

  public Holdings(Collection<Pod> pods) {
    byNode =
        pods.stream()
            .filter(Pod::isHolding)
            .sorted(BY_NAME)
            .collect(Collectors.groupingBy(Pod::node));
  }

  /// Those of one node, by name.
  public List<Pod> on(String node) {
    return byNode.getOrDefault(node, List.of());
  }

  /// How much of a resource pods hold on a node.
  long held(String node, String resource) {
    return on(node).stream().mapToLong(pod -> count(pod, resource)).sum();
  }

  static long count(Pod pod, String resource) {
    return pod.demand().asks().containsKey(resource)
        ? pod.demand().asks().get(resource).count()
        : 0;
  }
}
