package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNodeMaker;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.image.StaticProgram;
import dev.pitcrew.testbed.node.ContainerdRelease;
import dev.pitcrew.testbed.node.GpuHardware;
import dev.pitcrew.testbed.node.GpuMachine;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.NumaNodes;
import dev.pitcrew.testbed.node.ProbePodSpec;
import dev.pitcrew.testbed.node.RealCluster;
import dev.pitcrew.testbed.node.RealNode;
import io.fabric8.kubernetes.api.model.Quantity;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A node with a real kubelet, a real containerd and eight simulated A100s on two NUMA nodes. It
/// starts once for all tests of a run; each says how the GPUs are to be offered.
final class GpuNode implements AgentHost, AutoCloseable {
  static final int GPUS = 8;
  static final String GPU = "nvidia.com/gpu";

  /// Where the MPS daemons of the node have their folders.
  static final String MPS_ROOT = "/run/nvidia/mps";

  private static final String OWN_ROOT = "/";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String WHOLE =
      IntStream.range(0, GPUS).mapToObj("mode %d 0 0\n"::formatted).collect(Collectors.joining());

  private record Offered(String layout, Wanted wanted) {}

  private final Path folder;
  private final String hostRoot;
  private final SimulatedNode gpus;
  private final RealCluster cluster;
  private final JvmOnNode jvm;
  private final GpuSource source;
  private final AtomicReference<PodDevices> devices;
  private final AtomicReference<Optional<Offered>> offered =
      new AtomicReference<>(Optional.empty());

  private GpuNode(Path folder, String hostRoot, ContainerdRelease containerd) throws IOException {
    this.folder = folder;
    this.hostRoot = hostRoot;
    Path hardware = Files.createDirectory(folder.resolve("hardware"));
    gpus =
        SimulatedNode.create(
            hardware,
            SimulatedNodeOptions.of("a100-80g").withGpus(GPUS).withDriver("580.95.05", "13.0"));
    jvm = JvmOnNode.in(Files.createDirectory(folder.resolve("program")));
    source = new PluginProcess(jvm);
    NodeSpec spec =
        source
            .on(withGpus(NodeSpec.named("gpu-node").withContainerd(containerd)))
            .withImage(StaticProgram.PROBE.imageIn(folder))
            .withKubeletSetting("topologyManagerPolicy: restricted");
    Path numa = Files.createDirectory(folder.resolve("numa"));
    cluster = RealCluster.start(NumaNodes.two(numa).in(spec));
    devices = new AtomicReference<>(new PodDevices(node()));
  }

  private NodeSpec withGpus(NodeSpec plain) throws IOException {
    if (hostRoot.equals(OWN_ROOT)) {
      return GpuMachine.in(plain, gpus);
    }
    NodeSpec spec = GpuHardware.in(plain, gpus);
    spec = seenByAgents(spec, "/run/nri");
    spec = seenByAgents(spec, "/var/lib/kubelet/pod-resources");
    spec = seenByAgents(spec, "/run/nvidia/validations");
    Path mps = Files.createDirectories(gpus.hostRoot().resolve("." + MPS_ROOT));
    return spec.withMount(mps, MPS_ROOT);
  }

  /// One folder under two names: the host root of agents on this node is not the node's own.
  private NodeSpec seenByAgents(NodeSpec spec, String target) throws IOException {
    Path shared = Files.createDirectory(folder.resolve(target.substring(1).replace('/', '-')));
    return spec.withMount(shared, target).withMount(shared, GpuHardware.HOST_ROOT + target);
  }

  static GpuNode boot() {
    return boot(GpuHardware.HOST_ROOT, ContainerdRelease.V2);
  }

  /// One whose agents have its own root for the host's, so that they set up its container runtime.
  static GpuNode bootMachine(ContainerdRelease containerd) {
    return boot(OWN_ROOT, containerd);
  }

  private static GpuNode boot(String hostRoot, ContainerdRelease containerd) {
    try {
      return new GpuNode(Files.createTempDirectory("pitcrew-gpu-node-"), hostRoot, containerd);
    } catch (IOException e) {
      throw new UncheckedIOException("start a node with GPUs", e);
    }
  }

  @Override
  public String hostRoot() {
    return hostRoot;
  }

  SimulatedNode gpus() {
    return gpus;
  }

  @Override
  public RealNode node() {
    return cluster.nodes().all().getFirst();
  }

  /// For tests that start another program than the one that offers the GPUs.
  @Override
  public JvmOnNode jvm() {
    return jvm;
  }

  @Override
  public ControlPlane controlPlane() {
    return cluster.controlPlane();
  }

