package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.function.Supplier;

/// What a new driver does to the real node, where everything that has to make way for it is real: a
/// pod that has a GPU, the agent, which has NVML open, and the driver's pod.
final class ServerUpgrade implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final String SWITCH = "gpu.deploy.device-plugin";

  private final Screen screen;
  private final LiveCluster cluster;
  private final GpuServer server;
  private final String version;
  private final TrainingPod pod;
  private final NodeFacts facts;
  private final ServerView before;

  /// Returns when a pod on the node has a GPU.
  ///
  /// @param version of the driver to come
  ServerUpgrade(
      Screen screen,
      KubernetesClient client,
      LiveCluster cluster,
      GpuServer server,
      String version) {
    this.screen = screen;
    this.cluster = cluster;
    this.server = server;
    this.version = version;
    facts = new NodeFacts(cluster, server.name());
    try (var _ = screen.waiting(() -> "waiting for a pod with a GPU on " + server.name())) {
      pod = TrainingPod.run(client, cluster, server.name());
    }
    before = pod.view(server.name());
    screen.text(
        "On %s everything is real but the driver: its pod loads one into a simulated kernel, and %s has a GPU."
            .formatted(server.name(), before.workload()));
  }

  /// What is to be seen, one after the other.
  Sightings sightings(Stopwatch watch) {
    var evicted = new Remembered(() -> pod.disruption(before.workload()).orElse(""));
    var paused = new Remembered(() -> facts.label(SWITCH).contains(PAUSED) ? paused() : "");
    var alone = new Remembered(this::leftAlone);
    return new Sightings(watch)
        .of("cordoned", this::isCordoned, () -> isCordoned() ? "still" : "and uncordoned again")
        .of("%s evicted".formatted(before.workload()), evicted::isSeen, evicted::words)
        .of("operands paused", paused::isSeen, paused::words)
        .of("agent let go", alone::isSeen, alone::words)
        .of("driver pod", this::hasDriverPod, this::driverPod)
        .of(
            "GPUNode",
            () -> facts.gpuNode().driver().equals(version) && isReady(),
            () -> facts.gpuNode().words())
        .of(
            "a pod has a GPU again",
            () -> pod.running().filter(it -> !it.equals(before.workload())).isPresent(),
            pod::words);
  }

  /// Shows what changed.
  void show(Sightings sightings, Checks checks) {
    screen.table(sightings.table(server.name()));
    try (var _ = screen.waiting(() -> "waiting for the metrics")) {
      cluster.await(LIMIT, () -> pod.view(server.name()).hasDriver(version));
    }
    var after = pod.view(server.name());
    screen.table(ServerView.table(server.name(), before, after));
    sightings.check(checks, "kubectl -n gpu-operator logs of the driver pod, and of the agent");
    checks.equal(
        "versions that GPUNode, label and metrics report",
        true,
        after.hasDriver(version),
        "They report %s, %s and %s.".formatted(after.gpuNode(), after.label(), after.metrics()));
    checks.equal(
        "the agent's pod", before.agent(), after.agent(), "No agent has to end for a driver.");
  }

  private String paused() {
    return "nvidia.com/%s=%s".formatted(SWITCH, facts.label(SWITCH));
  }

  /// What the GPUNode says while the agent has NVML closed.
  private String leftAlone() {
    return isReady() ? "" : facts.gpuNode().message();
  }

  private boolean isReady() {
    return facts.gpuNode().ready().equals("True");
  }

  private boolean isCordoned() {
    return cluster
        .node(server.name())
        .map(Node::getSpec)
        .filter(spec -> Boolean.TRUE.equals(spec.getUnschedulable()))
        .isPresent();
  }

  private String driverPod() {
    return DriverPod.on(server.name(), cluster)
        .map(it -> "%s, %s".formatted(it.name(), it.tag()))
        .orElse("-");
  }

  private boolean hasDriverPod() {
    return DriverPod.on(server.name(), cluster)
        .filter(it -> it.isReady() && it.runs(version))
        .isPresent();
  }

  @Override
  public void close() {
    pod.close();
  }

  /// What was said for a moment only; nothing is an empty text.
  private static final class Remembered {
    private final Supplier<String> now;
    private String said = "";

    private Remembered(Supplier<String> now) {
      this.now = now;
    }

    private boolean isSeen() {
      said = said.isEmpty() ? now.get() : said;
      return !said.isEmpty();
    }

    private String words() {
      return said.isEmpty() ? "-" : said;
    }
  }
}
