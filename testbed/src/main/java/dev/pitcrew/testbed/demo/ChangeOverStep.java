package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.image.BuiltImage;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// One `helm upgrade`, after which operands and agent change places node by node, and who provides
/// the GPUs of each node meanwhile.
///
/// @param toAgent onto the agent, or back to the operands
/// @param workload a pod that has a GPU of the real node
record ChangeOverStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    DemoOptions options,
    ReleaseName release,
    DemoValues values,
    List<String> nodes,
    TrainingPod workload,
    boolean toAgent)
    implements Step<ProviderLog> {
  private static final Duration LIMIT = Duration.ofMinutes(6);
  private static final String DRIVER = "nvidia-driver-daemonset";

  @Override
  public String title() {
    return toAgent
        ? "helm upgrade to Pitcrew: the agent takes over, node by node"
        : "helm upgrade with the agent off: the operands come back, node by node";
  }

  @Override
  public ProviderLog play(Checks checks) {
    var drivers = drivers();
    var revisions = revisions();
    var training = workload.words();
    var log = new ProviderLog(cluster, nodes);
    log.look();
    screen.line(
        "$ helm upgrade %s charts/pitcrew --namespace %s --values values.yaml --set pitcrew.image.repository=%s%s"
            .formatted(
                release.name(),
                release.namespace(),
                BuiltImage.REPOSITORY,
                toAgent ? "" : " --set fleetPolicy.agent.enabled=false"));
    try (var _ = screen.waiting(() -> cluster.policy().message())) {
      Chart.withBuiltImage(options.chart())
          .upgrade(controlPlane.kubeconfigFile(), release, Values.of(values.all()));
      cluster.await(
          LIMIT,
          () -> {
            log.look();
            return log.isServedBy(toAgent) && isDone();
          });
    }
    screen.table(log.table());
    screen.blank();
    show(log, drivers, revisions, training);
    check(log, drivers, training, checks);
    return log;
  }

  private boolean isDone() {
    return cluster.policy().isReady()
        && cluster.daemonSets().stream()
                .anyMatch(it -> it.getMetadata().getName().equals("pitcrew-agent"))
            == toAgent;
  }

  private void show(
      ProviderLog log, Map<String, String> drivers, Map<String, Long> revisions, String training) {
    screen.facts(
        List.of(
            new Fact("ClusterPolicy", cluster.policy().state()),
            new Fact("nodes without GPUs", words(log.withoutGpus())),
            new Fact("", gap()),
            new Fact(
                "driver pods",
                drivers().equals(drivers) ? "the same %d".formatted(drivers.size()) : "others"),
            new Fact("revisions before", revisions.toString()),
            new Fact("revisions after", revisions().toString()),
            new Fact("pod with a GPU", training + ", now " + workload.words())));
  }

  private void check(ProviderLog log, Map<String, String> drivers, String training, Checks checks) {
    checks.equal(
        "the ClusterPolicy", "ready", cluster.policy().state(), cluster.policy().message());
    checks.equal(
        "all nodes are served by " + (toAgent ? "the agent" : "the operands"),
        true,
        log.isServedBy(toAgent),
        "kubectl get gpunodes; kubectl get nodes -L nvidia.com/gpu.deploy.device-plugin");
    checks.equal("driver pods", drivers, drivers(), "No driver restarts in a take-over.");
    checks.equal("the pod with a GPU", training, workload.words(), "It keeps running.");
    if (toAgent) {
      checks.equal(
          "nodes without a provider that is ready meanwhile",
          List.of(),
          log.withoutProvider(),
          "See the table above.");
    }
  }

  /// How long that is depends on the machine, so that it is no check.
  private String gap() {
    return toAgent
        ? "a kubelet drops both plugins of a resource when one ends; the agent registers again at once"
        : "the operand's pod starts when the agent has handed over";
  }

  private static String words(Map<String, Long> gaps) {
    return gaps.isEmpty()
        ? "none at any moment"
        : gaps.entrySet().stream()
            .map(gap ->
                "%s for %s".formatted(gap.getKey(), Words.of(Duration.ofMillis(gap.getValue()))))
            .collect(Collectors.joining(", "));
  }

  private Map<String, String> drivers() {
    var pods = new TreeMap<String, String>();
    for (Pod pod : cluster.pods()) {
      if (pod.getMetadata().getName().startsWith(DRIVER)) {
        pods.put(pod.getSpec().getNodeName(), pod.getMetadata().getUid());
      }
    }
    return pods;
  }

  /// How many each DaemonSet has.
  private Map<String, Long> revisions() {
    return controlPlane
        .client()
        .apps()
        .controllerRevisions()
        .inNamespace(release.namespace())
        .list()
        .getItems()
        .stream()
        .collect(Collectors.groupingBy(ChangeOverStep::owner, TreeMap::new, Collectors.counting()));
  }

  private static String owner(ControllerRevision revision) {
    return revision.getMetadata().getOwnerReferences().stream()
        .map(it -> it.getName())
        .findFirst()
        .orElse("-");
  }
}
