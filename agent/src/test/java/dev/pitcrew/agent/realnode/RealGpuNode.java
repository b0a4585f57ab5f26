package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.image.Image;
import dev.pitcrew.testbed.image.Layer;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.ProbePodSpec;
import dev.pitcrew.testbed.node.RealCluster;
import dev.pitcrew.testbed.node.RealNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A node with a real kubelet, a real containerd and the GPUs of this machine, whose driver is
/// loaded already. Of the driver's device files it has `nvidiactl` and one for each GPU.
final class RealGpuNode implements AgentHost, AutoCloseable {
  static final String IMAGE = "testbed.local/cuda:1";

  /// The file systems whose mounts the node has of its own.
  private static final Set<String> OF_KERNEL =
      Set.of(
          "proc",
          "sysfs",
          "devtmpfs",
          "devpts",
          "tmpfs",
          "mqueue",
          "cgroup",
          "cgroup2",
          "overlay",
          "bpf",
          "tracefs",
          "debugfs",
          "securityfs",
          "hugetlbfs",
          "pstore",
          "fusectl",
          "configfs");

  private static final Pattern DEVICE = Pattern.compile("nvidia\\d+|nvidiactl");
  private static final Path INSTALLATION = Path.of("/usr/local/nvidia");
  private static final String CONTAINER_ROOT = "/run/nvidia/driver";
  private static final int MAJOR = 195;
  private static final int CONTROL_MINOR = 255;

  /// Where the node has the driver's files.
  enum Driver {
    /// As on this machine.
    INSTALLED,
    /// Below `/run/nvidia/driver`, with a `/dev` of its own, as a driver container has it: a copy.
    CONTAINER
  }

  private final Path folder;
  private final RealCluster cluster;
  private final JvmOnNode jvm;
  private final PodDevices devices;

  private RealGpuNode(Path folder, Driver driver) throws IOException {
    this.folder = folder;
    jvm = JvmOnNode.in(Files.createDirectory(folder.resolve("program")));
    NodeSpec spec = jvm.on(NodeSpec.named("real-gpu")).withImage(image(folder));
    for (Path mount : mounts()) {
      spec =
          driver == Driver.CONTAINER && mount.equals(INSTALLATION)
              ? spec.withMount(copied(folder), CONTAINER_ROOT)
              : spec.withMount(mount, mount.toString());
    }
    String root = driver == Driver.CONTAINER ? CONTAINER_ROOT : "";
    for (String device : gpuDevices()) {
      spec = spec.withDevice(root + "/dev/" + device, MAJOR, minor(device));
    }
    cluster = RealCluster.start(spec);
    devices = new PodDevices(node());
  }

  static RealGpuNode boot(Driver driver) {
    try {
      return new RealGpuNode(Files.createTempDirectory("pitcrew-real-gpu-"), driver);
    } catch (IOException e) {
      throw new UncheckedIOException("start a node with the GPUs of this machine", e);
    }
  }

  /// Whether the driver's files lie in one folder, so that a node can have them as those of a
  /// container.
  static boolean canMoveDriver() {
    return Files.isRegularFile(INSTALLATION.resolve("lib64/libcuda.so.1"));
  }

  private static Path copied(Path folder) throws IOException {
    Path copy = Files.createDirectory(folder.resolve("driver"));
    run("cp", "-a", INSTALLATION + "/.", copy.toString());
    Files.createDirectories(copy.resolve("dev"));
    return copy;
  }

  /// The overlay of the node's root does not show what is mounted on this machine.
  private static List<Path> mounts() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/mounts"))) {
      return lines
          .map(line -> line.split(" ", -1))
          .filter(words -> !words[1].equals("/") && !OF_KERNEL.contains(words[2]))
          .map(words -> Path.of(words[1]))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  private static List<String> gpuDevices() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/dev"))) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(DEVICE.asMatchPredicate())
          .sorted()
          .toList();
    }
  }

  private static int minor(String device) {
    return device.equals("nvidiactl")
        ? CONTROL_MINOR
        : Integer.parseInt(device.substring("nvidia".length()));
  }

  /// The program, glibc, and the path of NVIDIA's CUDA images.
  private static Path image(Path folder) throws IOException {
    Path program = folder.resolve("cuda");
    run("gcc", "-O1", "-Wall", "-o", program.toString(), source(folder).toString(), "-ldl");
    Path libraries = Path.of(run("gcc", "-print-file-name=libc.so.6")).toRealPath().getParent();
    Layer layer =
        Layer.titled("cuda")
            .withFile("/cuda", program)
            .withFile("/lib64/ld-linux-x86-64.so.2", Path.of("/lib64/ld-linux-x86-64.so.2"));
    for (String name :
        List.of("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1")) {
      layer = layer.withFile("/lib/x86_64-linux-gnu/" + name, libraries.resolve(name));
    }
    return Image.named(IMAGE)
        .withEntrypoint("/cuda")
        .withEnvironment("PATH", "/usr/local/nvidia/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        .withLayer(layer)
        .writeTo(folder.resolve("cuda.tar"));
  }

  private static Path source(Path folder) throws IOException {
    Path copy = folder.resolve("cuda.c");
    Files.copy(Path.of("src/test/resources/real-gpu/cuda.c"), copy);
    return copy;
  }

  private static String run(String... command) {
    CommandRun run = CommandRun.of(List.of(command), Path.of("/"));
    assertThat(run.succeeded()).as("%s: %s", List.of(command), run.lastLines()).isTrue();
    return run.output().strip();
  }

  @Override
  public RealNode node() {
    return cluster.nodes().all().getFirst();
  }

  @Override
  public ControlPlane controlPlane() {
    return cluster.controlPlane();
  }

  @Override
  public JvmOnNode jvm() {
    return jvm;
  }

  @Override
  public String hostRoot() {
    return "/";
  }

  @Override
  public void offerNothing() {
    // Nothing but the agent offers them.
  }

  PodDevices devices() {
    return devices;
  }

  /// A pod that computes.
  ProbePodSpec pod() {
    return ProbePodSpec.on(node()).withImage(IMAGE);
  }

  GpuPod run(ProbePodSpec spec) {
    return GpuPod.run(client(), spec);
  }

  @Override
  public void close() {
    devices.close();
    cluster.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("remove " + folder, e);
    }
  }
}
