package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Shows what the agent on the real node has made of it.
record AgentStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    GpuServer server,
    OperatorRun operator)
    implements Step<NodeFacts> {
  private static final String AGENT = "pitcrew-agent";
  private static final String PCI_DEVICE = "feature.node.kubernetes.io/pci-10de.present";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Override
  public String title() {
    return "The agent on %s offers its GPUs".formatted(server.name());
  }

  @Override
  public NodeFacts play(Checks checks) {
    var facts = new NodeFacts(cluster, server.name());
    awaitDiscovery(facts, checks);
    var watch = switchOn();
    var gpus = Integer.toString(RealNodeStep.GPUS);
    var sightings =
        driverPod(new Sightings(watch))
            .of(
                "label gpu.count",
                () -> facts.label("gpu.count").equals(gpus),
                () -> facts.label("gpu.count"))
            .of("allocatable", () -> facts.allocatable().equals(gpus), facts::allocatable)
            .of(
                "GPUNode",
                () -> facts.allocatable().equals(gpus) && isReady(facts.gpuNode()),
                () -> facts.gpuNode().words());
    try (var _ = screen.waiting(() -> "waiting for the agent")) {
      sightings.await(cluster, LIMIT);
    }
    show(facts);
    screen.table(sightings.table("AFTER THE SWITCH"));
    sightings.check(checks, "kubectl -n gpu-operator logs -l app=" + AGENT + " says why.");
    checks.equal(
        "the GPUNode's driver",
        server.gpus().options().driver(),
        facts.gpuNode().driver(),
        "The agent's log names the library that it loads.");
    checks.equal(
        "the label gpu.product",
        "NVIDIA-H100-80GB-HBM3",
        facts.label("gpu.product"),
        "The agent's log says which labels it could not write.");
    return facts;
  }

  /// Brings the driver, where the node has none of its own.
  private Sightings driverPod(Sightings sightings) {
    return server.gpus().hasDriverFiles()
        ? sightings
        : sightings.of(
            "driver pod",
            () -> DriverPod.on(server.name(), cluster).filter(DriverPod::isReady).isPresent(),
            () -> DriverPod.on(server.name(), cluster).map(DriverPod::tag).orElse("-"));
  }

  /// The agent reports that there is an NVIDIA device, and the operator that it is a GPU node.
  private void awaitDiscovery(NodeFacts facts, Checks checks) {
    try (var _ = screen.waiting(() -> "waiting for the agent to find the GPUs")) {
      cluster.await(LIMIT, () -> facts.label("gpu.present").equals("true"));
    }
    screen.line(
        "Found %s after the operator's start: %s=%s, nvidia.com/gpu.present=%s"
            .formatted(
                Words.of(operator.watch().elapsed()),
                PCI_DEVICE,
                facts.labels().getOrDefault(PCI_DEVICE, "-"),
                facts.label("gpu.present")));
    checks.equal(
        "the label gpu.present", "true", facts.label("gpu.present"), "The agent's log says why.");
  }

  /// @return since when the node may have the operands that the agent provides
  private Stopwatch switchOn() {
    screen.text(
        "Operands that stay NVIDIA's images cannot be pulled here, so the node is left out of them,"
            + " as an administrator would do it; the agent provides the others.");
    screen.line(
        "$ kubectl label node %s %s- %s"
            .formatted(
                server.name(),
                OperandSwitches.ALL,
                OperandSwitches.leftOutWords(server.gpus().hasDriverFiles())));
    new OperandSwitches(controlPlane.client(), server.name())
        .onlyOurs(server.gpus().hasDriverFiles());
    return Stopwatch.start();
  }

  private static boolean isReady(GpuNodeView view) {
    return view.gpus() == RealNodeStep.GPUS && view.ready().equals("True");
  }

  private void show(NodeFacts facts) {
    var view = facts.gpuNode();
    screen.facts(
        List.of(
            new Fact("pod", pod().map(AgentStep::words).orElse("-")),
            new Fact("labels", NodeLabels.words(facts.labels())),
            new Fact("GPUNode", view.words()),
            new Fact("says", view.message()),
            new Fact("allocatable", "nvidia.com/gpu: " + facts.allocatable())));
  }

  private Optional<Pod> pod() {
    return cluster.pods().stream()
        .filter(pod -> server.name().equals(pod.getSpec().getNodeName()))
        .filter(pod -> pod.getMetadata().getName().startsWith(AGENT))
        .findFirst();
  }

  private static String words(Pod pod) {
    var container = pod.getSpec().getContainers().getFirst();
    return "%s, %s, %s %s"
        .formatted(
            pod.getMetadata().getName(),
            container.getImage(),
            String.join(" ", container.getCommand()),
            String.join(" ", container.getArgs()));
  }
}
