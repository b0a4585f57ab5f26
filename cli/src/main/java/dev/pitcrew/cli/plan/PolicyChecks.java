package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.ReferencePolicy;
import dev.pitcrew.cli.plan.Checks.Line;
import dev.pitcrew.core.policy.PolicyNotices;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a ClusterPolicy of the NVIDIA GPU Operator says to Pitcrew.
final class PolicyChecks {
  /// As the chart names it.
  static final String NAME = "cluster-policy";

  private PolicyChecks() {}

  /// The one that counts, which is the oldest.
  static Optional<ReferencePolicy> inForce(Collection<ReferencePolicy> policies) {
    return policies.stream()
        .min(Comparator.comparing(ReferencePolicy::created).thenComparing(ReferencePolicy::name));
  }

  /// @param fields that the definition of Pitcrew has, such as `spec.driver.env[].name`
  static List<Line> of(Collection<ReferencePolicy> policies, Collection<String> fields) {
    Optional<ReferencePolicy> found = inForce(policies);
    if (found.isEmpty()) {
      return List.of(
          Line.warning(
              "there is no ClusterPolicy",
              "the chart makes one of your values, unless clusterPolicy.deployCR=false"));
    }
    ReferencePolicy policy = found.get();
    String title = "ClusterPolicy " + policy.name();
    var lines = new ArrayList<Line>();
    lines.add(
        policy.state().equals("ready")
            ? Line.good(title + " is ready")
            : Line.warning(
                "%s is %s"
                    .formatted(
                        title, policy.state().isEmpty() ? "without a state" : policy.state()),
                "repair it first, or what is broken now looks as if the move had broken it: kubectl describe clusterpolicy "
                    + policy.name()));
    if (policies.size() > 1) {
      lines.add(
          Line.warning(
              "there are %d ClusterPolicies, and %s counts, the oldest"
                  .formatted(policies.size(), policy.name()),
              "delete the others, which are ignored before and after"));
    }
    if (!policy.name().equals(NAME)) {
      lines.add(
          Line.warning(
              "%s has not the name that the chart gives its own, which would be a second one"
                  .formatted(title),
              "add --set clusterPolicy.deployCR=false to both commands"));
    }
    settings(title, policy, fields, lines);
    policy
        .byHand()
        .forEach((program, paths) ->
            lines.add(
                Line.warning(
                        "%s has fields that were set by hand (%s)".formatted(title, program),
                        "put them into your values: helm upgrade may set them to what the values say")
                    .with(paths)));
    return lines;
  }

  private static void settings(
      String title, ReferencePolicy policy, Collection<String> fields, List<Line> lines) {
    List<String> unknown = new ArrayList<>();
    unknown("spec", policy.spec(), fields, unknown);
    if (!unknown.isEmpty()) {
      lines.add(
          Line.warning(
                  "%s has fields that Pitcrew does not have, and that it drops".formatted(title),
                  "remove them from your values")
              .with(unknown));
    }
    List<String> notices = PolicyNotices.of(policy.spec());
    if (!notices.isEmpty()) {
      lines.add(Line.warning(title + " has settings that have no effect", "").with(notices));
    }
    if (unknown.isEmpty() && notices.isEmpty()) {
      lines.add(Line.good("all settings of %s are known and have an effect".formatted(title)));
    }
  }

  /// A field without known fields below it may hold anything.
  private static void unknown(
      String path, Object value, Collection<String> fields, List<String> found) {
    if (value instanceof Map<?, ?> map && isOpened(path + ".", fields)) {
      map.forEach((name, inner) -> {
        String at = path + "." + name;
        if (fields.contains(at)) {
          unknown(at, inner, fields, found);
        } else {
          found.add(at);
        }
      });
    } else if (value instanceof List<?> items && isOpened(path + "[]", fields)) {
      items.forEach(it -> unknown(path + "[]", it, fields, found));
    }
  }

  private static boolean isOpened(String begin, Collection<String> fields) {
    return begin.equals("spec.") || fields.stream().anyMatch(it -> it.startsWith(begin));
  }
}
