package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Definition;
import dev.pitcrew.cli.cluster.HostNode;
import dev.pitcrew.cli.cluster.Workload;
import dev.pitcrew.cli.plan.Checks.Line;
import dev.pitcrew.core.names.NodeLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Whether a cluster is fit for Pitcrew: docs/install.md.
public final class InstallChecks {
  /// Of Kubernetes 1; the chart refuses an older one.
  static final int OLDEST_MINOR = 30;

  /// The first one that serves claims by default.
  private static final int CLAIMS_MINOR = 34;

  private static final String PRIVILEGED = "privileged";

  /// What a GPU is known by before Pitcrew is there, as node feature discovery labels it.
  static final List<String> GPU_LABELS =
      List.of(
          NodeLabels.GPU_PRESENT,
          NodeLabels.FEATURE_PREFIX + "pci-10de.present",
          NodeLabels.FEATURE_PREFIX + "pci-0300_10de.present",
          NodeLabels.FEATURE_PREFIX + "pci-0302_10de.present");

  /// What was read; empty where the user's rights do not allow it.
  ///
  /// @param namespace to install into
  /// @param enforced value of its label for Pod Security; empty where it has none
  /// @param isNamespace whether it is there
  /// @param admission whether the API server serves ValidatingAdmissionPolicy (v1)
  /// @param denied what the user may not do that an installation does, such as `create secrets`
  public record Facts(
      String version,
      String namespace,
      boolean isNamespace,
      Optional<String> enforced,
      List<Definition> definitions,
      Optional<List<Workload>> workloads,
      boolean admission,
      List<String> denied,
      Optional<List<HostNode>> nodes) {}

  private InstallChecks() {}

  public static Checks of(Facts facts) {
    var lines = new ArrayList<Line>();
    lines.add(version(facts.version()));
    lines.add(admission(facts.admission()));
    lines.add(rights(facts.denied()));
    lines.add(namespace(facts));
    facts.definitions().stream()
        .filter(Definition::isThere)
        .forEach(it -> lines.add(definition(it)));
    if (facts.definitions().stream().noneMatch(Definition::isThere)) {
      lines.add(Line.good("no definition of Pitcrew or the NVIDIA GPU Operator is there yet"));
    }
    facts
        .workloads()
        .ifPresentOrElse(
            it -> workloads(it, lines),
            () ->
                lines.add(
                    Line.unread(
                        "other GPU software",
                        "your rights do not allow to list DaemonSets and Deployments")));
    facts
        .nodes()
        .ifPresentOrElse(
            it -> nodes(it, lines),
            () -> lines.add(Line.unread("nodes", "your rights do not allow to list nodes")));
    return Checks.of("Pitcrew in namespace %s of this cluster".formatted(facts.namespace()), lines);
  }

  static Line version(String version) {
    if (HostChecks.isOlder(version, 1, OLDEST_MINOR)) {
      return Line.blocker(
          "Kubernetes %s is too old".formatted(version),
          "1.%d or newer is needed: upgrade the cluster first".formatted(OLDEST_MINOR));
    }
    Line line = Line.good("Kubernetes " + version);
    return HostChecks.isOlder(version, 1, CLAIMS_MINOR)
        ? line.with(
            List.of("GPUs by ResourceClaims need 1.%d: docs/claims.md".formatted(CLAIMS_MINOR)))
        : line;
  }

  static Line admission(boolean isServed) {
    return isServed
        ? Line.good("ValidatingAdmissionPolicy (v1) is served")
        : Line.warning(
            "ValidatingAdmissionPolicy (v1) is not served: tokens of pods are not held to their node",
            "turn the API on in the API server, or accept it: docs/agent-rights.md");
  }

  static Line rights(List<String> denied) {
    return denied.isEmpty()
        ? Line.good("you may create what the chart has")
        : Line.blocker(
                "you may not create all that the chart has",
                "have an administrator install it, or be bound to the role cluster-admin: the chart has cluster roles, which only one who holds their rights may create")
            .with(denied.stream().map(it -> "not allowed: " + it).toList());
  }

