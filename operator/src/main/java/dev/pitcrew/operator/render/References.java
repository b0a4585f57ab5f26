package dev.pitcrew.operator.render;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.cluster.ClusterFacts;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// ConfigMaps and Secrets that a policy names and that must be there before pods can mount them.
public final class References {
  private References() {}

  /// Checks that a ConfigMap exists if the policy names one.
  ///
  /// @param field path of the field that names it
  public static Check configMap(
      String field, Function<ClusterPolicySpec, Optional<String>> reference) {
    return context -> configMapProblem(field, reference.apply(context.spec()), context.facts());
  }

  /// The same for a field of any resource.
  public static Optional<Problem> configMapProblem(
      String field, Optional<String> reference, ClusterFacts facts) {
    return reference
        .filter(Predicate.not(facts.configMaps()::containsKey))
        .map(name -> missing("ConfigMap", field, name, facts.namespace()));
  }

  /// Checks that a Secret exists if the policy names one.
  public static Check secret(
      String field, Function<ClusterPolicySpec, Optional<String>> reference) {
    return context ->
        reference
            .apply(context.spec())
            .filter(name ->
                context.facts().secrets().filter(existing -> existing.contains(name)).isEmpty())
            .map(name ->
                context.facts().secrets().isPresent()
                    ? missing("Secret", field, name, context.namespace())
                    : unlisted(field, name, context));
  }

  private static Problem unlisted(String field, String name, RenderContext context) {
    return Problem.of(
        "SecretsNotListed",
        field,
        name,
        "the API server does not list the Secrets of namespace %1$s, so it is not known whether there is one of that name; kubectl auth can-i list secrets -n %1$s --as system:serviceaccount:%1$s:gpu-operator must say yes (a Role of the chart grants it), or clear the field"
            .formatted(context.namespace()));
  }

  private static Problem missing(String kind, String field, String name, String namespace) {
    return Problem.of(
        kind + "Missing",
        field,
        name,
        "namespace %s has no %s of that name; create it or clear the field"
            .formatted(namespace, kind));
  }
}
