package dev.pitcrew.core.requests;

import java.util.Collection;
import java.util.List;
import java.util.Map;
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
    Map<String, String> selector, List<Term> terms, List<Toleration> tolerations) {
  /// Of which a node must meet all requirements.
  ///
  /// @param labels on its labels
  /// @param fields on its fields
  public record Term(List<Requirement> labels, List<Requirement> fields) {
    public Term {
      labels = List.copyOf(labels);
      fields = List.copyOf(fields);
    }
  }

  /// On one label or field.
  public record Requirement(String key, String operator, List<String> values) {
    public Requirement {
      values = List.copyOf(values);
    }
  }

  /// Where nothing is required.
  public static final Placement ANYWHERE = new Placement(Map.of(), List.of(), List.of());

  private static final String NAME_FIELD = "metadata.name";

  public Placement {
    selector = Map.copyOf(selector);
    terms = List.copyOf(terms);
    tolerations =
        tolerations.stream()
            .filter(it -> it.key().isEmpty() || !NodeOffer.isState(it.key()))
            .toList();
  }

  /// Whether it leaves out no node, taints apart.
  public boolean isAnywhere() {
    return selector.isEmpty() && terms.isEmpty();
  }

  public boolean allows(NodeOffer node) {
    return allows(node.node(), node.labels());
  }

  /// Whether it leaves out the node of that name, taints apart.
  public boolean allows(String node, Map<String, String> labels) {
    return selector.entrySet().stream()
            .allMatch(it -> it.getValue().equals(labels.get(it.getKey())))
        && (terms.isEmpty() || terms.stream().anyMatch(term -> isMet(term, node, labels)));
  }

  /// Such as `nodeSelector a=b, affinity a In [b, c]`.
  public String words() {
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

  private static String words(Term term) {
    return requirements(term)
        .map(it ->
            it.values().isEmpty()
                ? "%s %s".formatted(it.key(), it.operator())
                : "%s %s %s".formatted(it.key(), it.operator(), it.values()))
        .collect(Collectors.joining(" and "));
  }

  /// A term without requirements is met by no node.
  private static boolean isMet(Term term, String node, Map<String, String> labels) {
    return requirements(term).findAny().isPresent()
        && areMet(term.labels(), labels::get)
        && areMet(term.fields(), field -> NAME_FIELD.equals(field) ? node : null);
  }

  private static boolean areMet(
      Collection<Requirement> requirements, Function<String, @Nullable String> value) {
    return requirements.stream().allMatch(it -> isMet(it, value.apply(it.key())));
  }

  /// An operator that is newer than this is not reported as an error.
  private static boolean isMet(Requirement requirement, @Nullable String value) {
    return switch (requirement.operator()) {
      case "In" -> value != null && requirement.values().contains(value);
      case "NotIn" -> value == null || !requirement.values().contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      case "Gt" -> difference(value, requirement).filter(it -> it > 0).isPresent();
      case "Lt" -> difference(value, requirement).filter(it -> it < 0).isPresent();
      default -> true;
    };
  }

  /// Of the node's number and the one that it is compared with; empty where one is none.
  private static Optional<Integer> difference(@Nullable String value, Requirement requirement) {
    try {
      return value == null || requirement.values().size() != 1
          ? Optional.empty()
          : Optional.of(
              Long.compare(Long.parseLong(value), Long.parseLong(requirement.values().getFirst())));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  private static Stream<Requirement> requirements(Term term) {
    return Stream.of(term.labels(), term.fields()).flatMap(List::stream);
  }
}