  /// What the kubelet itself says of devices. A node that was rebooted has its socket elsewhere.
  PodDevices devices() {
    PodDevices known = devices.get();
    if (known.isOf(node())) {
      return known;
    }
    known.close();
    devices.set(new PodDevices(node()));
    return devices.get();
  }

  /// Ends the offer; what is tested brings its own. None of the GPUs is in MIG mode.
  @Override
  public void offerNothing() {
    forget();
    gpus.divide(WHOLE);
  }

  /// Offers GPUs none of which is in MIG mode.
  void offerWhole(Wanted wanted, String resource, int count) {
    offer(WHOLE, wanted, resource, count);
  }

  /// Offers the GPUs again, if that changes anything; returns when the node has `count` of a
  /// resource.
  ///
  /// @param layout of MIG devices, on GPUs that have none
  void offer(String layout, Wanted wanted, String resource, int count) {
    var next = new Offered(layout, wanted);
    if (!offered.getAndSet(Optional.of(next)).equals(Optional.of(next))) {
      source.kill();
      gpus.divide(WHOLE);
      gpus.divide(layout);
      makeDeviceNodes();
      source.start(cluster, wanted);
    }
    awaitAllocatable(resource, count);
  }

  /// A device plugin that runs alone makes none, as the reference's: what sets up its node does.
  private void makeDeviceNodes() {
    var host = new HostRoot(gpus.hostRoot());
    var maker = new DeviceNodeMaker(DriverRoot.find(host).orElseThrow(), host);
    Set<String> capabilities =
        gpus.migDevices().stream()
            .flatMap(device -> {
              String instance =
                  "gpu%d/gi%d/"
                      .formatted(gpus.gpus().get(device.gpu()).minor(), device.gpuInstance());
              return Stream.of(
                  instance + "access", instance + "ci" + device.computeInstance() + "/access");
            })
            .collect(Collectors.toSet());
    Set<Integer> minors =
        gpus.simulate("minors")
            .lines()
            .map(line -> line.split(" "))
            .filter(words -> capabilities.contains(words[0]))
            .map(words -> Integer.valueOf(words[1]))
            .collect(Collectors.toSet());
    Set<Integer> ofGpus = gpus.gpus().stream().map(SimulatedGpu::minor).collect(Collectors.toSet());
    assertThat(maker.makeNodes(ofGpus, minors)).isEmpty();
  }

  /// The next offer changes everything: the source has been tampered with.
  void forget() {
    source.kill();
    offered.set(Optional.empty());
  }

  /// Returns when Node and kubelet have `count` of a resource: the Node alone may still show what
  /// an earlier agent had offered, and the kubelet would reject a pod for whose GPU it has no list
  /// yet.
  void awaitAllocatable(String resource, int count) {
    await()
        .alias("allocatable " + resource)
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(StatusRuntimeException.class)
        .untilAsserted(() -> {
          assertThat(allocatable(resource)).as(source.lastOutput()).isEqualTo(count);
          assertThat(devices().healthy(resource)).as(source.lastOutput()).isEqualTo(count);
        });
  }

  /// What the node says it has for pods; negative where it does not know the resource.
  int allocatable(String resource) {
    var allocatable =
        client().nodes().withName(node().name()).require().getStatus().getAllocatable();
    return Integer.parseInt(
        Objects.requireNonNullElse(allocatable.get(resource), new Quantity("-1")).getAmount());
  }

  ProbePodSpec pod(int count) {
    return pod(GPU, count);
  }

  ProbePodSpec pod(String resource, int count) {
    return ProbePodSpec.on(node()).withLimit(resource, count);
  }

  GpuPod run(int count) {
    return run(pod(count));
  }

  GpuPod run(ProbePodSpec spec) {
    return GpuPod.run(client(), spec);
  }

  /// The device files of GPUs that are named by UUID or by index, in the order of the files.
  List<String> devicesOf(String commaSeparated) {
    return List.of(commaSeparated.split(",")).stream()
        .map(this::gpu)
        .sorted(Comparator.comparingInt(SimulatedGpu::minor))
        .map(gpu -> "/dev/nvidia" + gpu.minor())
        .toList();
  }

  private SimulatedGpu gpu(String name) {
    Optional<SimulatedGpu> found =
        gpus.gpus().stream()
            .filter(gpu -> gpu.uuid().equals(name) || String.valueOf(gpu.index()).equals(name))
            .findFirst();
    assertThat(found).as("the GPU " + name).isPresent();
    return found.orElseThrow();
  }

  @Override
  public void close() {
    devices.get().close();
    cluster.close();
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("remove " + folder, e);
    }
  }
}
