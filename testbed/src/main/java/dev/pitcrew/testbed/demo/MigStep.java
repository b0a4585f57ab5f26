package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// An administrator divides one GPU by MIG while a pod computes on another one.
record MigStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    GpuServer server,
    NodeFacts facts)
    implements Step<NodeFacts> {
  private static final String NAMESPACE = "gpu-operator";
  private static final String LAYOUTS = "mig-layouts";
  private static final String SLICE = "nvidia.com/mig-3g.40gb";
  private static final String FREE_MEMORY = "DCGM_FI_DEV_FB_FREE";
  private static final Pattern LABEL =
      Pattern.compile("(gpu|GPU_I_PROFILE|GPU_I_ID|pod)=\"[^\"]*\"");
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @Override
  public String title() {
    return "One GPU becomes two of 3g.40gb, while a pod has another";
  }

  @Override
  public NodeFacts play(Checks checks) {
    switchOn();
    var spec = ProbePodSpec.on(server.node()).withLimit("nvidia.com/gpu", 1);
    try (var pod = GpuPod.run(controlPlane.client(), spec)) {
      var divided = pod.gpus().equals(List.of("/dev/nvidia3")) ? 4 : 3;
      screen.line(
          "%s has %s; GPU %d is to be divided:"
              .formatted(pod.pod().name(), String.join(" ", pod.gpus()), divided));
      divide(divided);
      awaitSlices(checks);
      try (var slice =
          GpuPod.run(controlPlane.client(), ProbePodSpec.on(server.node()).withLimit(SLICE, 1))) {
        screen.line(
            "%s has a slice of %s".formatted(slice.pod().name(), String.join(" ", slice.gpus())));
        checks.equal(
            "the GPU whose slice the second pod has",
            "[/dev/nvidia" + divided + "]",
            slice.gpus().toString(),
            "The CDI specification in /var/run/cdi of the node has other device nodes.");
        showMetrics(pod, slice, checks);
      }
      checks.equal(
          "restarts of the first pod",
          "0, running true",
          "%d, running %s".formatted(pod.pod().container().getRestartCount(), pod.isRunning()),
          "The agent must not touch other GPUs.");
    }
    undivide(checks);
    return facts;
  }

  private void switchOn() {
    patch(
        "clusterpolicy",
        Policy.KIND,
        "cluster-policy",
        """
        {"spec":{"mig":{"strategy":"mixed"},"migManager":{"config":{"name":"%s"}},\
        "dcgmExporter":{"env":[{"name":"DCGM_EXPORTER_INTERVAL","value":"1000"}]}}}\
        """
            .formatted(LAYOUTS));
    var switches = new OperandSwitches(controlPlane.client(), server.name());
    switches.migOn();
    switches.metricsOn();
    try (var _ = screen.waiting(() -> "waiting for the agent: " + state())) {
      cluster.await(LIMIT, () -> facts.label("mig.strategy").equals("mixed"));
    }
  }

  private void patch(String words, ResourceDefinitionContext kind, String name, String patch) {
    screen.text("$ kubectl patch %s %s --type merge -p '%s'".formatted(words, name, patch));
    controlPlane
        .client()
        .genericKubernetesResources(kind)
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private void divide(int gpu) {
    var layouts =
        """
        version: v1
        mig-configs:
          all-disabled:
          - {devices: all, mig-enabled: false}
          halves:
          - {devices: [%d], mig-enabled: true, mig-devices: {3g.40gb: 2}}
        """
            .formatted(gpu);
    screen.line("$ kubectl -n %s create configmap %s ...".formatted(NAMESPACE, LAYOUTS));
    layouts.lines().forEach(line -> screen.line("  " + line));
    controlPlane
        .client()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(LAYOUTS)
                .endMetadata()
                .addToData("config.yaml", layouts)
                .build())
        .create();
    layout("halves");
  }

  private void layout(String name) {
    screen.line(
        "$ kubectl label node %s nvidia.com/mig.config=%s --overwrite"
            .formatted(server.name(), name));
    new OperandSwitches(controlPlane.client(), server.name()).layout(name);
  }

  private void awaitSlices(Checks checks) {
    var sightings =
        new Sightings(Stopwatch.start())
            .of(SLICE, () -> facts.allocatable(SLICE).equals("2"), () -> facts.allocatable(SLICE))
            .of(
                "nvidia.com/gpu",
                () -> facts.allocatable().equals(Integer.toString(RealNodeStep.GPUS - 1)),
                facts::allocatable)
            .of(
                "mig.config.state",
                () -> facts.allocatable(SLICE).equals("2") && state().equals("success"),
                this::state);
    try (var _ = screen.waiting(() -> "waiting for the slices: " + state())) {
      sightings.await(cluster, LIMIT);
    }
    screen.table(sightings.table("AFTER THE LABEL"));
    sightings.check(checks, "The condition MIGConfigured of the GPUNode says what is wrong.");
  }

  private void showMetrics(GpuPod pod, GpuPod slice, Checks checks) {
    var names = List.of(pod.pod().name(), slice.pod().name());
    var metrics = new AgentMetrics(cluster, server.name());
    try (var _ = screen.waiting(() -> "waiting for the metrics of both pods")) {
      cluster.await(LIMIT, () -> series(metrics, names).size() == names.size());
    }
    var shown = series(metrics, names);
    screen.blank();
    shown.forEach(line -> screen.line(shortened(line)));
    screen.blank();
    checks.equal(
        "pods of which there are metrics",
        names.size(),
        shown.size(),
        "curl the agent's port 9400; pitcrew_metrics_problem there says what is wrong.");
  }

  private static List<String> series(AgentMetrics metrics, List<String> pods) {
    return metrics.lines().stream()
        .filter(line -> line.startsWith(FREE_MEMORY + "{"))
        .filter(line -> pods.stream().anyMatch(pod -> line.contains("pod=\"" + pod + "\"")))
        .toList();
  }

  /// Without the labels that are the same of all GPUs.
  private static String shortened(String line) {
    var labels =
        LABEL
            .matcher(line)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.joining(",", "{", ",...}"));
    return FREE_MEMORY + labels + line.substring(line.lastIndexOf(' '));
  }

  private void undivide(Checks checks) {
    layout("all-disabled");
    var all = Integer.toString(RealNodeStep.GPUS);
    try (var _ = screen.waiting(() -> "waiting for the whole GPU: " + state())) {
      cluster.await(
          LIMIT,
          () ->
              facts.allocatable().equals(all)
                  && Stream.of("0", "-").anyMatch(facts.allocatable(SLICE)::equals));
    }
    checks.equal(
        "GPUs when it is whole again",
        all,
        facts.allocatable(),
        "The condition MIGConfigured of the GPUNode says what is wrong.");
  }

  private String state() {
    return facts.label("mig.config.state");
  }
}
