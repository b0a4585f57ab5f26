package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedMigDevice;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// An administrator moves the node from `nvidia.com/gpu` to ResourceClaims and back. A pod has a
/// GPU by `nvidia.com/gpu` all the while.
record ClaimsStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    GpuServer server,
    NodeFacts facts)
    implements Step<NodeFacts> {
  private static final String NAMESPACE = "default";
  private static final String LABEL = "gpu-claims";

  /// An uncontained memory error, which a reset clears (NVIDIA's Xid catalogue).
  private static final int XID = 95;

  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String MPS =
      """
          config:
          - opaque:
              driver: gpu.nvidia.com
              parameters:
                apiVersion: resource.nvidia.com/v1beta1
                kind: GpuConfig
                sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 50}}
      """;
  private static final String LOG = "The agent's log says what it waits for.";

  @Override
  public String title() {
    return "The node moves to ResourceClaims and back, while a pod has a GPU";
  }

  @Override
  public NodeFacts play(Checks checks) {
    var spec = ProbePodSpec.on(server.node()).withLimit("nvidia.com/gpu", 1);
    try (var pod = GpuPod.run(client(), spec)) {
      screen.line("%s has %s by nvidia.com/gpu.".formatted(pod.pod().name(), words(pod)));
      moveToClaims(checks);
      claimByProperties(pod, checks);
      claimOfMig(checks);
      claimSharedByMps(checks);
      unhealthyDevice(checks);
      moveBack(checks);
      checks.equal(
          "restarts of the first pod",
          "0, running true",
          "%d, running %s".formatted(pod.pod().container().getRestartCount(), pod.isRunning()),
          "A move must not touch a GPU that a pod has.");
    }
    return facts;
  }

  private void moveToClaims(Checks checks) {
    label("true");
    var free = RealNodeStep.GPUS - 1;
    var sightings =
        new Sightings(Stopwatch.start())
            .of("nvidia.com/gpu", () -> facts.allocatable().equals("1"), facts::allocatable)
            .of(
                "ResourceSlices",
                () -> wholeGpus().count() == free,
                () ->
                    "%d whole GPUs, %d MIG devices that claims can have made"
                        .formatted(wholeGpus().count(), devices().count() - wholeGpus().count()));
    await(sightings, "waiting for the GPUs that no pod has");
    screen.table(sightings.table("AFTER THE LABEL"));
    sightings.check(checks, LOG);
  }

  private void claimByProperties(GpuPod old, Checks checks) {
    var expression = "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA H100 80GB HBM3'";
    claim("one-h100", "gpu.nvidia.com", expression, "");
    try (var pod = run("one-h100")) {
      screen.line("%s has %s".formatted(pod.pod().name(), words(pod)));
      checks.equal(
          "GPUs of the claim that the first pod does not have",
          1L,
          pod.gpus().stream().filter(gpu -> !old.gpus().contains(gpu)).count(),
          LOG);
    }
    delete("one-h100");
  }

  private void claimOfMig(Checks checks) {
    var expression = "device.attributes['gpu.nvidia.com'].profile == '1g.10gb'";
    claim("small-gpu", "mig.nvidia.com", expression, "");
    try (var pod = run("small-gpu")) {
      screen.line(
          "%s has a MIG device of %s, made for its claim: %s"
              .formatted(
                  pod.pod().name(),
                  words(pod),
                  server.gpus().migDevices().stream().map(SimulatedMigDevice::uuid).toList()));
      checks.equal("MIG devices on the node", 1, server.gpus().migDevices().size(), LOG);
    }
    delete("small-gpu");
    try (var _ = screen.waiting(() -> "waiting until the MIG device is gone")) {
      cluster.await(LIMIT, () -> server.gpus().migDevices().isEmpty());
    }
    checks.equal("MIG devices after the claim", 0, server.gpus().migDevices().size(), LOG);
  }

  private void claimSharedByMps(Checks checks) {
    claim("shared", "gpu.nvidia.com", "", MPS);
    try (var first = run("shared");
        var second = run("shared")) {
      screen.line(
          "%s and %s share %s by an MPS daemon of their claim"
              .formatted(first.pod().name(), second.pod().name(), words(first)));
      checks.equal("the GPU of the second pod", words(first), words(second), LOG);
      checks.equal(
          "pods that find the daemon",
          2L,
          Stream.of(first, second)
              .filter(pod -> pod.pod().variable("CUDA_MPS_PIPE_DIRECTORY").isPresent())
              .count(),
          "The CDI file of the claim in /var/run/cdi has other variables.");
    }
    delete("shared");
  }

  private void unhealthyDevice(Checks checks) {
    List<String> offered = wholeGpus().toList(); // all but that of the pod, which may be any
    var gpu =
        server.gpus().gpus().stream()
            .filter(it -> offered.contains("gpu-" + it.minor()))
            .toList()
            .getLast();
    var device = "gpu-" + gpu.minor();
    screen.line("The driver reports Xid %d of GPU %d.".formatted(XID, gpu.index()));
    server.gpus().xid(gpu.index(), XID);
    var tainted =
        new Sightings(Stopwatch.start())
            .of(
                "taint of " + device,
                () -> taints(device).equals("gpu.nvidia.com/xid=%d:NoSchedule".formatted(XID)),
                () -> taints(device));
    await(tainted, "waiting for the taint");
    screen.table(tainted.table("AFTER THE XID"));
    tainted.check(checks, LOG);
    screen.line("The driver is reloaded, which resets the GPUs.");
    server.gpus().unloadDriver();
    server.gpus().loadDriver();
    var healthy =
        new Sightings(Stopwatch.start())
            .of(
                "taint of " + device,
                () -> wholeGpus().anyMatch(device::equals) && taints(device).isEmpty(),
                () -> taints(device).isEmpty() ? "none" : taints(device));
    await(healthy, "waiting until the taint is gone");
    screen.table(healthy.table("AFTER THE LOAD"));
    healthy.check(checks, LOG);
  }

  private void moveBack(Checks checks) {
    label("false");
    var all = Integer.toString(RealNodeStep.GPUS);
    var sightings =
        new Sightings(Stopwatch.start())
            .of("ResourceSlices", () -> devices().findAny().isEmpty(), () -> "no device")
            .of("nvidia.com/gpu", () -> facts.allocatable().equals(all), facts::allocatable);
    await(sightings, "waiting for nvidia.com/gpu");
    screen.table(sightings.table("AFTER THE LABEL"));
    sightings.check(checks, LOG);
  }

  private void await(Sightings sightings, String words) {
    try (var _ = screen.waiting(() -> words)) {
      sightings.await(cluster, LIMIT);
    }
  }

  private void label(String value) {
    screen.line("$ kubectl label node %s %s=%s --overwrite".formatted(server.name(), LABEL, value));
    new OperandSwitches(client(), server.name()).label(LABEL, value);
  }

  /// @param expression of CEL; empty for any device of the class
  /// @param more of `devices`, as YAML
  private void claim(String name, String deviceClass, String expression, String more) {
    var selectors =
        expression.isEmpty()
            ? ""
            : "\n        selectors:\n        - cel: {expression: \"%s\"}".formatted(expression);
    var yaml =
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: %s, namespace: %s}
        spec:
          devices:
            requests:
            - name: gpu
              exactly:
                deviceClassName: %s%s
        """
                .formatted(name, NAMESPACE, deviceClass, selectors)
            + more;
    screen.line("$ kubectl apply -f - <<END");
    yaml.lines().forEach(line -> screen.line("  " + line));
    client().load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
  }

  private GpuPod run(String claim) {
    try (var _ = screen.waiting(() -> "waiting for the pod of the claim " + claim)) {
      return GpuPod.run(client(), ProbePodSpec.on(server.node()).withClaim(claim));
    }
  }

  private void delete(String claim) {
    var claims = client().resources(ResourceClaim.class).inNamespace(NAMESPACE).withName(claim);
    claims.delete();
    claims.waitUntilCondition(Objects::isNull, LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private Stream<Device> devices() {
    return client().resources(ResourceSlice.class).list().getItems().stream()
        .filter(slice -> server.name().equals(slice.getSpec().getNodeName()))
        .flatMap(slice -> slice.getSpec().getDevices().stream());
  }

  private Stream<String> wholeGpus() {
    return devices().map(Device::getName).filter(name -> !name.contains("-mig-"));
  }

  private String taints(String device) {
    List<String> taints =
        devices()
            .filter(it -> it.getName().equals(device))
            .flatMap(it -> it.getTaints().stream())
            .map(it -> "%s=%s:%s".formatted(it.getKey(), it.getValue(), it.getEffect()))
            .toList();
    return String.join(" ", taints);
  }

  private static String words(GpuPod pod) {
    return String.join(" ", pod.gpus());
  }

  private KubernetesClient client() {
    return controlPlane.client();
  }
}
