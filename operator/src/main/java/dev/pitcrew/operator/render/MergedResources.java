package dev.pitcrew.operator.render;

import dev.pitcrew.api.Resources;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/// Resources of an init container that runs before several containers: it may have what the largest
/// of them has, so it costs the pod nothing.
public final class MergedResources {
  private static final BinaryOperator<Quantity> LARGER =
      BinaryOperator.maxBy(Comparator.comparing(Quantity::getNumericalAmount));

  private MergedResources() {}

  /// The largest request and the largest limit of each resource, where a limit is no less than the
  /// request; empty where no section gives any.
  public static Optional<ResourceRequirements> largest(List<Resources> sections) {
    List<ResourceRequirements> given =
        sections.stream()
            .filter(section -> !ApiObjects.isEmpty(section))
            .map(section -> ApiObjects.convert(section, ResourceRequirements.class))
            .toList();
    if (given.isEmpty()) {
      return Optional.empty();
    }
    Map<String, Quantity> requests = largest(given, ResourceRequirements::getRequests);
    Map<String, Quantity> limits = largest(given, ResourceRequirements::getLimits);
    limits.replaceAll((name, limit) ->
        requests.containsKey(name) ? LARGER.apply(limit, requests.get(name)) : limit);
    return Optional.of(
        new ResourceRequirementsBuilder().withRequests(requests).withLimits(limits).build());
  }

  private static Map<String, Quantity> largest(
      List<ResourceRequirements> sections,
      Function<ResourceRequirements, Map<String, Quantity>> part) {
    var largest = new LinkedHashMap<String, Quantity>();
    sections.forEach(section ->
        part.apply(section).forEach((name, amount) -> largest.merge(name, amount, LARGER)));
    return largest;
  }
}
