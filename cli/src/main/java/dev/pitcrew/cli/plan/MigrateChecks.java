package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.HostNode;
import dev.pitcrew.cli.cluster.OperandSet;
import dev.pitcrew.cli.cluster.OperatorDeployment;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.cluster.ReferencePolicy;
import dev.pitcrew.cli.cluster.TakeoverReading.Workloads;
import dev.pitcrew.cli.cluster.Workload;
import dev.pitcrew.cli.plan.Checks.Line;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a take-over from the NVIDIA GPU Operator changes that users see, and whether something is
/// in its way: docs/migrate.md.
public final class MigrateChecks {
  /// The release whose images and defaults are the chart's.
  static final String REFERENCE = "v26.7.0";

  private static final String DRIVER = "nvidia-driver-daemonset";
  private static final String EXPORTER = "dcgm-exporter";

  /// What was read; empty where the user's rights do not allow it.
  ///
  /// @param cluster what an installation needs to know too
  /// @param operator that is to be taken over; empty where none runs
  /// @param others NVIDIADrivers and GPUClusters with their state
  /// @param fields that the definition of a ClusterPolicy of Pitcrew has
  /// @param hostnameQueries alerts and dashboards that query metrics by the label `Hostname`
  /// @param holders pods that hold GPUs
  /// @param values of the release; empty where the user gave none
  public record Facts(
      InstallChecks.Facts cluster,
      Optional<OperatorDeployment> operator,
      Workloads workloads,
      Optional<List<ReferencePolicy>> policies,
      List<String> others,
      Collection<String> fields,
      List<String> hostnameQueries,
      Optional<List<Pod>> holders,
      Optional<Values> values) {}

  /// A file of values.
  ///
  /// @param known keys that values may have
  public record Values(String file, Map<?, ?> values, Map<?, ?> known) {}

  private MigrateChecks() {}

  public static Checks of(Facts facts) {
    String subject =
        "Take-over of the NVIDIA GPU Operator in namespace %s by Pitcrew"
            .formatted(facts.cluster().namespace());
    var lines = new ArrayList<Line>();
    lines.add(InstallChecks.version(facts.cluster().version()));
    if (facts.operator().isEmpty() || facts.operator().get().isPitcrew()) {
      lines.add(nothingToTakeOver(facts));
      return Checks.of(subject, lines);
    }
    OperatorDeployment operator = facts.operator().get();
    operator(operator, lines);
    lines.add(InstallChecks.admission(facts.cluster().admission()));
    lines.add(InstallChecks.rights(facts.cluster().denied()));
    lines.add(
        facts.cluster().isNamespace()
            ? InstallChecks.namespace(facts.cluster())
            : Line.unread(
                "namespace " + operator.namespace(), "your rights do not allow to get namespaces"));
    definitions(operator, facts, lines);
    facts
        .policies()
        .ifPresentOrElse(
            it -> lines.addAll(PolicyChecks.of(it, facts.fields())),
            () ->
                lines.add(
                    Line.unread(
                        "the ClusterPolicy", "your rights do not allow to list clusterpolicies")));
    facts.others().forEach(it -> lines.add(other(it)));
    facts
        .values()
        .ifPresent(it -> lines.addAll(ValuesChecks.of(it.file(), it.values(), it.known())));
    operands(facts, lines);
    software(facts.workloads(), lines);
    SelectionChecks.of(operator, facts.workloads(), lines);
    nodes(facts, lines);
    lines.add(holders(facts.holders()));
    return Checks.of(subject, lines).with(MigrateSteps.of(facts, operator));
  }

  private static Line nothingToTakeOver(Facts facts) {
    if (facts.operator().isPresent()) {
      return Line.blocker(
          "Pitcrew runs already: Deployment " + facts.operator().get().id(),
          "there is nothing to take over; to upgrade it: docs/upgrade.md");
    }
    return facts.workloads().isWhole()
        ? Line.blocker(
            "no NVIDIA GPU Operator runs: there is no Deployment gpu-operator",
            "kubectl gpu check install")
        : Line.blocker(
            "it is not known whether an NVIDIA GPU Operator runs",
            "your rights do not allow to list Deployments, DaemonSets, StatefulSets and CronJobs");
  }

  private static void operator(OperatorDeployment operator, List<Line> lines) {
    String words = "the NVIDIA GPU Operator runs: Deployment " + operator.id();
    if (operator.isOfOlm()) {
      lines.add(
          Line.blocker(
              words + ", installed by the Operator Lifecycle Manager",
              "a chart cannot take it over: delete its Subscription and ClusterServiceVersion, which leaves the operands, and then: kubectl gpu check install"));
    } else if (!operator.tool().isEmpty()) {
      lines.add(
          Line.warning(
              "%s, written by %s".formatted(words, operator.tool()),
              "change the chart there, and not by helm upgrade, which it would undo: docs/gitops.md"));
    } else if (operator.release().isEmpty()) {
      lines.add(
          Line.blocker(
              words + ", and it is of no Helm release",
              "helm upgrade finds no release to take over: have Helm adopt the Deployment (annotations meta.helm.sh/release-name and release-namespace, label app.kubernetes.io/managed-by=Helm), or delete it, which leaves the operands, and then: kubectl gpu check install"));
    } else {
      lines.add(Line.good("%s, of Helm release %s".formatted(words, operator.release())));
    }
    String chart = operator.chart();
    if (!chart.isEmpty() && !chart.endsWith("-" + REFERENCE)) {
      lines.add(
          Line.warning(
              "its chart is %s: images and defaults change to those of %s"
                  .formatted(chart, REFERENCE),
              "drivers with them: set driver.version to the one that runs, and the image of another operand where it is to stay"));
    }
  }

