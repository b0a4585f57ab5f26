package dev.pitcrew.operator.requests;

import dev.pitcrew.kube.selector.LabelSelector;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// On which nodes a pod may run, as far as it says so itself: its node selector and the node
/// affinity that it requires (kube-scheduler, plugin NodeAffinity), and the taints that it
/// tolerates.
///
/// @param selector labels that a node must have
/// @param terms of which a node must meet one; empty where the pod requires nothing
/// @param tolerations without those of states of nodes, which every pod has
public record Placement(
    Map<String, String> selector, List<NodeSelectorTerm> terms, List<Toleration> tolerations) {
  /// Where nothing is required.
  public static final Placement ANYWHERE = new Placement(Map.of(), List.of(), List.of());

  private static final String NAME_FIELD = "metadata.name";

  public Placement {
    selector = Map.copyOf(selector);
    terms = List.copyOf(terms);
    tolerations = List.copyOf(tolerations);
  }

  public static Placement of(PodSpec pod) {
    return new Placement(
        Objects.requireNonNullElse(pod.getNodeSelector(), Map.<String, String>of()),
        required(pod).map(NodeSelector::getNodeSelectorTerms).orElse(List.of()),
        tolerations(pod));
  }

  static List<Toleration> tolerations(PodSpec pod) {
    return Objects.requireNonNullElse(pod.getTolerations(), List.<Toleration>of()).stream()
        .filter(it -> it.getKey() == null || !NodeOffer.isState(it.getKey()))
        .toList();
  }

  /// The node affinity that is more than a wish.
  static Optional<NodeSelector> required(PodSpec pod) {
    return Optional.ofNullable(pod.getAffinity())
        .map(Affinity::getNodeAffinity)
        .map(NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution);
  }

  /// Whether it leaves out no node, taints apart.
  boolean isAnywhere() {
    return selector.isEmpty() && terms.isEmpty();
  }

  boolean allows(NodeOffer node) {
    return allows(node.node(), node.labels());
  }

  /// Whether it leaves out the node of that name, taints apart.
  public boolean allows(String node, Map<String, String> labels) {
    return LabelSelector.matches(selector, labels)
        && (terms.isEmpty() || terms.stream().anyMatch(term -> isMet(term, node, labels)));
  }

  /// Such as `nodeSelector a=b, affinity a In [b, c]`.
  String words() {
    Stream<String> selected =
        selector.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(label -> "nodeSelector %s=%s".formatted(label.getKey(), label.getValue()));
    Stream<String> required =
        Stream.of(terms)
            .filter(it -> !it.isEmpty())
            .map(it -> it.stream().map(Placement::words).collect(Collectors.joining(" or ")))
            .map(text -> "affinity " + text);
    return Stream.concat(selected, required).collect(Collectors.joining(", "));
  }

  private static String words(NodeSelectorTerm term) {
    return requirements(term)
        .map(it ->
            values(it).isEmpty()
                ? "%s %s".formatted(it.getKey(), it.getOperator())
                : "%s %s %s".formatted(it.getKey(), it.getOperator(), values(it)))
        .collect(Collectors.joining(" and "));
  }

  /// A term without requirements is met by no node.
  private static boolean isMet(NodeSelectorTerm term, String node, Map<String, String> labels) {
    return requirements(term).findAny().isPresent()
        && areMet(term.getMatchExpressions(), labels::get)
        && areMet(term.getMatchFields(), field -> NAME_FIELD.equals(field) ? node : null);
  }

  private static boolean areMet(
      @Nullable Collection<NodeSelectorRequirement> requirements,
      Function<String, @Nullable String> value) {
    return Stream.ofNullable(requirements)
        .flatMap(Collection::stream)
        .allMatch(it -> isMet(it, value.apply(it.getKey())));
  }

  /// An operator that is newer than this is no reason to speak of a mistake.
  private static boolean isMet(NodeSelectorRequirement requirement, @Nullable String value) {
    return switch (requirement.getOperator()) {
      case "In" -> value != null && values(requirement).contains(value);
      case "NotIn" -> value == null || !values(requirement).contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      case "Gt" -> difference(value, requirement).filter(it -> it > 0).isPresent();
      case "Lt" -> difference(value, requirement).filter(it -> it < 0).isPresent();
      default -> true;
    };
  }

  /// Of the node's number and the one that it is compared with; empty where one is none.
  private static Optional<Integer> difference(
      @Nullable String value, NodeSelectorRequirement requirement) {
    try {
      return value == null || values(requirement).size() != 1
          ? Optional.empty()
          : Optional.of(
              Long.compare(Long.parseLong(value), Long.parseLong(values(requirement).getFirst())));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  private static Stream<NodeSelectorRequirement> requirements(NodeSelectorTerm term) {
    return Stream.of(
            Objects.requireNonNullElse(
                term.getMatchExpressions(), List.<NodeSelectorRequirement>of()),
            Objects.requireNonNullElse(term.getMatchFields(), List.<NodeSelectorRequirement>of()))
        .flatMap(List::stream);
  }

  private static List<String> values(NodeSelectorRequirement requirement) {
    return Objects.requireNonNullElse(requirement.getValues(), List.of());
  }
}
