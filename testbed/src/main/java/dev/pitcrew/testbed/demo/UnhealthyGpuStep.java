package dev.pitcrew.testbed.demo;

import java.time.Duration;

/// A GPU becomes unhealthy and recovers.
record UnhealthyGpuStep(Screen screen, LiveCluster cluster, GpuServer server, NodeFacts facts)
    implements Step<NodeFacts> {
  private static final int GPU = 5;

  /// The GPU has fallen off the bus (NVIDIA's Xid catalogue).
  private static final int XID = 79;

  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Override
  public String title() {
    return "GPU %d becomes unhealthy and recovers".formatted(GPU);
  }

  @Override
  public NodeFacts play(Checks checks) {
    var before = Integer.parseInt(facts.allocatable());
    markUnhealthy(before, checks);
    recover(before, checks);
    return facts;
  }

  private void markUnhealthy(int before, Checks checks) {
    screen.line("The driver reports Xid %d of GPU %d.".formatted(XID, GPU));
    var watch = Stopwatch.start();
    server.gpus().xid(GPU, XID);
    var sightings =
        new Sightings(watch)
            .of("GPUNode", () -> facts.gpuNode().unhealthy().containsKey(GPU), this::health)
            .of(
                "allocatable",
                () -> facts.allocatable().equals(Integer.toString(before - 1)),
                facts::allocatable);
    await(sightings, "waiting for the kubelet and the GPUNode");
    screen.table(sightings.table("AFTER THE XID"));
    sightings.check(checks, "The agent's log has every Xid that it receives.");
    checks.equal(
        "the unhealthy GPUs",
        "[" + GPU + "]",
        facts.gpuNode().unhealthy().keySet().toString(),
        "No other GPU was touched.");
  }

  private void recover(int before, Checks checks) {
    screen.blank();
    screen.line("The driver is reloaded, which resets the GPUs.");
    server.gpus().unloadDriver();
    var watch = Stopwatch.start();
    server.gpus().loadDriver();
    var sightings =
        new Sightings(watch)
            .of("GPUNode", () -> facts.gpuNode().unhealthy().isEmpty(), this::health)
            .of(
                "allocatable",
                () -> facts.allocatable().equals(Integer.toString(before)),
                facts::allocatable);
    await(sightings, "waiting for the GPU to come back");
    screen.table(sightings.table("AFTER THE LOAD"));
    sightings.check(checks, "The agent's log says what it waits for.");
  }

  private void await(Sightings sightings, String words) {
    try (var _ = screen.waiting(() -> words)) {
      sightings.await(cluster, LIMIT);
    }
  }

  private String health() {
    var unhealthy = facts.gpuNode().unhealthy();
    return unhealthy.isEmpty() ? "all healthy, " + facts.gpuNode().words() : "GPU " + unhealthy;
  }
}
