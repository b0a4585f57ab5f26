package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Removes the chart, and shows that cluster and node are as they were before it.
///
/// @param before how it was without the chart
record UninstallStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    GpuServer server,
    ReleaseName release,
    Before before)
    implements Step<Duration> {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// A fact about the node, and the layout that its GPUs have.
  private static final Set<String> STAYING =
      Set.of("nvidia.com/gpu.present", "nvidia.com/mig.config");

  /// How a cluster is without the chart.
  ///
  /// @param marks labels and taints of Nodes that another program has put there
  /// @param runtimeFiles as returned by [GpuServer#runtimeFiles]
  record Before(Set<String> marks, String runtimeFiles) {
    static Before of(ControlPlane controlPlane, GpuServer server) {
      var nodes = controlPlane.client().nodes().list().getItems();
      return new Before(
          nodes.stream().flatMap(UninstallStep::marks).collect(Collectors.toSet()),
          server.runtimeFiles());
    }
  }

  @Override
  public String title() {
    return "Helm uninstalls the chart, and nothing of it stays";
  }

  @Override
  public Duration play(Checks checks) {
    screen.line(
        "$ helm uninstall %s --namespace %s".formatted(release.name(), release.namespace()));
    var watch = Stopwatch.start();
    try (var _ = screen.waiting(() -> "helm uninstall; pods: " + cluster.pods().size())) {
      Chart.uninstall(controlPlane.kubeconfigFile(), release);
      cluster.await(LIMIT, () -> cluster.pods().isEmpty() && marks().isEmpty());
    } catch (IllegalStateException e) {
      throw new TestbedException("helm uninstall: " + e.getMessage(), e);
    }
    var took = watch.elapsed();
    show(took);
    check(checks);
    return took;
  }

  private void show(Duration took) {
    screen.facts(
        List.of(
            new Fact("gone after", Words.of(took)),
            new Fact("pods", words(cluster.pods().stream().map(it -> it.getMetadata().getName()))),
            new Fact("on the Nodes", words(marks().stream())),
            new Fact("GPUs", "allocatable " + facts().allocatable()),
            new Fact(
                "containerd",
                server.runtimeFiles().equals(before.runtimeFiles())
                    ? "each file has its former bytes"
                    : server.runtimeFiles())));
  }

  private void check(Checks checks) {
    checks.equal(
        "ClusterPolicies and GPUNodes",
        0,
        Stream.of(Policy.KIND, GpuNodeView.KIND)
            .mapToInt(kind ->
                controlPlane.client().genericKubernetesResources(kind).list().getItems().size())
            .sum(),
        "kubectl get clusterpolicies,gpunodes");
    checks.equal(
        "labels and taints of ours on the Nodes",
        "-",
        words(marks().stream()),
        "kubectl -n gpu-operator logs job/gpu-operator-cleanup");
    checks.equal(
        "GPUs that the node offers",
        true,
        List.of("0", "-").contains(facts().allocatable()),
        "Some device plugin still serves the kubelet.");
    checks.equal(
        "files of the container runtime",
        before.runtimeFiles(),
        server.runtimeFiles(),
        "The agent's log says why it did not remove them; 'pitcrew runtime undo' does.");
  }

  private NodeFacts facts() {
    return new NodeFacts(cluster, server.name());
  }

  /// What is on Nodes since the chart came.
  private List<String> marks() {
    return cluster.nodes().stream()
        .flatMap(UninstallStep::marks)
        .filter(mark -> !before.marks().contains(mark))
        .sorted()
        .toList();
  }

  private static Stream<String> marks(Node node) {
    var labels =
        node.getMetadata().getLabels().entrySet().stream()
            .filter(label -> !STAYING.contains(label.getKey()))
            .filter(label -> !isOptOut(label))
            .map(Map.Entry::getKey);
    var taints = node.getSpec().getTaints().stream().map(Taint::getKey);
    return Stream.concat(labels, taints)
        .filter(key -> key.startsWith("nvidia.com/") || key.startsWith("pitcrew.dev/"))
        .map(key -> node.getMetadata().getName() + " " + key);
  }

  /// An administrator's own word on one operand.
  private static boolean isOptOut(Map.Entry<String, String> label) {
    return label.getKey().startsWith("nvidia.com/gpu.deploy.") && label.getValue().equals("false");
  }

  private static String words(Stream<String> names) {
    var all = String.join(", ", names.toList());
    return all.isEmpty() ? "-" : all;
  }
}