  static Line namespace(Facts facts) {
    String name = facts.namespace();
    if (!facts.isNamespace()) {
      return Line.good("namespace %s is made by helm install --create-namespace".formatted(name));
    }
    String enforced = facts.enforced().orElse("");
    return enforced.isEmpty() || enforced.equals(PRIVILEGED)
        ? Line.good(
            enforced.isEmpty()
                ? "namespace %s has no Pod Security label".formatted(name)
                : "namespace %s allows privileged pods".formatted(name))
        : Line.blocker(
            "namespace %s enforces Pod Security %s, and the driver and the agent are privileged"
                .formatted(name, enforced),
            "kubectl label namespace %s pod-security.kubernetes.io/enforce=privileged --overwrite, or psa.enabled=true in the values"
                .formatted(name));
  }

  private static Line definition(Definition it) {
    String words =
        "definition %s (%s) is there%s"
            .formatted(
                it.name(),
                String.join(", ", it.versions()),
                it.owner().isEmpty() ? "" : ", of " + it.owner());
    if (it.isOfAnotherChart()) {
      return Line.warning(words, "it is another chart's, and is left as it is");
    }
    return it.isOfNvidia()
        ? Line.good(words + ": it is brought up to date, and its objects stay")
        : Line.good(words);
  }

  private static void workloads(List<Workload> workloads, List<Line> lines) {
    List<Line> found = workloads.stream().flatMap(it -> workload(it).stream()).toList();
    if (found.isEmpty()) {
      lines.add(Line.good("no other GPU operator, device plugin or DRA driver runs"));
    }
    lines.addAll(found);
  }

  static Optional<Line> workload(Workload it) {
    String words = "%s runs: %s".formatted(it.role().title(), it.id());
    return switch (it.role()) {
      case NVIDIA_OPERATOR ->
          Optional.of(
              Line.warning(
                  words + (it.version().isEmpty() ? "" : " " + it.version()),
                  "take it over by helm upgrade of the same release: docs/install.md, Take over a cluster"));
      case PITCREW -> Optional.of(Line.good(words + ": it is upgraded by helm upgrade"));
      case DEVICE_PLUGIN ->
          Optional.of(
              Line.blocker(
                  words + ", and two of them cannot offer nvidia.com/gpu",
                  "remove it: kubectl delete %s; on nodes where a cloud brings it back, keep ours off: kubectl label node NODE nvidia.com/gpu.deploy.device-plugin=false"
                      .formatted(it.command())));
      case DRA_DRIVER ->
          Optional.of(
              Line.warning(
                  words,
                  "the agent's function dra takes its place only once it is gone: docs/claims.md"));
      case FEATURE_DISCOVERY ->
          Optional.of(Line.good(words + ": the agent leaves the labels that it writes to it"));
      case EXPORTER ->
          Optional.of(
              Line.warning(
                  words,
                  "GPU metrics come twice: remove it, or leave out the agent's function metrics"));
      case OTHER -> Optional.empty();
    };
  }

  /// Nodes of the same kind are one line.
  static void nodes(Collection<HostNode> nodes, List<Line> lines) {
    List<HostNode> withGpus =
        nodes.stream()
            .filter(
                it -> GPU_LABELS.stream().anyMatch(label -> "true".equals(it.labels().get(label))))
            .toList();
    if (withGpus.isEmpty()) {
      lines.add(
          Line.warning(
              "no node is labelled as having a GPU yet (%d nodes)".formatted(nodes.size()),
              "nothing has to be done: Pitcrew's detector finds them. To see one: lspci -d 10de: on the node"));
      return;
    }
    Map<HostNode.Host, List<String>> byHost =
        withGpus.stream()
            .collect(
                Collectors.groupingBy(
                    HostNode::host,
                    LinkedHashMap::new,
                    Collectors.mapping(HostNode::name, Collectors.toList())));
    byHost.forEach((host, names) -> {
      Line line = HostChecks.of(host);
      lines.add(
          new Line(
              line.mark(),
              "%d with GPUs (%s): %s".formatted(names.size(), Words.some(names), line.text()),
              line.details(),
              line.remedy()));
    });
    Map<String, Long> taints = new TreeMap<>();
    withGpus.forEach(node -> node.taints().forEach(it -> taints.merge(it, 1L, Long::sum)));
    taints.remove("nvidia.com/gpu:NoSchedule");
    taints.forEach((taint, count) ->
        lines.add(
            Line.warning(
                "%d of them have the taint %s".formatted(count, taint),
                "the agent needs a toleration: daemonsets.tolerations, or fleetPolicy.agent.tolerations")));
  }
}
