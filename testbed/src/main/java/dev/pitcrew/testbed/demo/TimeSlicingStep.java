package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.time.Duration;

/// An administrator has the GPUs of all nodes shared, by editing one ConfigMap.
record TimeSlicingStep(
    Screen screen, ControlPlane controlPlane, LiveCluster cluster, NodeFacts facts)
    implements Step<NodeFacts> {
  /// As in the values of the demo.
  private static final String CONFIG_MAP = "device-plugin-config";

  private static final String KEY = "any";
  private static final int REPLICAS = 4;
  private static final String SHARED =
      """
      version: v1
      sharing:
        timeSlicing:
          resources:
          - {name: nvidia.com/gpu, replicas: %d}
      """
          .formatted(REPLICAS);
  private static final String LABELS = "labels";
  private static final Duration TARGET = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @Override
  public String title() {
    return "Time-slicing is switched on: %d pods a GPU".formatted(REPLICAS);
  }

  @Override
  public NodeFacts play(Checks checks) {
    var shared = Integer.toString(REPLICAS * Integer.parseInt(facts.allocatable()));
    screen.line("$ kubectl -n gpu-operator edit configmap " + CONFIG_MAP);
    SHARED.lines().forEach(line -> screen.line("  " + line));
    edit();
    var sightings =
        new Sightings(Stopwatch.start())
            .of(LABELS, this::hasLabels, this::labels)
            .of(
                "GPUNode",
                () -> facts.gpuNode().replicas() == REPLICAS,
                () -> facts.gpuNode().sharingWords())
            .of("allocatable", () -> facts.allocatable().equals(shared), facts::allocatable);
    try (var _ = screen.waiting(() -> "waiting for the node to show it")) {
      sightings.await(cluster, LIMIT);
    }
    screen.table(sightings.table("AFTER THE EDIT"));
    sightings.check(checks, "The GPUNode's conditions and Events say what is wrong.");
    sightings.after(LABELS).ifPresent(this::compare);
    return facts;
  }

  private void edit() {
    controlPlane
        .client()
        .configMaps()
        .inNamespace("gpu-operator")
        .withName(CONFIG_MAP)
        .edit(map -> new ConfigMapBuilder(map).addToData(KEY, SHARED).build());
  }

  private boolean hasLabels() {
    return facts.label("gpu.replicas").equals(Integer.toString(REPLICAS))
        && facts.label("gpu.sharing-strategy").equals("time-slicing");
  }

  private String labels() {
    return "gpu.replicas=%s gpu.sharing-strategy=%s gpu.product=%s"
        .formatted(
            facts.label("gpu.replicas"),
            facts.label("gpu.sharing-strategy"),
            facts.label("gpu.product"));
  }

  /// A busy machine is slow, and that is no fault of what is shown.
  private void compare(Duration after) {
    screen.text(
        after.compareTo(TARGET) <= 0
            ? "The labels show it within %s, as they should.".formatted(Words.of(TARGET))
            : "The labels should show it within %s; on this machine, now, it took %s."
                .formatted(Words.of(TARGET), Words.of(after)));
  }
}