  /// One that another release has would be set back by it.
  private static void definitions(OperatorDeployment operator, Facts facts, List<Line> lines) {
    String own = "Helm release %s/%s".formatted(operator.namespace(), operator.release());
    List<String> foreign =
        facts.cluster().definitions().stream()
            .filter(it -> it.isThere() && it.owner().startsWith("Helm release "))
            .filter(it -> !it.owner().equals(own))
            .map(it ->
                "%s of %s%s"
                    .formatted(
                        it.name(),
                        it.owner(),
                        it.isOfAnotherChart() ? ", which is left as it is" : ""))
            .toList();
    lines.add(
        foreign.isEmpty()
            ? Line.good("no other Helm release has definitions that Pitcrew brings")
            : Line.warning(
                    "definitions of other Helm releases",
                    "take them out of those releases, with the annotation helm.sh/resource-policy: keep, so that they are neither set back nor deleted with them")
                .with(foreign));
  }

  private static Line other(String words) {
    return words.endsWith(": ready")
        ? Line.good(words)
        : Line.warning(words, "repair it first, or have it so on purpose");
  }

  private static void operands(Facts facts, List<Line> lines) {
    List<OperandSet> operands = facts.workloads().operands();
    List<String> drivers =
        operands.stream()
            .filter(it -> it.name().startsWith(DRIVER))
            .map(it -> "%s: %d pods, kept".formatted(it.name(), it.desired()))
            .toList();
    List<String> rest =
        operands.stream()
            .filter(it -> !it.name().startsWith(DRIVER))
            .map(it -> "%s: %d pods".formatted(it.name(), it.desired()))
            .toList();
    lines.add(
        Line.good(
                "step 1 restarts no pod of the %d DaemonSets; in step 2 each node changes once its agent does their work"
                    .formatted(operands.size()))
            .with(Stream.concat(drivers.stream(), rest.stream()).toList()));
    List<String> behind =
        operands.stream()
            .filter(it -> it.ready() < it.desired())
            .map(it ->
                "%s is ready on %d of %d nodes".formatted(it.name(), it.ready(), it.desired()))
            .toList();
    if (!behind.isEmpty()) {
      lines.add(
          Line.warning(
                  "DaemonSets are not ready on all nodes",
                  "repair them first: kubectl get pods -n %s -o wide"
                      .formatted(operands.getFirst().namespace()))
              .with(behind));
    }
    operands.stream()
        .flatMap(it -> it.images().stream())
        .filter(it -> it.contains(EXPORTER + ":") && isBefore46(it))
        .findFirst()
        .ifPresent(it ->
            lines.add(
                Line.warning(
                        "%s has the label Hostname in its metrics, and the agent has hostname"
                            .formatted(it),
                        "change queries and alerts, or keep the name by PITCREW_CAPITAL_HOSTNAME_LABEL=true in dcgmExporter.env: docs/faq.md")
                    .with(facts.hostnameQueries())));
  }

  /// The tag begins with the version of DCGM, and that of the exporter follows, as `4.4.1-4.6.0-…`.
  private static boolean isBefore46(String image) {
    String[] parts = image.substring(image.lastIndexOf(':') + 1).split("-", -1);
    return parts.length > 1 && HostChecks.isOlder(parts[1], 4, 6);
  }

  /// What takes GPUs beside the operator, which a take-over does not change.
  private static void software(Workloads workloads, List<Line> lines) {
    Set<Workload.Role> known =
        Set.of(
            Workload.Role.NVIDIA_OPERATOR, Workload.Role.PITCREW, Workload.Role.FEATURE_DISCOVERY);
    workloads.gpuSoftware().stream()
        .filter(it -> !known.contains(it.role()))
        .flatMap(it -> InstallChecks.workload(it).stream())
        .forEach(lines::add);
    if (!workloads.isWhole()) {
      lines.add(
          Line.unread(
              "some workloads",
              "your rights do not allow to list Deployments, DaemonSets, StatefulSets and CronJobs"));
    }
  }

  private static void nodes(Facts facts, List<Line> lines) {
    Optional<List<HostNode>> nodes = facts.cluster().nodes();
    if (nodes.isEmpty()) {
      lines.add(Line.unread("nodes", "your rights do not allow to list nodes"));
      return;
    }
    InstallChecks.nodes(nodes.get(), lines);
    String driver =
        facts.policies().flatMap(PolicyChecks::inForce).map(ReferencePolicy::driver).orElse("");
    RolloutChecks.of(nodes.get(), driver, lines);
  }

  private static Line holders(Optional<List<Pod>> holders) {
    return holders
        .map(all -> all.stream().filter(Pod::isHolding).toList())
        .map(all ->
            all.isEmpty()
                ? Line.good("no pod holds a GPU")
                : Line.good(
                    "%d pods hold GPUs of %d nodes, and keep them through both steps"
                        .formatted(
                            all.size(),
                            all.stream().map(Pod::node).collect(Collectors.toSet()).size())))
        .orElseGet(() -> Line.unread("pods with GPUs", "your rights do not allow to list pods"));
  }
}
