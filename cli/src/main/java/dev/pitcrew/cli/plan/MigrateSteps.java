package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.OperatorDeployment;
import dev.pitcrew.cli.cluster.ReferencePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The commands of docs/migrate.md for one cluster.
final class MigrateSteps {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./-]+");
  private static final String WITHOUT_AGENT = "fleetPolicy.agent.enabled=false";

  private MigrateSteps() {}

  static List<String> of(MigrateChecks.Facts facts, OperatorDeployment operator) {
    String policy =
        facts
            .policies()
            .flatMap(PolicyChecks::inForce)
            .map(ReferencePolicy::name)
            .orElse(PolicyChecks.NAME);
    String wait =
        "kubectl wait --for=condition=Ready clusterpolicy/%s --timeout=".formatted(policy);
    if (!operator.tool().isEmpty()) {
      return List.of(
          "in %s: the chart of Pitcrew, its image, %s, and no prune (docs/gitops.md)"
              .formatted(operator.tool(), WITHOUT_AGENT),
          wait + "20m",
          "in %s: without %s".formatted(operator.tool(), WITHOUT_AGENT),
          wait + "60m");
    }
    if (operator.release().isEmpty()) {
      return List.of();
    }
    String place = "%s --namespace %s".formatted(operator.release(), operator.namespace());
    String file = facts.values().map(MigrateChecks.Values::file).orElse("your-values.yaml");
    String other = policy.equals(PolicyChecks.NAME) ? "" : " --set clusterPolicy.deployCR=false";
    String upgrade =
        "helm upgrade %s charts/pitcrew --namespace %s --values %s%s"
            .formatted(operator.release(), operator.namespace(), quoted(file), other);
    var steps = new ArrayList<String>();
    if (facts.values().isEmpty()) {
      steps.add("helm get values %s --output yaml > %s".formatted(place, file));
      steps.add("add pitcrew.image.repository to %s".formatted(file));
    }
    steps.add(upgrade + " --set " + WITHOUT_AGENT);
    steps.add(wait + "20m");
    steps.add(upgrade);
    steps.add(wait + "60m");
    return steps;
  }

  /// As one word of a shell.
  private static String quoted(String file) {
    return PLAIN.matcher(file).matches() ? file : "'" + file.replace("'", "'\\''") + "'";
  }
}
