package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/// A user's pod asks for GPUs the old way: by RuntimeClass and variable, and for no resource.
record RuntimeClassPodStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    GpuServer server,
    NodeFacts facts)
    implements Step<List<String>> {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String CLASS = "nvidia";
  private static final String VARIABLE = "NVIDIA_VISIBLE_DEVICES";
  private static final String REQUIRED = "required-plugins.noderesource.dev";
  private static final String PLUGIN = "[\"pitcrew\"]";
  private static final Pattern SHOWN = Pattern.compile("(env (NVIDIA|CUDA)_|device /dev/nvidia).*");

  @Override
  public String title() {
    return "A pod with runtimeClassName: %s and %s=all gets its GPUs through NRI"
        .formatted(CLASS, VARIABLE);
  }

  @Override
  public List<String> play(Checks checks) {
    screen.line(
        "$ kubectl label node %s %s=true".formatted(server.name(), OperandSwitches.RUNTIME));
    new OperandSwitches(controlPlane.client(), server.name()).runtimeOn();
    awaitRuntime(checks);
    screen.text(
        "The runtime asks its plugins, and none until the agent is one; so the pod says that"
            + " it requires it: %s=%s".formatted(REQUIRED, PLUGIN));
    return ask(checks);
  }

  /// The agent writes a file for the runtime and restarts it.
  private void awaitRuntime(Checks checks) {
    var watch = Stopwatch.start();
    try (var _ = screen.waiting(() -> "waiting for the runtime: " + facts.gpuNode().runtime())) {
      cluster.await(LIMIT, this::isRuntimeReady);
    }
    screen.text(
        "RuntimeReady after %s: %s"
            .formatted(Words.of(watch.elapsed()), facts.gpuNode().runtime()));
    checks.equal(
        "the container runtime is set up",
        true,
        isRuntimeReady(),
        "kubectl get gpunode %s -o yaml says what is missing.".formatted(server.name()));
  }

  private boolean isRuntimeReady() {
    return facts.gpuNode().runtime().startsWith("True");
  }

  private List<String> ask(Checks checks) {
    var watch = Stopwatch.start();
    var spec =
        ProbePodSpec.on(server.node())
            .withRuntimeClass(CLASS)
            .withVariable(VARIABLE, "all")
            .withAnnotation(REQUIRED, PLUGIN);
    try (var _ = screen.waiting(() -> "waiting for the pod's container");
        var pod = GpuPod.run(controlPlane.client(), spec)) {
      screen.container(watch.elapsed(), pod.words(), SHOWN);
      check(pod, checks);
      return pod.gpus();
    }
  }

  private void check(GpuPod pod, Checks checks) {
    checks.equal(
        "resources that the pod asks for",
        0,
        pod.pod().current().getSpec().getContainers().getFirst().getResources().getLimits().size(),
        "This step is about pods that ask for none.");
    checks.equal(
        "GPUs that the container has",
        RealNodeStep.GPUS,
        pod.gpus().size(),
        "The agent's log says what it gave to the container, or that containerd serves no NRI.");
    checks.equal(
        "device files that CUDA needs and that are not there",
        List.of(),
        pod.missingForCuda(),
        "/var/run/cdi/runtime.nvidia.com-gpu.json of the node lacks them.");
    checks.equal(
        "the driver's environment is there",
        true,
        pod.words().stream().anyMatch(line -> line.startsWith("env NVIDIA_CTK_LIBCUDA_DIR=")),
        "/var/run/cdi/runtime.nvidia.com-gpu.json of the node lacks it.");
  }
}
