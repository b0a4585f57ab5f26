package dev.pitcrew.operator.requests;

import dev.pitcrew.core.requests.GpuDemand;
import dev.pitcrew.core.requests.NodeOffer;
import dev.pitcrew.core.requests.Placement;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.node.Taints;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Reads what pods ask for and what nodes have out of the objects of the API server.
public final class RequestReading {
  private RequestReading() {}

  public static GpuDemand demand(PodSpec pod) {
    return GpuDemand.of(containers(pod.getContainers()), containers(pod.getInitContainers()));
  }

  public static Placement placement(PodSpec pod) {
    return new Placement(
        Objects.requireNonNullElse(pod.getNodeSelector(), Map.of()),
        required(pod).map(required -> terms(required.getNodeSelectorTerms())).orElse(List.of()),
        Taints.tolerations(pod.getTolerations()));
  }

  /// Reads a Node as the API server sends it or as the operator keeps it.
  public static NodeOffer offer(Node node) {
    NodeFacts facts = NodeFacts.of(node);
    return NodeOffer.of(
        facts.name(),
        (facts.hasGpuDevice() || facts.isGpuNode()) && !facts.optsOut(),
        facts.labels(),
        amounts(node, NodeStatus::getCapacity),
        amounts(node, NodeStatus::getAllocatable),
        Taints.of(node));
  }

  /// The node affinity that is more than a wish.
  static Optional<NodeSelector> required(PodSpec pod) {
    return Optional.ofNullable(pod.getAffinity())
        .map(Affinity::getNodeAffinity)
        .map(NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution);
  }

  /// Without those of states of nodes, which every pod has.
  static List<Toleration> tolerations(PodSpec pod) {
    return orNone(pod.getTolerations()).stream()
        .filter(it -> it.getKey() == null || !NodeOffer.isState(it.getKey()))
        .toList();
  }

  static Map<String, Quantity> limits(Container container) {
    return container.getResources() == null
        ? Map.of()
        : Objects.requireNonNullElse(container.getResources().getLimits(), Map.of());
  }

  private static List<GpuDemand.Container> containers(@Nullable List<Container> containers) {
    return orNone(containers).stream()
        .map(it ->
            new GpuDemand.Container(
                it.getName(), "Always".equals(it.getRestartPolicy()), wholeNumbers(limits(it))))
        .toList();
  }

  private static List<Placement.Term> terms(@Nullable List<NodeSelectorTerm> terms) {
    return orNone(terms).stream()
        .map(it ->
            new Placement.Term(
                requirements(it.getMatchExpressions()), requirements(it.getMatchFields())))
        .toList();
  }

  private static List<Placement.Requirement> requirements(
      @Nullable List<NodeSelectorRequirement> requirements) {
    return orNone(requirements).stream()
        .map(it -> new Placement.Requirement(it.getKey(), it.getOperator(), orNone(it.getValues())))
        .toList();
  }

  private static Map<String, Long> amounts(
      Node node, Function<NodeStatus, @Nullable Map<String, Quantity>> part) {
    return node.getStatus() == null
        ? Map.of()
        : wholeNumbers(Objects.requireNonNullElse(part.apply(node.getStatus()), Map.of()));
  }

  /// Of resources under `nvidia.com/` the API server takes no fractions.
  private static Map<String, Long> wholeNumbers(Map<String, Quantity> quantities) {
    var numbers = new HashMap<String, Long>();
    quantities.forEach((resource, quantity) -> {
      if (resource.startsWith(GpuDemand.PREFIX)) {
        numbers.put(resource, quantity.getNumericalAmount().longValue());
      }
    });
    return numbers;
  }

  private static <T> List<T> orNone(@Nullable List<T> list) {
    return Objects.requireNonNullElse(list, List.of());
  }
}
