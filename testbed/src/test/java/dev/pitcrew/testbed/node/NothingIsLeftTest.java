package dev.pitcrew.testbed.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import dev.pitcrew.testbed.image.StaticProgram;
import dev.pitcrew.testbed.junit.NeedsRealNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NeedsRealNodes
class NothingIsLeftTest {
  private static final Duration SOON = Duration.ofSeconds(15);
  @TempDir private Path folder;
  private @Nullable Process jvm;

  @AfterEach
  void kill() {
    if (jvm != null) {
      jvm.destroyForcibly();
    }
  }

  /// Stands for every end of a JVM, because none of them runs code of ours: Ctrl-C, a test that
  /// fails, a kill.
  @Test
  void aKilledJvmLeavesNothing() throws Exception {
    var directory = folder.resolve("testbed");
    var running = start(directory);
    jvm = running;
    assertThat(running.inputReader().readLine()).isEqualTo("running");
    var network = bridge(directory);
    assertThat(cgroups(network)).isNotEmpty();
    assertThat(processes(inCgroupsOf(network)))
        .anyMatch(line -> line.contains("kubelet"))
        .anyMatch(line -> line.contains("probe"));

    running.destroyForcibly();

    assertThat(running.waitFor(90, TimeUnit.SECONDS)).isTrue();
    await(() -> Files.notExists(directory) && processes(of(directory)).isEmpty());
    assertNothingIsLeft(directory, network);
  }

  @Test
  void aClosedNetworkIsGoneAndItsNumberIsFree() {
    try (var directory = WorkDirectory.temporary()) {
      var first = NodeNetwork.open(directory);
      try (var second = NodeNetwork.open(directory)) {
        assertThat(second.address()).isNotEqualTo(first.address());
      }
      first.close();

      assertThat(interfacesOf(directory.path())).isEmpty();
      try (var again = NodeNetwork.open(directory)) {
        assertThat(again.address()).isEqualTo(first.address());
      }
    }
  }

  /// A JVM of its own, in which [#main] runs.
  private static Process start(Path directory) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            NothingIsLeftTest.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /// Starts a cluster with a pod, says so and stays.
  public static void main(String[] arguments) throws Exception {
    var binaries = Binaries.standard(Progress.standardError());
    var options = ControlPlaneOptions.defaults();
    var directory = WorkDirectory.at(Path.of(arguments[0]));
    var probe = StaticProgram.PROBE.imageIn(directory.path());
    var spec = NodeSpec.named("killed").withImage(probe);
    var cluster = RealCluster.start(directory, binaries, options, spec);
    ProbePod.run(
        cluster.controlPlane().client(), ProbePodSpec.on(cluster.nodes().all().getFirst()));
    System.out.println("running");
    Thread.currentThread().join();
  }

  private static void assertNothingIsLeft(Path directory, String network) throws IOException {
    assertThat(processes(of(directory).or(inCgroupsOf(network)))).isEmpty();
    assertThat(directory).doesNotExist();
    assertThat(interfacesOf(directory)).isEmpty();
    assertThat(interfaces()).noneMatch(name -> name.startsWith(network + "-"));
    assertThat(cgroups(network)).isEmpty();
    assertThat(Files.readString(Path.of("/proc/self/mountinfo")))
        .doesNotContain(directory.toString());
  }

  private static List<String> processes(Predicate<ProcessHandle> which) {
    return ProcessHandle.allProcesses()
        .filter(which)
        .map(process -> process.info().commandLine().orElse(""))
        .toList();
  }

  private static Predicate<ProcessHandle> of(Path directory) {
    return process ->
        process
            .info()
            .commandLine()
            .filter(line -> line.contains(directory.toString()))
            .isPresent();
  }

  private static Predicate<ProcessHandle> inCgroupsOf(String network) {
    return process -> {
      try {
        var file = Path.of("/proc", Long.toString(process.pid()), "cgroup");
        return Files.readString(file).contains("/" + network + "-");
      } catch (IOException _) {
        return false;
      }
    };
  }

  private static String bridge(Path directory) {
    return interfacesOf(directory).stream()
        .filter(name -> Files.exists(Path.of("/sys/class/net", name, "bridge")))
        .findFirst()
        .orElseThrow();
  }

  /// The interfaces that say that they belong to the test bed in `directory`.
  private static List<String> interfacesOf(Path directory) {
    return interfaces().stream().filter(name -> alias(name).equals(directory.toString())).toList();
  }

  private static String alias(String name) {
    try {
      return Files.readString(Path.of("/sys/class/net", name, "ifalias")).strip();
    } catch (IOException _) {
      return "";
    }
  }

  private static List<String> interfaces() {
    return names(Path.of("/sys/class/net"));
  }

  private static List<String> cgroups(String network) {
    var found = new ArrayList<String>();
    for (var hierarchy : names(Path.of("/sys/fs/cgroup"))) {
      names(Path.of("/sys/fs/cgroup", hierarchy)).stream()
          .filter(name -> name.startsWith(network + "-"))
          .forEach(found::add);
    }
    names(Path.of("/sys/fs/cgroup")).stream()
        .filter(name -> name.startsWith(network + "-"))
        .forEach(found::add);
    return found;
  }

  private static List<String> names(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).toList();
    } catch (IOException _) {
      return List.of();
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    var end = System.nanoTime() + SOON.toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() < end) {
      Thread.sleep(50);
    }
  }
}
